// Writes JSON, with commas where they belong.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sardonyx::tools {

class Json {
 public:
  Json& open(char bracket);  // { or [
  Json& close(char bracket);
  Json& key(std::string_view name);
  Json& string(std::string_view text);
  // Integers beyond 2^53 become strings, as do NaN and infinities.
  Json& integer(int64_t value);
  Json& natural(uint64_t value);
  Json& number(double value, bool is_float32 = false);
  Json& boolean(bool value);
  Json& null();
  Json& field(std::string_view name, std::string_view text) { return key(name).string(text); }
  Json& field(std::string_view name, int64_t value) { return key(name).integer(value); }

  std::string take() { return std::move(text_); }

 private:
  void comma();
  std::string text_;
};

// The shortest text that is the same number again; "nan", "inf" and "-inf".
std::string number_text(double value, bool is_float32);

}  // namespace sardonyx::tools
