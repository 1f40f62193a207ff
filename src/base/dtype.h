// Element types of tensors, numbered as TensorProto.DataType of the ONNX standard (IR 13).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sardonyx {

enum class DType : uint8_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};
inline constexpr int kDTypeCount = 27;

// Bits of one element as stored; 0 for undefined and string (strings are std::string objects, not raw bytes).
int dtype_bits(DType type) noexcept;

// The JavaScript name of the type: "float32", "int64", "bool", "string", "float8e4m3fn"...
std::string_view dtype_name(DType type) noexcept;

// Is `number` one of the numbers above, undefined excepted?
constexpr bool is_dtype(int number) noexcept { return number > 0 && number < kDTypeCount; }

// A set of element types, for type constraints.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (DType t : types) bits_ |= 1u << static_cast<int>(t);
  }
  constexpr bool has(DType t) const noexcept { return (bits_ >> static_cast<int>(t)) & 1u; }
  constexpr DTypeSet operator|(DTypeSet o) const noexcept { return DTypeSet(bits_ | o.bits_); }
  constexpr DTypeSet operator-(DTypeSet o) const noexcept { return DTypeSet(bits_ & ~o.bits_); }
  // "float32, float16 or int64"
  std::string to_string() const;

 private:
  constexpr explicit DTypeSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

inline constexpr DTypeSet kFloat{DType::float16, DType::float32, DType::float64, DType::bfloat16};
inline constexpr DTypeSet kSignedInt{DType::int8, DType::int16, DType::int32, DType::int64};
inline constexpr DTypeSet kUnsignedInt{DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet kInt = kSignedInt | kUnsignedInt;
inline constexpr DTypeSet kNumeric = kFloat | kInt;
inline constexpr DTypeSet kFloat8{DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz,
                                  DType::float8e8m0};
inline constexpr DTypeSet kSubByte{DType::uint4, DType::int4, DType::float4e2m1, DType::uint2, DType::int2};
inline constexpr DTypeSet kComplex{DType::complex64, DType::complex128};
inline constexpr DTypeSet kBool{DType::boolean};
inline constexpr DTypeSet kIndex{DType::int32, DType::int64};
// Every type of the standard, string and complex included.
inline constexpr DTypeSet kAll = kNumeric | kFloat8 | kSubByte | kComplex | kBool | DTypeSet{DType::string};

}  // namespace sardonyx
