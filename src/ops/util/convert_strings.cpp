// Numbers to strings and back, for Cast.
#include "ops/util/convert_strings.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "ops/util/convert.h"
#include "ops/util/float_blocks.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

// Was the whole string used, but for blanks at the end?
bool at_end(const std::string& text, const char* end) {
  if (end == text.c_str()) return false;
  while (*end == ' ' || *end == '\t' || *end == '\n' || *end == '\r') end++;
  return end == text.c_str() + text.size();
}

[[noreturn]] void no_number(const std::string& text) {
  fail(ErrorCode::runtime_error, cat("the string \"", text.substr(0, 80), "\" is not a number"));
}

double parse_double(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!at_end(text, end)) no_number(text);
  return value;
}

float parse_float(const std::string& text) {
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (!at_end(text, end)) no_number(text);
  return value;
}

int64_t parse_int64(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  return at_end(text, end) ? static_cast<int64_t>(value) : saturate<int64_t>(parse_double(text));
}

uint64_t parse_uint64(const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  return at_end(text, end) ? static_cast<uint64_t>(value) : saturate<uint64_t>(parse_double(text));
}

std::string special(bool nan, bool negative) { return nan ? "NaN" : negative ? "-INF" : "INF"; }

}  // namespace

std::string float_to_string(float value) {
  if (!std::isfinite(value)) return special(std::isnan(value), value < 0);
  char text[32];
  for (int digits = 6; digits <= 9; digits++) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    if (std::strtof(text, nullptr) == value) break;
  }
  return text;
}

std::string double_to_string(double value) {
  if (!std::isfinite(value)) return special(std::isnan(value), value < 0);
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

void parse_numbers(const Tensor& x, Tensor& y) {
  const std::string* text = x.data<std::string>();
  for (int64_t i = 0; i < x.count(); i++) {
    switch (y.dtype()) {
      case DType::float32:
        y.data<float>()[i] = parse_float(text[i]);
        break;
      case DType::float64:
        y.data<double>()[i] = parse_double(text[i]);
        break;
      case DType::uint64:
        y.data<uint64_t>()[i] = parse_uint64(text[i]);
        break;
      default:
        y.data<int64_t>()[i] = parse_int64(text[i]);
    }
  }
}

void print_numbers(const Tensor& x, Tensor& y) {
  std::string* text = y.data<std::string>();
  if (x.dtype() == DType::float64) {
    for (int64_t i = 0; i < x.count(); i++) text[i] = double_to_string(x.data<double>()[i]);
  } else if (x.dtype() == DType::uint64) {
    for (int64_t i = 0; i < x.count(); i++) text[i] = std::to_string(x.data<uint64_t>()[i]);
  } else if ((kInt | kBool | DTypeSet{DType::int4, DType::uint4, DType::int2, DType::uint2}).has(x.dtype())) {
    const Tensor whole = convert(x, DType::int64);
    for (int64_t i = 0; i < x.count(); i++) text[i] = std::to_string(whole.data<int64_t>()[i]);
  } else {
    const Tensor numbers = to_float32(x);
    for (int64_t i = 0; i < x.count(); i++) text[i] = float_to_string(numbers.data<float>()[i]);
  }
}

}  // namespace sardonyx
