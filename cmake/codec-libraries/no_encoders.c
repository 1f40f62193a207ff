/* What libtiff calls to write: a file that is opened to be read never gets there, and the encoders are not linked. */
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>
#include <zlib.h>

int deflateInit_(z_streamp s, int level, const char *version, int size) { return Z_STREAM_ERROR; }
int deflateReset(z_streamp s) { return Z_STREAM_ERROR; }
int deflateParams(z_streamp s, int level, int strategy) { return Z_STREAM_ERROR; }
int deflate(z_streamp s, int flush) { return Z_STREAM_ERROR; }
int deflateEnd(z_streamp s) { return Z_STREAM_ERROR; }

static void refuse(j_compress_ptr info) {
  info->err->msg_code = 0;
  info->err->error_exit((j_common_ptr)info);
}
void jpeg_CreateCompress(j_compress_ptr info, int version, size_t size) { refuse(info); }
void jpeg_set_defaults(j_compress_ptr info) { refuse(info); }
void jpeg_set_colorspace(j_compress_ptr info, J_COLOR_SPACE space) { refuse(info); }
void jpeg_set_quality(j_compress_ptr info, int quality, boolean baseline) { refuse(info); }
void jpeg_suppress_tables(j_compress_ptr info, boolean suppress) { refuse(info); }
void jpeg_start_compress(j_compress_ptr info, boolean all_tables) { refuse(info); }
JDIMENSION jpeg_write_scanlines(j_compress_ptr info, JSAMPARRAY rows, JDIMENSION count) { refuse(info); return 0; }
JDIMENSION jpeg_write_raw_data(j_compress_ptr info, JSAMPIMAGE data, JDIMENSION count) { refuse(info); return 0; }
void jpeg_write_tables(j_compress_ptr info) { refuse(info); }
void jpeg_finish_compress(j_compress_ptr info) { refuse(info); }
