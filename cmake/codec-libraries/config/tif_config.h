/* libtiff: what the compiler and the C library have. */
#include "tiffconf.h"
#define HAVE_ASSERT_H 1
#define HAVE_FCNTL_H 1
#define HAVE_STRINGS_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define PACKAGE_NAME "tiff"
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define STRIP_SIZE_DEFAULT 8192
#define TIFF_MAX_DIR_COUNT 1048576
#define TIFF_SIZE_FORMAT "zu"
#if SIZEOF_SIZE_T == 8
#define TIFF_SSIZE_FORMAT PRId64
#else
#define TIFF_SSIZE_FORMAT PRId32
#endif
