// The inverse of zlib's compression (RFC 1950, RFC 1951).
#include <algorithm>
#include <array>

#include "ops/image/image.h"

namespace sardonyx {
namespace {

class BitReader {
 public:
  explicit BitReader(ImageBytes bytes) : bytes_(bytes) {}
  uint32_t take(int count) {
    uint32_t v = 0;
    for (int i = 0; i < count; i++) v |= bit() << i;
    return v;
  }
  uint32_t bit() {
    if (left_ == 0) {
      byte_ = part(bytes_, at_++, 1)[0];
      left_ = 8;
    }
    const uint32_t b = byte_ & 1u;
    byte_ = static_cast<uint8_t>(byte_ >> 1);
    left_--;
    return b;
  }
  // From the next whole byte on.
  ImageBytes take_bytes(uint64_t count) {
    left_ = 0;
    const ImageBytes b = part(bytes_, at_, count);
    at_ += count;
    return b;
  }

 private:
  ImageBytes bytes_;
  uint64_t at_ = 0;
  uint8_t byte_ = 0;
  int left_ = 0;
};

// A canonical Huffman code: how many codes each length has, and the symbols in the codes' order.
class Huffman {
 public:
  explicit Huffman(std::span<const uint8_t> lengths) {
    for (uint8_t n : lengths) counts_[n]++;
    counts_[0] = 0;
    std::array<uint16_t, 16> next{};
    for (size_t n = 1; n < 15; n++) next[n + 1] = static_cast<uint16_t>(next[n] + counts_[n]);
    symbols_.resize(lengths.size());
    for (size_t s = 0; s < lengths.size(); s++) {
      if (lengths[s]) symbols_[next[lengths[s]]++] = static_cast<uint16_t>(s);
    }
  }
  uint32_t read(BitReader& in) const {
    int32_t code = 0, first = 0, index = 0;
    for (size_t n = 1; n < 16; n++) {
      code |= static_cast<int32_t>(in.bit());
      if (code - counts_[n] < first) {
        const auto at = static_cast<size_t>(index + code - first);
        if (at >= symbols_.size()) break;
        return symbols_[at];
      }
      index += counts_[n];
      first = (first + counts_[n]) * 2;
      code *= 2;
    }
    bad_image("has a code that is none");
  }

 private:
  std::array<uint16_t, 16> counts_{};
  std::vector<uint16_t> symbols_;
};

class Inflater {
 public:
  Inflater(ImageBytes bytes, uint64_t size) : in_(bytes), size_(size) {}

  std::vector<uint8_t> run() {
    bool last = false;
    while (!last && out_.size() < size_) {
      last = in_.bit();
      switch (in_.take(2)) {
        case 0:
          stored();
          break;
        case 1:
          fixed();
          break;
        case 2:
          dynamic();
          break;
        default:
          bad_image("has a block of an unknown kind");
      }
    }
    if (out_.size() < size_) bad_image("has too few pixels");
    out_.resize(static_cast<size_t>(size_));
    return std::move(out_);
  }

 private:
  void stored() {
    const ImageBytes head = in_.take_bytes(4);
    const ImageBytes data = in_.take_bytes(little(head, 0, 2));
    out_.insert(out_.end(), data.begin(), data.end());
  }
  void fixed() {
    std::array<uint8_t, 288> lengths{};
    for (size_t i = 0; i < lengths.size(); i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    const std::array<uint8_t, 30> distances = [] {
      std::array<uint8_t, 30> all{};
      all.fill(5);
      return all;
    }();
    block(Huffman(lengths), Huffman(distances));
  }
  void dynamic() {
    constexpr uint8_t kOrder[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const uint32_t literals = in_.take(5) + 257, distances = in_.take(5) + 1, codes = in_.take(4) + 4;
    std::array<uint8_t, 19> small{};
    for (uint32_t i = 0; i < codes; i++) small[kOrder[i]] = static_cast<uint8_t>(in_.take(3));
    const Huffman code(small);
    std::vector<uint8_t> lengths;
    while (lengths.size() < literals + distances) {
      const uint32_t symbol = code.read(in_);
      if (symbol < 16) {
        lengths.push_back(static_cast<uint8_t>(symbol));
        continue;
      }
      if (symbol == 16 && lengths.empty()) bad_image("repeats a length before the first");
      const uint8_t value = symbol == 16 ? lengths.back() : 0;
      const uint32_t times = symbol == 16 ? 3 + in_.take(2) : symbol == 17 ? 3 + in_.take(3) : 11 + in_.take(7);
      lengths.insert(lengths.end(), times, value);
    }
    const std::span<const uint8_t> all(lengths);
    block(Huffman(all.first(literals)), Huffman(all.subspan(literals, distances)));
  }
  void block(const Huffman& literals, const Huffman& distances) {
    while (out_.size() < size_) {
      const uint32_t symbol = literals.read(in_);
      if (symbol == 256) return;
      if (symbol < 256) {
        out_.push_back(static_cast<uint8_t>(symbol));
        continue;
      }
      if (symbol > 285) bad_image("has a length that is none");
      const uint32_t length = length_of(symbol - 257), code = distances.read(in_);
      if (code > 29) bad_image("has a distance that is none");
      const int more = code < 4 ? 0 : static_cast<int>(code / 2 - 1);
      const size_t distance = (code < 4 ? code : (2 + code % 2) << more) + in_.take(more) + 1;
      if (distance > out_.size()) bad_image("repeats what is before its beginning");
      for (uint32_t i = 0; i < length; i++) out_.push_back(out_[out_.size() - distance]);
    }
  }
  uint32_t length_of(uint32_t code) {
    if (code == 28) return 258;
    const int more = code < 8 ? 0 : static_cast<int>(code / 4 - 1);
    return 3 + (code < 8 ? code : (4 + code % 4) << more) + in_.take(more);
  }

  BitReader in_;
  uint64_t size_;
  std::vector<uint8_t> out_;
};

}  // namespace

std::vector<uint8_t> inflate(ImageBytes zlib, uint64_t size) {
  // No stream gets larger than that by inflating.
  if (size / 1032 > zlib.size()) bad_image("is too large for its data");
  if ((big(zlib, 0, 1) & 15) != 8 || big(zlib, 0, 2) % 31 != 0) bad_image("has data that is not compressed by zlib");
  return Inflater(zlib.subspan(2), size).run();
}

}  // namespace sardonyx
