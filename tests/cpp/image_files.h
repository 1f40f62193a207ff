// The images of tests/js/images/images.json.
#pragma once
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace sardonyx::testing {

struct ImageFile {
  std::string name;
  std::vector<uint8_t> bytes;
};

inline std::vector<uint8_t> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> bytes;
  uint32_t held = 0, bits = 0;
  for (char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    held = held << 6 | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<uint8_t>(held >> bits));
    held &= (1u << bits) - 1;
  }
  return bytes;
}

// Each image is `"name": {... "file": "base64"`, its first member on the line of the name or behind it.
inline std::vector<ImageFile> image_files() {
  std::ifstream in(SARDONYX_SOURCE_DIR "/tests/js/images/images.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  constexpr std::string_view kFile = "\"file\": \"", kMember = "\": {";
  std::vector<ImageFile> files;
  for (size_t at = text.find(kFile); at != std::string::npos; at = text.find(kFile, at)) {
    const size_t first = at + kFile.size(), name_end = text.rfind(kMember, at);
    const size_t name = text.rfind('"', name_end - 1) + 1;
    at = text.find('"', first);
    files.push_back(
        {text.substr(name, name_end - name), from_base64(std::string_view(text).substr(first, at - first))});
  }
  return files;
}

}  // namespace sardonyx::testing
