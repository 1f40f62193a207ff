// Cast, CastLike and BitCast: all pairs of types, rounding, wrapping, strings.
#include <cmath>
#include <limits>

#include "base/half.h"
#include "tests/cpp/op_runner.h"

namespace sardonyx::testing {
namespace {

Tensor cast(const Tensor& x, DType to, int opset = 25, bool saturate = true, const char* round_mode = "up") {
  Attributes a;
  a.add("to", static_cast<int64_t>(to));
  if (opset >= 19) a.add("saturate", int64_t{saturate});
  if (opset >= 24) a.add("round_mode", std::string(round_mode));
  const Tensor y = run_op("Cast", opset, a, {x})[0].tensor();
  EXPECT_EQ(y.dtype(), to);
  return y;
}

template <class T>
std::vector<T> values(const Tensor& t) {
  return {t.data<T>(), t.data<T>() + t.count()};
}

constexpr DType kTypes[] = {DType::float32,    DType::uint8,          DType::int8,         DType::uint16,
                            DType::int16,      DType::int32,          DType::int64,        DType::string,
                            DType::boolean,    DType::float16,        DType::float64,      DType::uint32,
                            DType::uint64,     DType::bfloat16,       DType::float8e4m3fn, DType::float8e4m3fnuz,
                            DType::float8e5m2, DType::float8e5m2fnuz, DType::uint4,        DType::int4,
                            DType::float4e2m1, DType::float8e8m0,     DType::uint2,        DType::int2};

// 0 and 1 are in every type but float8e8m0, which has no 0. The counts do not fill the last byte of packed types.
TEST(Cast, EveryPairOfTypesKeepsZeroAndOne) {
  for (int64_t count : {0, 1, 7, 1027}) {
    for (DType from : kTypes) {
      for (DType to : kTypes) {
        const bool zeros = from != DType::float8e8m0 && to != DType::float8e8m0;
        Tensor x = Tensor::allocate(DType::int64, {count});
        for (int64_t i = 0; i < count; i++) x.data<int64_t>()[i] = zeros && i % 3 == 1 ? 0 : 1;
        const Tensor back = cast(cast(cast(x, from), to), DType::int64);
        ASSERT_EQ(values<int64_t>(back), values<int64_t>(x)) << dtype_name(from) << " to " << dtype_name(to);
      }
    }
  }
}

TEST(Cast, IntegersWrap) {
  EXPECT_EQ(values<int8_t>(cast(tensor<int16_t>({2}, {200, -129}), DType::int8)), (std::vector<int8_t>{-56, 127}));
  EXPECT_EQ(values<uint64_t>(cast(tensor<int32_t>({1}, {-1}), DType::uint64))[0], ~uint64_t{0});
  EXPECT_EQ(values<int32_t>(cast(tensor<uint64_t>({1}, {0x1'8000'0000}), DType::int32))[0],
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(values<int64_t>(cast(cast(tensor<int32_t>({4}, {7, 8, -9, 16}), DType::int4), DType::int64)),
            (std::vector<int64_t>{7, -8, 7, 0}));
  EXPECT_EQ(values<int64_t>(cast(cast(tensor<int32_t>({3}, {3, 2, -3}), DType::int2), DType::int64)),
            (std::vector<int64_t>{-1, -2, 1}));
}

TEST(Cast, LargeIntegersAreExactUntilTheLastRounding) {
  EXPECT_EQ(values<double>(cast(tensor<uint64_t>({1}, {uint64_t{1} << 63}), DType::float64))[0], 0x1p63);
  EXPECT_EQ(values<float>(cast(tensor<int64_t>({1}, {(int64_t{1} << 60) + 1}), DType::float32))[0], 0x1p60f);
  EXPECT_EQ(values<int64_t>(cast(tensor<int64_t>({1}, {(int64_t{1} << 60) + 1}), DType::int64))[0],
            (int64_t{1} << 60) + 1);
}

TEST(Cast, FloatsToIntegersTruncateAndNeverTrap) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensor<float>({7}, {1.9f, -1.9f, 3e9f, -3e9f, inf, -inf, std::nanf("")});
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min(), kHigh = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(values<int32_t>(cast(x, DType::int32)), (std::vector<int32_t>{1, -1, kHigh, kLow, kHigh, kLow, 0}));
  EXPECT_EQ(values<uint8_t>(cast(tensor<float>({3}, {-1, 256.5f, 255}), DType::uint8)),
            (std::vector<uint8_t>{255, 0, 255}));
  EXPECT_EQ(values<uint64_t>(cast(tensor<double>({2}, {1e19, 1e30}), DType::uint64)),
            (std::vector<uint64_t>{10000000000000000000u, std::numeric_limits<uint64_t>::max()}));
  EXPECT_EQ(values<uint8_t>(cast(x, DType::boolean)), (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(values<uint8_t>(cast(tensor<float>({2}, {-0.0f, 0.1f}), DType::boolean)), (std::vector<uint8_t>{0, 1}));
}

TEST(Cast, DoubleToFloat16RoundsOnce) {
  // Just above the middle of two float16 values: through float32 it would become the middle and fall to the even one.
  const Tensor x = tensor<double>({3}, {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1e300});
  const Tensor y = cast(x, DType::float16);
  EXPECT_EQ(float{y.data<Float16>()[0]}, 1 + 0x1p-10f);
  EXPECT_EQ(float{y.data<Float16>()[1]}, 1.0f);
  EXPECT_TRUE(std::isinf(float{y.data<Float16>()[2]}));
}

TEST(Cast, Float8SaturatesWhereAsked) {
  const Tensor x = tensor<float>({2}, {1e6f, -1e6f});
  EXPECT_EQ(values<float>(cast(cast(x, DType::float8e5m2), DType::float32)), (std::vector<float>{57344, -57344}));
  const auto raw = values<float>(cast(cast(x, DType::float8e5m2, 25, false), DType::float32));
  EXPECT_TRUE(std::isinf(raw[0]) && std::isinf(raw[1]) && raw[1] < 0);
}

TEST(Cast, E8M0RoundsByMode) {
  const Tensor x = tensor<float>({5}, {1.1f, 1.5f, 1.4f, 2.0f, 0x1.8p127f});
  const auto as_floats = [&](const char* mode, bool saturate) {
    return values<float>(cast(cast(x, DType::float8e8m0, 24, saturate, mode), DType::float32));
  };
  EXPECT_EQ(as_floats("up", true), (std::vector<float>{2, 2, 2, 2, 0x1p127f}));
  EXPECT_EQ(as_floats("down", true), (std::vector<float>{1, 1, 1, 2, 0x1p127f}));
  EXPECT_EQ(as_floats("nearest", true), (std::vector<float>{1, 2, 1, 2, 0x1p127f}));
  EXPECT_TRUE(std::isnan(as_floats("nearest", false)[4]));
  const Tensor zero = tensor<float>({1}, {0});
  EXPECT_EQ(cast(zero, DType::float8e8m0, 24, true).data<uint8_t>()[0], 0);
  EXPECT_EQ(cast(zero, DType::float8e8m0, 24, false, "nearest").data<uint8_t>()[0], 0xff);
}

TEST(Cast, Strings) {
  const Tensor s = tensor<std::string>({6}, {"3.14", "1e-5", "+INF", "-inf", "NaN", "100"});
  const auto f = values<float>(cast(s, DType::float32));
  EXPECT_EQ(f[0], 3.14f);
  EXPECT_EQ(f[1], 1e-5f);
  EXPECT_TRUE(std::isinf(f[2]) && std::isinf(f[3]) && f[3] < 0 && std::isnan(f[4]));
  EXPECT_EQ(values<int32_t>(cast(tensor<std::string>({3}, {"100.5", "-7", "1e3"}), DType::int32)),
            (std::vector<int32_t>{100, -7, 1000}));
  EXPECT_EQ(values<int64_t>(cast(tensor<std::string>({1}, {"9223372036854775807"}), DType::int64))[0],
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(values<uint64_t>(cast(tensor<std::string>({1}, {"18446744073709551615"}), DType::uint64))[0], ~uint64_t{0});
  EXPECT_EQ(values<std::string>(cast(tensor<float>({5}, {0.47892547f, 314.15926f, 1, -0.5f, 0.1f}), DType::string)),
            (std::vector<std::string>{"0.47892547", "314.15927", "1", "-0.5", "0.1"}));
  EXPECT_EQ(values<std::string>(cast(tensor<double>({2}, {0.1, 1.0 / 3}), DType::string)),
            (std::vector<std::string>{"0.1", "0.3333333333333333"}));
  EXPECT_EQ(values<std::string>(cast(tensor<int64_t>({1}, {-5}), DType::string))[0], "-5");
  for (const char* bad : {"abc", "", "1.5x"}) {
    try {
      cast(tensor<std::string>({1}, {bad}), DType::float32);
      ADD_FAILURE() << bad;
    } catch (const Error& e) {
      EXPECT_EQ(e.code, ErrorCode::runtime_error);
      EXPECT_EQ(e.reason, cat("the string \"", bad, "\" is not a number"));
    }
  }
}

TEST(Cast, NamesAndNumbersOfTypes) {
  Attributes named;
  named.add("to", std::string("INT32"));
  EXPECT_EQ(values<int32_t>(run_op("Cast", 1, named, {tensor<float>({1}, {2.5f})})[0].tensor())[0], 2);
  Attributes unknown;
  unknown.add("to", int64_t{99});
  EXPECT_THROW(run_op("Cast", 13, unknown, {tensor<float>({1}, {1})}), Error);
  Attributes complex;
  complex.add("to", static_cast<int64_t>(DType::complex64));
  EXPECT_THROW(run_op("Cast", 13, complex, {tensor<float>({1}, {1})}), Error);
  const Tensor like =
      run_op("CastLike", 15, {}, {tensor<float>({2}, {1.5f, 2}), tensor<int64_t>({1}, {0})})[0].tensor();
  EXPECT_EQ(values<int64_t>(like), (std::vector<int64_t>{1, 2}));
}

TEST(BitCast, KeepsTheBits) {
  Attributes a;
  a.add("to", static_cast<int64_t>(DType::uint32));
  EXPECT_EQ(values<uint32_t>(run_op("BitCast", 26, a, {tensor<float>({2}, {1, -0.0f})})[0].tensor()),
            (std::vector<uint32_t>{0x3f800000, 0x80000000}));
  EXPECT_THROW(run_op("BitCast", 26, a, {tensor<double>({1}, {1})}), Error);
}

}  // namespace
}  // namespace sardonyx::testing
