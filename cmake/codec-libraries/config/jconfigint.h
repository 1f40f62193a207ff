/* libjpeg-turbo: what the compiler has. */
#define BUILD ""
#define INLINE inline
#define THREAD_LOCAL
#define PACKAGE_NAME "libjpeg-turbo"
#define VERSION "2.1.5"
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define HAVE_BUILTIN_CTZL
#define FALLTHROUGH __attribute__((fallthrough));
