// Names and sizes of element types.
#include "base/dtype.h"

namespace sardonyx {
namespace {
struct Info {
  std::string_view name;
  int bits;
};
constexpr Info kInfo[kDTypeCount] = {
    {"undefined", 0},      {"float32", 32},  {"uint8", 8},        {"int8", 8},           {"uint16", 16},
    {"int16", 16},         {"int32", 32},    {"int64", 64},       {"string", 0},         {"bool", 8},
    {"float16", 16},       {"float64", 64},  {"uint32", 32},      {"uint64", 64},        {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},     {"int4", 4},         {"float4e2m1", 4},     {"float8e8m0", 8},
    {"uint2", 2},          {"int2", 2},
};
}  // namespace

int dtype_bits(DType type) noexcept { return kInfo[static_cast<int>(type)].bits; }

std::string_view dtype_name(DType type) noexcept { return kInfo[static_cast<int>(type)].name; }

std::string DTypeSet::to_string() const {
  std::string text;
  int left = __builtin_popcount(bits_);
  for (int i = 1; i < kDTypeCount; i++) {
    if (!has(static_cast<DType>(i))) continue;
    text += kInfo[i].name;
    if (--left > 0) text += left == 1 ? " or " : ", ";
  }
  return text;
}

}  // namespace sardonyx
