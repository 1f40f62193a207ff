// Element types, small floats (every one of them against a naive model in double), shapes, tensors, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "base/value.h"

namespace sardonyx {
namespace {

// ---- Small floats ---------------------------------------------------------------------------------------------------

// What the bits of a format without special values stand for.
double magnitude(int code, int mantissa_bits, int bias) {
  const int exponent = code >> mantissa_bits, mantissa = code & ((1 << mantissa_bits) - 1);
  if (exponent == 0) return std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

// The nearest of grid[0], grid[1], ... (ascending), ties to the even position; beyond the end the end.
int nearest(const std::vector<double>& grid, double value) {
  const auto above = std::lower_bound(grid.begin(), grid.end(), value);
  if (above == grid.end()) return static_cast<int>(grid.size()) - 1;
  const int hi = static_cast<int>(above - grid.begin());
  if (hi == 0 || *above == value) return hi;
  const double up = grid[static_cast<size_t>(hi)] - value, down = value - grid[static_cast<size_t>(hi - 1)];
  if (up == down) return hi % 2 == 0 ? hi : hi - 1;
  return up < down ? hi : hi - 1;
}

std::vector<double> grid_of(int codes, int mantissa_bits, int bias) {
  std::vector<double> grid;
  for (int code = 0; code < codes; code++) grid.push_back(magnitude(code, mantissa_bits, bias));
  return grid;
}

// Both neighbours of every value and of every middle between two values, and these themselves.
std::vector<float> probes(const std::vector<double>& grid) {
  std::vector<float> list;
  const auto add = [&](double value) {
    const float f = static_cast<float>(value);
    for (float g : {std::nextafterf(f, -INFINITY), f, std::nextafterf(f, INFINITY)}) list.push_back(g);
  };
  for (size_t i = 0; i < grid.size(); i++) {
    add(grid[i]);
    if (i + 1 < grid.size()) add((grid[i] + grid[i + 1]) / 2);
  }
  return list;
}

TEST(Float16, EveryValueToFloat) {
  for (int bits = 0; bits < 0x10000; bits++) {
    const int code = bits & 0x7fff;
    const double sign = bits & 0x8000 ? -1 : 1;
    const float f = float16_to_float(static_cast<uint16_t>(bits));
    if (code > 0x7c00) {
      ASSERT_TRUE(std::isnan(f)) << bits;
    } else {
      ASSERT_EQ(f, code == 0x7c00 ? sign * INFINITY : sign * magnitude(code, 10, 15)) << bits;
      ASSERT_EQ(std::signbit(f), sign < 0) << bits;
      ASSERT_EQ(float_to_float16(f), bits);
    }
  }
}

TEST(Float16, RoundsToNearestEven) {
  // Code 0x7c00, were it a number, is 65536: what rounds to it is infinite.
  const std::vector<double> grid = grid_of(0x7c01, 10, 15);
  for (float f : probes(grid)) {
    const int want = nearest(grid, std::abs(static_cast<double>(f))) | (std::signbit(f) ? 0x8000 : 0);
    ASSERT_EQ(float_to_float16(f), want) << f;
    ASSERT_EQ(float_to_float16(-f), want ^ 0x8000) << f;
  }
  EXPECT_EQ(float_to_float16(INFINITY), 0x7c00);
  EXPECT_EQ(float_to_float16(3e38f), 0x7c00);
  EXPECT_TRUE(std::isnan(float16_to_float(float_to_float16(NAN))));
}

TEST(BFloat16, IsTheUpperHalfRounded) {
  std::vector<double> grid = grid_of(0x7f81, 7, 127);  // the last one stands for infinity
  for (int bits = 0; bits < 0x10000; bits++) {
    const float f = bfloat16_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(f)) {
      ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(f))));
    } else {
      ASSERT_EQ(float_to_bfloat16(f), bits);
      if (!std::isinf(f)) ASSERT_EQ(std::abs(static_cast<double>(f)), grid[static_cast<size_t>(bits & 0x7fff)]);
    }
  }
  for (float f : probes(grid)) {
    if (std::isnan(f)) continue;
    const double m = std::min(std::abs(static_cast<double>(f)), grid.back());
    ASSERT_EQ(float_to_bfloat16(f) & 0x7fff, nearest(grid, m)) << f;
  }
}

struct Float8 {
  Float8Kind kind;
  int mantissa_bits, bias, largest;  // the code of the largest finite value
  int overflow;                      // the code of values beyond it that are not saturated
  int nan;
};
constexpr Float8 kFloat8s[] = {{Float8Kind::e4m3fn, 3, 7, 0x7e, 0x7f, 0x7f},
                               {Float8Kind::e4m3fnuz, 3, 8, 0x7f, 0x80, 0x80},
                               {Float8Kind::e5m2, 2, 15, 0x7b, 0x7c, 0x7f},
                               {Float8Kind::e5m2fnuz, 2, 16, 0x7f, 0x80, 0x80}};

TEST(Float8, EveryValueToFloat) {
  for (const Float8& f : kFloat8s) {
    const bool fnuz = f.nan == 0x80;
    for (int bits = 0; bits < 256; bits++) {
      const int code = bits & 0x7f;
      const float got = float8_to_float(static_cast<uint8_t>(bits), f.kind);
      const double sign = bits & 0x80 ? -1 : 1;
      if (fnuz && bits == 0x80) {
        EXPECT_TRUE(std::isnan(got));
      } else if (code <= f.largest) {
        EXPECT_EQ(got, sign * magnitude(code, f.mantissa_bits, f.bias)) << bits;
        EXPECT_EQ(float_to_float8(got, f.kind, false), bits);
        EXPECT_EQ(float_to_float8(got, f.kind, true), bits);
      } else if (f.kind == Float8Kind::e5m2 && code == 0x7c) {
        EXPECT_EQ(got, sign * INFINITY);
      } else {
        EXPECT_TRUE(std::isnan(got)) << bits;
      }
    }
  }
}

TEST(Float8, RoundsAndSaturates) {
  for (const Float8& f : kFloat8s) {
    const bool fnuz = f.nan == 0x80;
    // One code more than there are: what rounds to it overflows.
    const std::vector<double> grid = grid_of(f.largest + 2, f.mantissa_bits, f.bias);
    std::vector<float> list = probes(grid);
    for (float big : {1e6f, 3e38f, 1e-30f, INFINITY}) list.push_back(big);
    for (float value : list) {
      const float positive = std::abs(value);
      for (float v : {positive, -positive}) {
        const int sign = std::signbit(v) ? 0x80 : 0;
        const int code = nearest(grid, positive);
        const bool over = code > f.largest;
        const int finite = code == 0 && fnuz ? 0 : code | sign;
        const int beyond = fnuz ? f.overflow : f.overflow | sign;
        EXPECT_EQ(float_to_float8(v, f.kind, false), over ? beyond : finite) << v;
        EXPECT_EQ(float_to_float8(v, f.kind, true), over ? f.largest | sign : finite) << v;
      }
    }
    EXPECT_EQ(float_to_float8(NAN, f.kind, true) & (fnuz ? 0xff : 0x7f), f.nan);
  }
}

TEST(Float8, E8M0IsPowersOfTwo) {
  for (int code = 0; code < 255; code++) {
    const float f = float8_to_float(static_cast<uint8_t>(code), Float8Kind::e8m0);
    EXPECT_EQ(static_cast<double>(f), std::ldexp(1.0, code - 127));
    EXPECT_EQ(float_to_float8(f, Float8Kind::e8m0, true), code);
  }
  EXPECT_TRUE(std::isnan(float8_to_float(255, Float8Kind::e8m0)));
  EXPECT_EQ(float_to_float8(NAN, Float8Kind::e8m0, true), 255);
}

TEST(Float4, EveryValueAndEveryMiddle) {
  const std::vector<double> grid = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int bits = 0; bits < 16; bits++) {
    const double want = (bits & 8 ? -1 : 1) * grid[static_cast<size_t>(bits & 7)];
    EXPECT_EQ(float4_to_float(static_cast<uint8_t>(bits)), want);
    EXPECT_EQ(float_to_float4(static_cast<float>(want)), bits);
  }
  for (float f : probes(grid)) EXPECT_EQ(float_to_float4(f) & 7, nearest(grid, std::abs(f))) << f;
  EXPECT_EQ(float_to_float4(1e9f), 7);
  EXPECT_EQ(float_to_float4(-INFINITY), 15);
}

// ---- Types and shapes -----------------------------------------------------------------------------------------------

TEST(DType, BitsNamesAndSets) {
  EXPECT_EQ(dtype_bits(DType::float32), 32);
  EXPECT_EQ(dtype_bits(DType::complex128), 128);
  EXPECT_EQ(dtype_bits(DType::int4), 4);
  EXPECT_EQ(dtype_bits(DType::int2), 2);
  EXPECT_EQ(dtype_bits(DType::string), 0);
  EXPECT_EQ(dtype_name(DType::boolean), "bool");
  EXPECT_FALSE(is_dtype(0));
  EXPECT_TRUE(is_dtype(26));
  EXPECT_FALSE(is_dtype(27));
  EXPECT_FALSE(is_dtype(-1));
  EXPECT_EQ((DTypeSet{DType::float32, DType::int64, DType::float16}).to_string(), "float32, int64 or float16");
  for (int i = 1; i < kDTypeCount; i++) EXPECT_TRUE(kAll.has(static_cast<DType>(i))) << i;
}

TEST(DType, PackedBytes) {
  EXPECT_EQ(dtype_bytes(DType::int4, 3), 2u);
  EXPECT_EQ(dtype_bytes(DType::uint2, 5), 2u);
  EXPECT_EQ(dtype_bytes(DType::float64, 3), 24u);
  EXPECT_THROW(dtype_bytes(DType::complex128, int64_t{1} << 60), Error);
}

TEST(Shape, CountsStridesAndLimits) {
  const Shape s{2, 3, 4};
  EXPECT_EQ(s.count(), 24);
  EXPECT_EQ(s.count(1, 2), 3);
  EXPECT_EQ(s.strides()[0], 12);
  EXPECT_EQ(s.strides()[2], 1);
  EXPECT_EQ(s.to_string(), "2x3x4");
  EXPECT_EQ(Shape{}.count(), 1);
  EXPECT_EQ(Shape{}.to_string(), "scalar");
  EXPECT_EQ((Shape{0, 5}).count(), 0);
  EXPECT_EQ((Shape{Shape::kMaxDim, Shape::kMaxDim, 0}).count(), 0);
  (void)(Shape{Shape::kMaxDim, Shape::kMaxDim, 0}).strides();  // no overflow that the sanitizer would see
  EXPECT_THROW((Shape{Shape::kMaxDim + 1, 0}), Error);
  EXPECT_THROW((Shape{0}).push_back(INT64_MAX), Error);
  Shape written{0, 1};
  written[1] = Shape::kMaxDim;
  EXPECT_NO_THROW(written.require_valid());
  written[1]++;
  EXPECT_THROW(written.require_valid(), Error);
  EXPECT_THROW((void)(Shape{int64_t{1} << 40, int64_t{1} << 40}).count(), Error);
  EXPECT_THROW((Shape{2, -1}), Error);
  EXPECT_THROW(Shape::filled(Shape::kMaxRank + 1, 1), Error);
  EXPECT_NO_THROW(Shape::filled(Shape::kMaxRank, 1));
}

TEST(Shape, InsertAndErase) {
  Shape s{2, 4};
  s.insert(1, 3);
  s.insert(0, 1);
  s.push_back(5);
  EXPECT_EQ(s, (Shape{1, 2, 3, 4, 5}));
  s.erase(0);
  s.erase(3);
  EXPECT_EQ(s, (Shape{2, 3, 4}));
}

TEST(Shape, BroadcastAndAxes) {
  EXPECT_EQ(broadcast({3, 1}, {2, 1, 4}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast({}, {0, 2}), (Shape{0, 2}));
  EXPECT_EQ(broadcast({1}, {0}), (Shape{0}));
  EXPECT_THROW(broadcast({2}, {3}), Error);
  EXPECT_THROW(broadcast({0}, {2}), Error);
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(0, 3), 0);
  EXPECT_THROW(normalize_axis(3, 3), Error);
  EXPECT_THROW(normalize_axis(-4, 3), Error);
  EXPECT_THROW(normalize_axis(INT64_MIN, 3), Error);
}

// ---- Tensors and values ---------------------------------------------------------------------------------------------

TEST(Tensor, MemoryIsAlignedAndSharedByViews) {
  Tensor t = Tensor::allocate(DType::float32, {2, 3});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.bytes()) % Buffer::kAlign, 0u);
  for (int i = 0; i < 6; i++) t.data<float>()[i] = static_cast<float>(i);
  const Tensor view = t.reshaped({6});
  const Tensor copy = t.clone();
  t.data<float>()[5] = 50;
  EXPECT_EQ(view.data<float>()[5], 50);
  EXPECT_EQ(copy.data<float>()[5], 5);
  EXPECT_THROW((void)t.reshaped({5}), Error);
  EXPECT_EQ(t.describe(), "float32(2x3)");
  EXPECT_EQ(t.byte_size(), 24u);
  EXPECT_EQ(Tensor::allocate(DType::uint4, {3}).byte_size(), 2u);
  t.buffer()->is_arena = true;
  EXPECT_NE(t.owned().bytes(), t.bytes());
  EXPECT_EQ(copy.owned().bytes(), copy.bytes());
}

TEST(Tensor, SlackMayBeReadAtBothEnds) {
  for (int64_t n : {0, 1, 63, 64, 65, 1000}) {
    const Tensor t = Tensor::allocate(DType::uint8, {n});
    volatile uint8_t sum = 0;  // the address sanitizer watches
    for (int64_t i = -static_cast<int64_t>(Buffer::kSlack); i < n + static_cast<int64_t>(Buffer::kSlack); i++) {
      sum = static_cast<uint8_t>(sum + t.data<uint8_t>()[i]);
    }
  }
}

TEST(Tensor, StringsAndIntegers) {
  Tensor s = Tensor::allocate(DType::string, {2});
  s.data<std::string>()[1] = "text";
  const Tensor copy = s.clone();
  s.data<std::string>()[1] = "other";
  EXPECT_EQ(copy.data<std::string>()[1], "text");
  EXPECT_EQ(copy.data<std::string>()[0], "");
  const Tensor l = Tensor::of(std::vector<int64_t>{-1, 5});
  EXPECT_EQ(l.to_int64(), (std::vector<int64_t>{-1, 5}));
  EXPECT_EQ(Tensor::scalar(int32_t{7}).to_int64(), (std::vector<int64_t>{7}));
  EXPECT_THROW((void)s.to_int64(), Error);
}

TEST(Value, KnowsWhatItIs) {
  EXPECT_TRUE(Value().is_none());
  const Value t = Tensor::scalar(1.0f);
  EXPECT_EQ(t.describe(), "float32(scalar)");
  Sequence items;
  items.items = {t, t};
  const Value s = items;
  EXPECT_EQ(s.describe(), "sequence of 2");
  EXPECT_THROW((void)s.tensor(), Error);
  EXPECT_THROW((void)t.sequence(), Error);
  EXPECT_THROW((void)t.map(), Error);
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

TEST(Errors, SayWhere) {
  Error e(ErrorCode::invalid_model, cat("axis ", 5, " is out of range for rank ", size_t{3}));
  EXPECT_EQ(e.message(), "axis 5 is out of range for rank 3");
  e.op_type = "Softmax";
  e.node = "attn/probs";
  e.values = "float32(1x12x64)";
  EXPECT_EQ(e.message(), "Softmax \"attn/probs\": axis 5 is out of range for rank 3 [float32(1x12x64)]");
  EXPECT_EQ(error_code_name(e.code), "invalid_model");
  EXPECT_EQ(cat('a', -1, uint8_t{200}, 0.5, DType::int8, Shape{1, 2}), "a-12000.5int81x2");
  EXPECT_NO_THROW(check(true, ErrorCode::runtime_error, "no"));
  EXPECT_THROW(check(false, ErrorCode::runtime_error, "yes"), Error);
}

TEST(Errors, HugeTensorsAreAnError) {
  try {
    Tensor::allocate(DType::float64, {int64_t{1} << 61});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, ErrorCode::out_of_memory);
  }
}

}  // namespace
}  // namespace sardonyx
