// TIFF 6.0: 8 bits per sample in strips of grey or RGB, as they are or compressed by zlib.
#include <map>

#include "ops/image/image.h"

namespace sardonyx {
namespace {

enum Tag : uint32_t {
  kWidth = 256,
  kHeight = 257,
  kBits = 258,
  kCompression = 259,
  kPhotometric = 262,
  kOffsets = 273,
  kSamples = 277,
  kRows = 278,
  kCounts = 279,
  kPlanar = 284,
  kPredictor = 317,
};

class Tiff {
 public:
  explicit Tiff(ImageBytes bytes) : bytes_(bytes), little_(bytes[0] == 'I') {
    const uint64_t directory = number(4, 4);
    const uint32_t entries = number(directory, 2);
    for (uint32_t i = 0; i < entries; i++) {
      const uint64_t at = directory + 2 + uint64_t{i} * 12;
      fields_[number(at, 2)] = {number(at + 2, 2), number(at + 4, 4), at + 8};
    }
  }

  Image run() {
    const int64_t width = field(kWidth, 0), height = field(kHeight, 0);
    const uint32_t samples = field(kSamples, 1), compression = field(kCompression, 1);
    const uint32_t color = field(kPhotometric, 1), predictor = field(kPredictor, 1);
    if (width < 1 || height < 1) bad_image("has no pixels");
    if (field(kBits, 1) != 8 || field(kPlanar, 1) != 1 || color > 2 || samples < (color == 2 ? 3u : 1u) ||
        samples > 16 || (compression != 1 && compression != 8 && compression != 32946) || predictor > 2) {
      bad_image(cat("is a TIFF of ", field(kBits, 1), " bits, photometric ", color, " and compression ", compression,
                    "; known are 8 bits of grey or RGB, as they are or by zlib"));
    }
    const uint64_t step = static_cast<uint64_t>(width) * samples;
    const int64_t rows = std::min<int64_t>(std::max<int64_t>(field(kRows, UINT32_MAX), 1), height);
    if (static_cast<uint64_t>(height) > uint64_t{bytes_.size()} * 1032 / step) bad_image("is too large for its data");
    Image image = Image::of(width, height);
    for (int64_t first = 0, strip = 0; first < height; first += rows, strip++) {
      const int64_t count = std::min(rows, height - first);
      const uint64_t size = step * static_cast<uint64_t>(count);
      const auto index = static_cast<uint32_t>(strip);
      ImageBytes data = part(bytes_, field(kOffsets, 0, index), compression == 1 ? size : field(kCounts, 0, index));
      std::vector<uint8_t> plain = compression == 1 ? std::vector(data.begin(), data.end()) : inflate(data, size);
      for (int64_t row = 0; row < count; row++) {
        uint8_t* line = plain.data() + static_cast<uint64_t>(row) * step;
        for (uint64_t i = samples; predictor == 2 && i < step; i++)
          line[i] = static_cast<uint8_t>(line[i] + line[i - samples]);
        for (int64_t x = 0; x < width; x++) {
          const uint8_t* from = line + static_cast<uint64_t>(x) * samples;
          uint8_t* to = image.at(x, first + row);
          for (int i = 0; i < 3; i++) {
            const uint8_t v = from[color == 2 ? i : 0];
            to[i] = color == 0 ? static_cast<uint8_t>(255 - v) : v;
          }
        }
      }
    }
    return image;
  }

 private:
  struct Field {
    uint32_t type, count;
    uint64_t at;
  };
  uint32_t number(uint64_t at, int count) const { return little_ ? little(bytes_, at, count) : big(bytes_, at, count); }
  // Value `i` of a field of shorts or longs.
  uint32_t field(uint32_t tag, uint32_t otherwise, uint32_t i = 0) const {
    const auto it = fields_.find(tag);
    if (it == fields_.end()) return otherwise;
    const Field& f = it->second;
    const uint64_t size = f.type == 3 ? 2 : f.type == 4 ? 4 : 0;
    if (size == 0 || i >= f.count) bad_image(cat("lacks a value of the field ", tag));
    const uint64_t first = size * f.count <= 4 ? f.at : number(f.at, 4);
    return number(first + size * i, static_cast<int>(size));
  }

  ImageBytes bytes_;
  bool little_;
  std::map<uint32_t, Field> fields_;
};

}  // namespace

Image decode_tiff(ImageBytes bytes) { return Tiff(bytes).run(); }

}  // namespace sardonyx
