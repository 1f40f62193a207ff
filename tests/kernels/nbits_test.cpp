// Products with weights of few bits against the weights unpacked one by one.
#include "kernels/quant/nbits.h"

#include <cmath>
#include <limits>

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

struct Weights {
  Guarded<uint8_t> data, zeros;
  Guarded<float> scales, float_zeros;
  NBits w{};

  // zeros: 0 none, 1 packed, 2 floats
  Weights(size_t bits, size_t block, size_t k, size_t n, int form)
      : data(n * ((k + block - 1) / block) * (block * bits / 8)),
        zeros(n * (((k + block - 1) / block * bits + 7) / 8)),
        scales(n * ((k + block - 1) / block)),
        float_zeros(n * ((k + block - 1) / block)) {
    Random random(bits + k);
    for (uint8_t& v : data) v = static_cast<uint8_t>(random.integer(0, 255));
    for (uint8_t& v : zeros) v = static_cast<uint8_t>(random.integer(0, 255));
    for (float& v : scales) v = static_cast<float>(random.integer(1, 100)) / 64;
    for (float& v : float_zeros) v = static_cast<float>(random.integer(0, 60)) / 4;
    w.form = FormX8::pairs;
    w.bits = bits, w.block = block, w.k = k;
    w.data = data.data(), w.scales = scales.data();
    w.zeros = form == 1 ? zeros.data() : nullptr;
    w.float_zeros = form == 2 ? float_zeros.data() : nullptr;
  }

  double value(size_t row, size_t i) const {
    const size_t b = i / w.block, mask = (size_t{1} << w.bits) - 1, bit = i * w.bits, zero_bit = b * w.bits;
    const double v = static_cast<double>(w.data[row * w.row_bytes() + bit / 8] >> bit % 8 & mask);
    double zero = static_cast<double>(1u << (w.bits - 1));
    if (w.zeros) zero = static_cast<double>(w.zeros[row * w.zero_bytes() + zero_bit / 8] >> zero_bit % 8 & mask);
    if (w.float_zeros) zero = static_cast<double>(w.float_zeros[row * w.blocks() + b]);
    return (v - zero) * static_cast<double>(w.scales[row * w.blocks() + b]);
  }
};

TEST(NBits, Unpacks) {
  for (size_t bits : {2, 4, 8})
    for (size_t block : {16, 32, 64})
      for (size_t k : {1, 15, 16, 37, 64, 129})
        for (int form = 0; form < 3; form++) {
          Weights t(bits, block, k, 3, form);
          Guarded<float> y(2 * k);
          nbits_unpack_f32(t.w, 1, 3, y.poison());
          EXPECT_TRUE(y.intact());
          for (size_t i = 0; i < 2 * k; i++) ASSERT_EQ(y[i], static_cast<float>(t.value(1 + i / k, i % k)));
        }
}

TEST(NBits, RowTimesFourBits) {
  for (size_t block : {32, 64, 128})
    for (size_t k : {1, 31, 32, 65, 256})
      for (int form = 0; form < 3; form++) {
        const size_t n = 5;
        Weights t(4, block, k, n, form);
        ASSERT_TRUE(nbits_has_gemv(t.w));
        Guarded<float> x(k), bias(n), y(n);
        Random random(k);
        for (float& v : x) v = static_cast<float>(random.integer(-1000, 1000)) / 512;
        x[k / 2] = k % 2 == 0 ? -2.0f : 2.0f;
        for (float& v : bias) v = static_cast<float>(random.integer(-8, 8));
        Guarded<int32_t> prepared(nbits_row_size(t.w));
        for (FormX8 digits : {FormX8::pairs, FormX8::seven_bit_quads, FormX8::short_quads}) {
          if (!is_exact_x8(digits)) continue;
          t.w.form = digits;
          nbits_prepare_row(t.w, x, prepared.poison());
          nbits_gemv_f32(t.w, 0, n, prepared, bias, y.poison());
          EXPECT_TRUE(y.intact() && prepared.intact());
          for (size_t r = 0; r < n; r++) {
            double sum = static_cast<double>(bias[r]), size = 1;
            for (size_t i = 0; i < k; i++) {
              const double product = static_cast<double>(x[i]) * t.value(r, i);
              sum += product;
              size += std::fabs(product);
            }
            ASSERT_NEAR(y[r], sum, size * 1e-6) << "block " << block << " k " << k << " form " << form;
          }
        }
      }
}

TEST(NBits, WhatIsNotFinite) {
  Weights t(4, 32, 32, 1, 0);
  Guarded<int32_t> prepared(nbits_row_size(t.w));
  Guarded<float> x(32), y(1);
  for (float v : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::fill(x.begin(), x.end(), 1.0f);
    x[7] = v;
    nbits_prepare_row(t.w, x, prepared);
    nbits_gemv_f32(t.w, 0, 1, prepared, nullptr, y);
    EXPECT_TRUE(std::isnan(y[0]));
  }
  std::fill(x.begin(), x.end(), 0.0f);
  nbits_prepare_row(t.w, x, prepared);
  nbits_gemv_f32(t.w, 0, 1, prepared, nullptr, y);
  EXPECT_EQ(y[0], 0);
}

TEST(NBits, IndicesIntoATable) {
  float table[16];
  for (size_t i = 0; i < 16; i++) table[i] = static_cast<float>(i * i) - 20.5f;
  Random random(5);
  for (size_t block : {16, 32, 64})
    for (size_t first : {0, 1, 7, 32, 50})
      for (size_t n : {1, 15, 16, 17, 33, 100}) {
        const size_t all = first + n;
        Guarded<uint8_t> data((all + 1) / 2);
        Guarded<float> largest((all + block - 1) / block), y(n);
        for (uint8_t& v : data) v = static_cast<uint8_t>(random.integer(0, 255));
        for (float& v : largest) v = static_cast<float>(random.integer(1, 100)) / 64;
        table4_unpack_f32({data, largest, block, table}, first, all, y);
        for (size_t i = first; i < all; i++) {
          const size_t index = i % 2 == 0 ? data[i / 2] / 16 : data[i / 2] % 16;
          ASSERT_EQ(y[i - first], table[index] * largest[i / block]) << block << " from " << first << " to " << all;
        }
      }
}

}  // namespace
}  // namespace sardonyx::kernels
