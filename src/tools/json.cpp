// JSON text.
#include "tools/json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"

namespace sardonyx::tools {
namespace {

constexpr int64_t kExact = int64_t{1} << 53;

}  // namespace

void Json::comma() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}

Json& Json::open(char bracket) {
  comma();
  text_ += bracket;
  return *this;
}

Json& Json::close(char bracket) {
  text_ += bracket;
  return *this;
}

Json& Json::key(std::string_view name) {
  string(name);
  text_ += ':';
  return *this;
}

Json& Json::string(std::string_view text) {
  comma();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      text_ += code;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
  return *this;
}

Json& Json::integer(int64_t value) {
  if (value > kExact || value < -kExact) return string(cat(value));
  comma();
  text_ += cat(value);
  return *this;
}

Json& Json::natural(uint64_t value) {
  return value > static_cast<uint64_t>(kExact) ? string(cat(value)) : integer(static_cast<int64_t>(value));
}

Json& Json::number(double value, bool is_float32) {
  if (std::isnan(value)) return string("NaN");
  if (std::isinf(value)) return string(value > 0 ? "Infinity" : "-Infinity");
  comma();
  text_ += number_text(value, is_float32);
  return *this;
}

Json& Json::boolean(bool value) {
  comma();
  text_ += value ? "true" : "false";
  return *this;
}

Json& Json::null() {
  comma();
  text_ += "null";
  return *this;
}

std::string number_text(double value, bool is_float32) {
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    const bool same =
        is_float32 ? std::strtof(text, nullptr) == static_cast<float>(value) : std::strtod(text, nullptr) == value;
    if (same) break;
  }
  return text;
}

}  // namespace sardonyx::tools
