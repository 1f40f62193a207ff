/* OpenJPEG: what the C library has. */
#define _POSIX_C_SOURCE 200112L
#define OPJ_PACKAGE_VERSION "2.5.3"
#define OPJ_HAVE_POSIX_MEMALIGN
