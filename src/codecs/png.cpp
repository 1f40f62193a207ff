// PNG by libpng: palettes and low depths are widened, of 16 bits the upper 8 are taken, transparency is left out.
#include <png.h>

#include <cstring>
#include <vector>

#include "codecs/codecs.h"

namespace sardonyx {
namespace {

class Png {
 public:
  explicit Png(ImageBytes bytes) : rest_(bytes) {
    const auto stop = [](png_structp, png_const_charp text) { bad_image("PNG", text); };
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, stop, [](png_structp, png_const_charp) {});
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      fail(ErrorCode::out_of_memory, "PNG: no memory for its header");
    }
    png_set_user_limits(png_, INT32_MAX, INT32_MAX);  // the canvas has limits of its own
    png_set_read_fn(png_, &rest_, [](png_structp png, png_bytep to, size_t count) {
      auto& rest = *static_cast<ImageBytes*>(png_get_io_ptr(png));
      if (count > rest.size()) png_error(png, "it is cut off");
      std::memcpy(to, rest.data(), count);
      rest = rest.subspan(count);
    });
  }
  ~Png() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  void run(Canvas& canvas) {
    png_read_info(png_, info_);
    canvas.begin("PNG", png_get_image_width(png_, info_), png_get_image_height(png_, info_));
    png_set_expand(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    const int passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    const auto row_bytes = static_cast<int64_t>(png_get_rowbytes(png_, info_));
    channels_ = png_get_channels(png_, info_);
    if (row_bytes < canvas.width() * channels_) bad_image("PNG", "its rows are too short");
    if (passes == 1) {
      std::vector<uint8_t> row(static_cast<size_t>(row_bytes));
      for (int64_t y = 0; y < canvas.height(); ++y) {
        png_read_row(png_, row.data(), nullptr);
        put(canvas, y, row.data());
      }
    } else {
      // Each pass adds pixels to rows that the earlier ones have begun.
      std::vector<uint8_t> all(static_cast<size_t>(row_bytes * canvas.height()));
      for (int pass = 0; pass < passes; ++pass) {
        for (int64_t y = 0; y < canvas.height(); ++y) png_read_row(png_, all.data() + y * row_bytes, nullptr);
      }
      for (int64_t y = 0; y < canvas.height(); ++y) put(canvas, y, all.data() + y * row_bytes);
    }
  }

 private:
  void put(Canvas& canvas, int64_t y, const uint8_t* row) const {
    if (channels_ >= 3) {
      canvas.put_rgb(0, y, row, canvas.width(), channels_);
    } else {
      canvas.put_gray(0, y, row, canvas.width(), channels_);
    }
  }

  ImageBytes rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int channels_ = 0;
};

}  // namespace

void decode_png(ImageBytes bytes, Canvas& canvas) { Png(bytes).run(canvas); }

}  // namespace sardonyx
