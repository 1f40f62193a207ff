// Upper and lower case of UTF-8 text, without a locale.
#include "ops/util/letters.h"

#include <cstdint>

namespace sardonyx {
namespace {

// Upper-case letters [first, last], in steps; the lower-case ones are `distance` further (Unicode's simple case
// mapping).
struct CaseRange {
  uint16_t first, last, step, distance;
};
constexpr CaseRange kRanges[] = {
    {'A', 'Z', 1, 32},     {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},   {0x100, 0x12e, 2, 1},  {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},  {0x179, 0x17d, 2, 1},  {0x386, 0x386, 1, 38}, {0x388, 0x38a, 1, 37},
    {0x391, 0x3a1, 1, 32}, {0x3a3, 0x3ab, 1, 32}, {0x400, 0x40f, 1, 80}, {0x410, 0x42f, 1, 32}, {0x460, 0x480, 2, 1},
    {0x48a, 0x4be, 2, 1},  {0x4d0, 0x52e, 2, 1},
};

uint32_t change(uint32_t letter, bool lower) noexcept {
  for (const CaseRange& r : kRanges) {
    const uint32_t first = lower ? r.first : r.first + r.distance, last = lower ? r.last : r.last + r.distance;
    if (letter < first || letter > last || (letter - first) % r.step != 0) continue;
    return lower ? letter + r.distance : letter - r.distance;
  }
  return letter;
}

std::string change_all(std::string_view text, bool lower) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); i++) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<uint8_t>(text[i + 1]) : uint8_t{0};
    if (byte < 0x80) {
      out += static_cast<char>(change(byte, lower));
    } else if ((byte & 0xe0) == 0xc0 && (next & 0xc0) == 0x80) {  // all letters of the table have two bytes
      const uint32_t letter = change((byte & 0x1fu) << 6 | (next & 0x3fu), lower);
      out += static_cast<char>(0xc0 | letter >> 6);
      out += static_cast<char>(0x80 | (letter & 0x3f));
      i++;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string to_lower(std::string_view text) { return change_all(text, true); }
std::string to_upper(std::string_view text) { return change_all(text, false); }

}  // namespace sardonyx
