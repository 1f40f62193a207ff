// JPEG by libjpeg-turbo: exact integer DCT, smooth ("fancy") chroma upsampling.
#include <cstdio>
#include <vector>

#include "codecs/codecs.h"

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

namespace sardonyx {
namespace {

// A scan of some bytes may change all coefficients of an image: more than any encoder writes would only take time.
constexpr int kMostScans = 500;

[[noreturn]] void stop(j_common_ptr info) {
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  bad_image("JPEG", text);
}

class Jpeg {
 public:
  explicit Jpeg(ImageBytes bytes) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = stop;
    // Warnings: damage that the library gets over.
    errors_.emit_message = [](j_common_ptr, int) {};
    errors_.output_message = [](j_common_ptr) {};
    jpeg_create_decompress(&info_);
    info_.src = &source_;
    source_.next_input_byte = bytes.data();
    source_.bytes_in_buffer = bytes.size();
    source_.init_source = [](j_decompress_ptr) {};
    source_.term_source = [](j_decompress_ptr) {};
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.fill_input_buffer = [](j_decompress_ptr) -> boolean { bad_image("JPEG", "it is cut off"); };
    source_.skip_input_data = [](j_decompress_ptr info, long count) {
      if (count <= 0) return;
      if (static_cast<size_t>(count) > info->src->bytes_in_buffer) bad_image("JPEG", "it is cut off");
      info->src->next_input_byte += count;
      info->src->bytes_in_buffer -= static_cast<size_t>(count);
    };
    progress_.progress_monitor = [](j_common_ptr info) {
      const bool many =
          info->is_decompressor && reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans;
      if (many) bad_image("JPEG", cat("it has more than ", kMostScans, " scans"));
    };
    info_.progress = &progress_;
  }
  ~Jpeg() { jpeg_destroy_decompress(&info_); }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;

  void run(Canvas& canvas) {
    jpeg_read_header(&info_, TRUE);
    canvas.begin("JPEG", info_.image_width, info_.image_height);
    const bool gray = info_.jpeg_color_space == JCS_GRAYSCALE, inks = info_.num_components == 4;
    info_.out_color_space = gray ? JCS_GRAYSCALE : inks ? JCS_CMYK : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    info_.do_fancy_upsampling = TRUE;
    jpeg_start_decompress(&info_);
    std::vector<uint8_t> row(size_t{info_.output_width} * static_cast<size_t>(info_.output_components));
    uint8_t* rows[] = {row.data()};
    while (info_.output_scanline < info_.output_height) {
      const int64_t y = info_.output_scanline;
      jpeg_read_scanlines(&info_, rows, 1);
      if (gray) {
        canvas.put_gray(0, y, row.data(), canvas.width(), 1);
      } else if (inks) {
        // Such files say how much ink is left out: so do Adobe's programs, which write nearly all of them.
        for (uint8_t& v : row) v = static_cast<uint8_t>(255 - v);
        canvas.put_cmyk(0, y, row.data(), canvas.width(), 4);
      } else {
        canvas.put_rgb(0, y, row.data(), canvas.width(), 3);
      }
    }
  }

 private:
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
};

}  // namespace

void decode_jpeg(ImageBytes bytes, Canvas& canvas) { Jpeg(bytes).run(canvas); }

}  // namespace sardonyx
