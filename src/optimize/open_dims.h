// Sizes that inference tries in place of open dimensions.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace sardonyx {

// Sizes that stand for open dimensions, shared with inner graphs.
struct OpenDims {
  std::map<std::string, int64_t> names;
  int64_t count = 0;

  // Of open dimension i; no two are alike, nor are they after a division of both by a model's strides.
  static std::pair<int64_t, int64_t> sizes(int64_t i) { return {64 * (11 + 2 * i), 64 * (1001 + 6 * i)}; }

  std::pair<int64_t, int64_t> make(const std::string& name) {
    int64_t at = count;
    if (!name.empty()) at = names.try_emplace(name, count).first->second;
    if (at == count) count++;
    return sizes(at);
  }
};

}  // namespace sardonyx
