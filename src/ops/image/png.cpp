// PNG (ISO/IEC 15948): every colour type and depth, interlaced or not; transparency is left out.
#include <cstdlib>

#include "ops/image/image.h"

namespace sardonyx {
namespace {

struct Header {
  int64_t width = 0, height = 0;
  uint32_t depth = 0, color = 0, interlace = 0;
  uint32_t parts() const { return color == 2 ? 3 : color == 6 ? 4 : color == 4 ? 2 : 1; }
  uint64_t row_bytes(int64_t pixels) const { return (static_cast<uint64_t>(pixels) * parts() * depth + 7) / 8; }
};

// One of the seven passes of an interlaced image; the only one of another.
struct Pass {
  int64_t x, y, dx, dy;
  int64_t columns(const Header& h) const { return h.width > x ? (h.width - x + dx - 1) / dx : 0; }
  int64_t rows(const Header& h) const { return h.height > y ? (h.height - y + dy - 1) / dy : 0; }
};
constexpr Pass kPasses[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                            {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}, {0, 0, 1, 1}};

uint8_t paeth(int a, int b, int c) {
  const int p = a + b - c, da = std::abs(p - a), db = std::abs(p - b), dc = std::abs(p - c);
  return static_cast<uint8_t>(da <= db && da <= dc ? a : db <= dc ? b : c);
}

// Undoes a row's filter in place; `above` is empty for the first.
void unfilter(uint32_t filter, std::span<uint8_t> row, std::span<const uint8_t> above, size_t pixel) {
  if (filter > 4) bad_image(cat("has the filter ", filter));
  for (size_t i = 0; i < row.size(); i++) {
    const int a = i >= pixel ? row[i - pixel] : 0, b = above.empty() ? 0 : above[i];
    const int c = i >= pixel && !above.empty() ? above[i - pixel] : 0;
    const int add = filter == 0 ? 0 : filter == 1 ? a : filter == 2 ? b : filter == 3 ? (a + b) / 2 : paeth(a, b, c);
    row[i] = static_cast<uint8_t>(row[i] + add);
  }
}

class PngDecoder {
 public:
  explicit PngDecoder(ImageBytes bytes) { read_chunks(bytes); }

  Image run() {
    const std::span<const Pass> passes = h_.interlace ? std::span(kPasses).first(7) : std::span(kPasses).subspan(7);
    uint64_t size = 0;
    for (const Pass& p : passes) {
      if (p.columns(h_) > 0) size += static_cast<uint64_t>(p.rows(h_)) * (1 + h_.row_bytes(p.columns(h_)));
    }
    std::vector<uint8_t> data = inflate(data_, size);
    Image image = Image::of(h_.width, h_.height);
    std::span<uint8_t> rest(data);
    const size_t pixel = std::max<size_t>(1, h_.parts() * h_.depth / 8);
    for (const Pass& p : passes) {
      if (p.columns(h_) == 0) continue;
      const auto bytes = static_cast<size_t>(h_.row_bytes(p.columns(h_)));
      std::span<const uint8_t> above;
      for (int64_t row = 0; row < p.rows(h_); row++) {
        const std::span<uint8_t> line = rest.subspan(1, bytes);
        unfilter(rest[0], line, above, pixel);
        for (int64_t column = 0; column < p.columns(h_); column++) {
          put(line, column, image.at(p.x + column * p.dx, p.y + row * p.dy));
        }
        above = line;
        rest = rest.subspan(1 + bytes);
      }
    }
    return image;
  }

 private:
  void read_chunks(ImageBytes bytes) {
    for (uint64_t at = 8;;) {
      const uint32_t length = big(bytes, at, 4), type = big(bytes, at + 4, 4);
      const ImageBytes body = part(bytes, at + 8, length);
      at += 12 + uint64_t{length};
      if (type == 0x49484452) read_header(body);                                    // IHDR
      if (type == 0x504c5445) palette_ = body;                                      // PLTE
      if (type == 0x49444154) data_.insert(data_.end(), body.begin(), body.end());  // IDAT
      if (type == 0x49454e44) break;                                                // IEND
    }
    if (h_.width == 0) bad_image("has no header");
  }
  void read_header(ImageBytes b) {
    h_ = {big(b, 0, 4), big(b, 4, 4), big(b, 8, 1), big(b, 9, 1), big(b, 12, 1)};
    const bool narrow = h_.depth == 1 || h_.depth == 2 || h_.depth == 4;
    const bool known = h_.color == 0   ? narrow || h_.depth == 8 || h_.depth == 16
                       : h_.color == 3 ? narrow || h_.depth == 8
                                       : h_.depth == 8 || h_.depth == 16;
    if (!known || h_.color == 1 || h_.color == 5 || h_.color > 6 || h_.interlace > 1) {
      bad_image(cat("is a PNG of colour type ", h_.color, " and depth ", h_.depth));
    }
    if (h_.width < 1 || h_.height < 1 || h_.width > INT32_MAX || h_.height > INT32_MAX) bad_image("has no pixels");
  }
  // Sample i of a row, to 8 bits (the upper ones of 16).
  uint32_t sample(std::span<const uint8_t> row, uint64_t i) const {
    if (h_.depth == 16) return row[static_cast<size_t>(2 * i)];
    const uint64_t bit = i * h_.depth;
    return row[static_cast<size_t>(bit / 8)] >> (8 - h_.depth - bit % 8) & ((1u << h_.depth) - 1);
  }
  void put(std::span<const uint8_t> row, int64_t column, uint8_t* to) const {
    const uint64_t first = static_cast<uint64_t>(column) * h_.parts();
    if (h_.color == 3) {
      const ImageBytes entry = part(palette_, uint64_t{sample(row, first)} * 3, 3);
      std::copy(entry.begin(), entry.end(), to);
      return;
    }
    const uint32_t scale = h_.depth < 8 ? 255 / ((1u << h_.depth) - 1) : 1;
    for (uint64_t i = 0; i < 3; i++) {
      to[i] = static_cast<uint8_t>(sample(row, h_.parts() >= 3 ? first + i : first) * scale);
    }
  }

  Header h_;
  ImageBytes palette_;
  std::vector<uint8_t> data_;
};

}  // namespace

Image decode_png(ImageBytes bytes) { return PngDecoder(bytes).run(); }

}  // namespace sardonyx
