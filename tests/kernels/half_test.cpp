// All 65536 half floats one way, every rounding boundary the other way.
#include "kernels/half/half.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

// The value of a 16-bit float with the given number of exponent bits, by its definition.
double value_of(uint16_t bits, int exponent_bits) {
  int mantissa_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  int e = (bits & 0x7fff) >> mantissa_bits, m = bits & ((1 << mantissa_bits) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (e == (1 << exponent_bits) - 1) return m ? NAN : sign * INFINITY;
  if (e == 0) return sign * std::ldexp(m, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1 << mantissa_bits) + m, e - bias - mantissa_bits);
}

using Widen = void (*)(const uint16_t*, float*, size_t) noexcept;
using Narrow = void (*)(const float*, uint16_t*, size_t) noexcept;

void check(Widen widen, Narrow narrow, int exponent_bits) {
  Guarded<uint16_t> all(65536), back(65536);
  Guarded<float> y(65536);
  for (size_t i = 0; i < 65536; i++) all[i] = static_cast<uint16_t>(i);
  widen(all, y.poison(), 65536);
  narrow(y, back.poison(), 65536);
  EXPECT_TRUE(y.intact() && back.intact());
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << (15 - exponent_bits));
  for (size_t i = 0; i < 65536; i++) {
    double v = value_of(all[i], exponent_bits);
    if (std::isnan(v)) {
      ASSERT_TRUE(std::isnan(y[i])) << i;
      ASSERT_GT(back[i] & 0x7fff, infinity) << i;
      ASSERT_EQ(back[i] & 0x8000, all[i] & 0x8000) << i;
    } else {
      ASSERT_EQ(static_cast<double>(y[i]), v) << i;
      ASSERT_EQ(std::signbit(y[i]), std::signbit(v)) << i;
      ASSERT_EQ(back[i], all[i]) << i;
    }
  }
  // Halfway between neighbours, and one float on either side of it.
  std::vector<float> inputs;
  std::vector<uint16_t> expected;
  for (uint16_t h = 0; h < infinity; h++) {
    double lo = value_of(h, exponent_bits),
           hi = h + 1 == infinity ? 2 * lo - value_of(h - 1, exponent_bits) : value_of(h + 1, exponent_bits);
    auto middle = static_cast<float>((lo + hi) / 2);
    uint16_t even = h & 1 ? h + 1 : h, up = h + 1;
    for (float sign : {1.0f, -1.0f}) {
      uint16_t s = sign < 0 ? 0x8000 : 0;
      inputs.insert(inputs.end(),
                    {sign * middle, sign * std::nextafter(middle, 0.0f), sign * std::nextafter(middle, INFINITY)});
      expected.insert(expected.end(),
                      {static_cast<uint16_t>(even | s), static_cast<uint16_t>(h | s), static_cast<uint16_t>(up | s)});
    }
  }
  const float max = std::numeric_limits<float>::max();
  inputs.insert(inputs.end(), {INFINITY, -INFINITY, max, -max, 0.0f, -0.0f});
  for (uint16_t e : {infinity, static_cast<uint16_t>(infinity | 0x8000), infinity,
                     static_cast<uint16_t>(infinity | 0x8000), uint16_t{0}, uint16_t{0x8000}})
    expected.push_back(e);
  Guarded<float> x(inputs);
  Guarded<uint16_t> z(inputs.size());
  narrow(x, z.poison(), x.size());
  for (size_t i = 0; i < x.size(); i++) ASSERT_EQ(z[i], expected[i]) << std::hexfloat << x[i];
}

TEST(Half, Float16) { check(f16_to_f32, f32_to_f16, 5); }
TEST(Half, Bfloat16) { check(bf16_to_f32, f32_to_bf16, 8); }

TEST(Half, NanWithALowPayloadStaysNan) {
  const uint32_t bits[2] = {0x7f800001, 0xff800001};
  Guarded<float> x(2);
  std::memcpy(x.data(), bits, sizeof bits);
  Guarded<uint16_t> y(2);
  f32_to_f16(x, y, 2);
  EXPECT_EQ(y[0], 0x7e00);
  EXPECT_EQ(y[1], 0xfe00);
  f32_to_bf16(x, y, 2);
  EXPECT_EQ(y[0], 0x7fc0);
  EXPECT_EQ(y[1], 0xffc0);
}

TEST(Half, Tails) {
  for (size_t n = 0; n <= 9; n++) {
    Guarded<float> x = random_floats(n, n), z(n);
    Guarded<uint16_t> y(n);
    f32_to_f16(x, y.poison(), n);
    f16_to_f32(y, z.poison(), n);
    EXPECT_TRUE(y.intact() && z.intact());
    EXPECT_TRUE(close(z, x, n, 1e-3, 0));
  }
}

}  // namespace
}  // namespace sardonyx::kernels
