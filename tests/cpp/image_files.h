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

// One image per line: `  "name": {"file": "base64", ...`.
inline std::vector<ImageFile> image_files() {
  std::ifstream in(SARDONYX_SOURCE_DIR "/tests/js/images/images.json");
  std::vector<ImageFile> files;
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kFile = "\": {\"file\": \"";
    const size_t at = line.find(kFile);
    if (at == std::string::npos) continue;
    const size_t first = at + kFile.size();
    files.push_back(
        {line.substr(3, at - 3), from_base64(std::string_view(line).substr(first, line.find('"', first) - first))});
  }
  return files;
}

}  // namespace sardonyx::testing
