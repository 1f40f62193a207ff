// Truncation of float32 to int32 at every length and at the ends of the range.
#include "kernels/elementwise/truncate_f32.h"

#include "tests/kernels/support.h"

namespace sardonyx::kernels::test {
namespace {

TEST(Truncate, EveryLength) {
  for (size_t n : {0, 1, 3, 4, 5, 8, 13}) {
    Guarded<float> x = random_floats(n, n, -1e6f, 1e6f);
    Guarded<int32_t> y(n);
    truncate_i32_f32(x, y.poison(), n);
    for (size_t i = 0; i < n; i++) EXPECT_EQ(y.data()[i], static_cast<int32_t>(x.data()[i]));
    EXPECT_TRUE(y.intact());
  }
}

TEST(Truncate, EndsOfTheRange) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min(), kHigh = std::numeric_limits<int32_t>::max();
  Guarded<float> x{2147483648.0f, -2147483648.0f, -3e9f, kInf, -kInf, std::nanf(""), -0.9f, 2147483520.0f};
  const int32_t wanted[] = {kHigh, kLow, kLow, kHigh, kLow, 0, 0, 2147483520};
  Guarded<int32_t> y(8);
  truncate_i32_f32(x, y.poison(), 8);
  for (size_t i = 0; i < 8; i++) EXPECT_EQ(y.data()[i], wanted[i]) << i;
}

}  // namespace
}  // namespace sardonyx::kernels::test
