// Code points of UTF-8 text.
#pragma once
#include <cstdint>
#include <string_view>

namespace sardonyx {

// The code point at `at`, which moves behind it. Bytes that are no UTF-8 give U+FFFD, one by one.
inline uint32_t next_code_point(std::string_view text, size_t& at) noexcept {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint32_t lead = byte(at++);
  if (lead < 0x80) return lead;
  const size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() - at < more) return 0xfffd;
  uint32_t code = lead & (0x3fu >> more);
  for (size_t i = 0; i < more; i++) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0xfffd;
    code = code << 6 | (byte(at + i) & 0x3fu);
  }
  if (code < kLeast[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0xfffd;
  at += more;
  return code;
}

}  // namespace sardonyx
