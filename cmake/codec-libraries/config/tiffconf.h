/* libtiff: which compressions are in it. */
#ifndef _TIFFCONF_
#define _TIFFCONF_
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#define TIFF_INT8_T int8_t
#define TIFF_INT16_T int16_t
#define TIFF_INT32_T int32_t
#define TIFF_INT64_T int64_t
#define TIFF_UINT8_T uint8_t
#define TIFF_UINT16_T uint16_t
#define TIFF_UINT32_T uint32_t
#define TIFF_UINT64_T uint64_t
#define TIFF_SSIZE_T intptr_t
#define HAVE_IEEEFP 1
#define HOST_FILLORDER FILLORDER_LSB2MSB
#define HOST_BIGENDIAN 0
#define CHECK_JPEG_YCBCR_SUBSAMPLING 1
#define JPEG_SUPPORT 1
#define LZW_SUPPORT 1
#define PACKBITS_SUPPORT 1
#define ZIP_SUPPORT 1
/* A file of one long strip is read in parts. */
#define STRIPCHOP_DEFAULT TIFF_STRIPCHOP
#define YCBCR_SUPPORT
#define CMYK_SUPPORT
#define COLORIMETRY_SUPPORT
#define ICC_SUPPORT
#endif
