// ImageDecoder.
#include "ops/image/image.h"
#include <cstring>

#include "ops/families.h"

namespace sardonyx {
namespace {

Image decode(ImageBytes b) {
  const auto begins = [&](std::string_view magic, size_t at = 0) {
    return b.size() >= at + magic.size() && memcmp(b.data() + at, magic.data(), magic.size()) == 0;
  };
  if (begins("BM")) return decode_bmp(b);
  if (begins("\x89PNG\r\n\x1a\n")) return decode_png(b);
  if (begins(std::string_view("II*\0", 4)) || begins(std::string_view("MM\0*", 4))) return decode_tiff(b);
  if (b.size() > 2 && b[0] == 'P' && b[1] >= '1' && b[1] <= '6') return decode_pnm(b);
  const std::string_view kind = begins("\xff\xd8")  ? "JPEG"
                                : begins("WEBP", 8) ? "WebP"
                                : begins("jP  ", 4) ? "JPEG 2000"
                                                    : "";
  if (!kind.empty()) bad_image(cat("is ", kind, "; known are BMP, PNG, PNM and TIFF"));
  bad_image("is of an unknown format; known are BMP, PNG, PNM and TIFF");
}

// ONNX ImageDecoder: encoded bytes to [height, width, 3 or 1].
class ImageDecoder final : public Operator {
 public:
  explicit ImageDecoder(const Attributes& a)
      : format_(static_cast<Format>(a.choice("pixel_format", {"RGB", "BGR", "Grayscale"}, 0))) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, {DType::uint8});
    c.require_rank(0, 1, 1);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    Image image = decode(c.input(0).values<uint8_t>());
    const bool gray = format_ == Format::gray;
    Tensor& y = c.allocate(0, DType::uint8, Shape{image.height, image.width, gray ? 1 : 3});
    const uint8_t* from = image.rgb.data();
    auto* to = y.data<uint8_t>();
    for (int64_t i = 0; i < image.width * image.height; i++, from += 3) {
      if (gray) {
        // ITU-R BT.601 in 16 bits, as Pillow computes it.
        *to++ = static_cast<uint8_t>((from[0] * 19595u + from[1] * 38470u + from[2] * 7471u + 0x8000u) >> 16);
      } else {
        for (int k = 0; k < 3; k++) *to++ = from[format_ == Format::bgr ? 2 - k : k];
      }
    }
  }

 private:
  enum class Format : uint8_t { rgb, bgr, gray };
  Format format_;
};

constexpr OpEntry kOps[] = {{"ImageDecoder", 20, make_operator<ImageDecoder>}};

}  // namespace

std::span<const OpEntry> image_ops() { return kOps; }

}  // namespace sardonyx
