// Pools against window loops with bounds checks.
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_window.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

struct Axis {
  size_t in, kernel, stride, dilation;
  ptrdiff_t pad, pad_end;
  bool ceil;
};

Window window_of(std::vector<Axis> axes) {
  Window s;
  size_t at = 3 - axes.size();
  for (const Axis& a : axes) {
    s.in[at] = a.in, s.kernel[at] = a.kernel, s.stride[at] = a.stride, s.dilation[at] = a.dilation;
    s.pad[at] = a.pad, s.pad_end[at] = a.pad_end;
    ptrdiff_t room =
        static_cast<ptrdiff_t>(a.in) + a.pad + a.pad_end - static_cast<ptrdiff_t>((a.kernel - 1) * a.dilation + 1);
    ptrdiff_t stride = static_cast<ptrdiff_t>(a.stride);
    s.out[at++] = static_cast<size_t>((room + (a.ceil ? stride - 1 : 0)) / stride + 1);
  }
  return s;
}

// f(offset or -1 for padding, beyond): every tap of every output; beyond: outside the padded input as well.
template <class F>
void for_taps(const Window& s, size_t out, F f) {
  size_t o[3] = {out / s.out[2] / s.out[1], out / s.out[2] % s.out[1], out % s.out[2]};
  for (size_t t = 0; t < s.taps(); t++) {
    size_t k[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
    ptrdiff_t at = 0;
    bool inside = true, beyond = false;
    for (int i = 0; i < 3; i++) {
      ptrdiff_t p = static_cast<ptrdiff_t>(o[i] * s.stride[i] + k[i] * s.dilation[i]) - s.pad[i];
      auto in = static_cast<ptrdiff_t>(s.in[i]);
      inside &= p >= 0 && p < in;
      beyond |= p >= in + s.pad_end[i];
      at = at * in + p;
    }
    f(inside ? at : -1, beyond);
  }
}

std::vector<Window> windows() {
  std::vector<Window> list = {
      window_of({{9, 3, 1, 1, 1, 1, false}}),
      window_of({{10, 3, 2, 1, 1, 1, true}, {11, 2, 2, 1, 0, 0, false}}),
      window_of({{9, 3, 1, 2, 2, 1, false}, {17, 3, 1, 2, 1, 2, false}}),
      window_of({{6, 2, 2, 1, 0, 0, false}, {20, 5, 3, 1, 2, 2, true}}),
      window_of({{5, 2, 1, 1, 0, 1, false}, {6, 3, 2, 1, 1, 0, true}, {9, 3, 2, 1, 1, 1, false}}),
      window_of({{4, 4, 1, 1, 3, 3, false}, {3, 3, 1, 1, 2, 2, false}}),
      window_of({{7, 7, 1, 1, 0, 0, false}, {7, 7, 1, 1, 0, 0, false}}),
      window_of({{7, 5, 1, 1, 2, 2, false}, {13, 5, 1, 1, 2, 2, false}}),
      window_of({{8, 2, 2, 1, -1, 0, false}, {9, 2, 1, 1, -2, -1, false}}),
      window_of({{1, 1, 1, 1, 0, 0, false}, {1, 1, 1, 1, 0, 0, false}}),
      window_of({{3, 3, 1, 1, 1, 1, false}, {1301, 3, 1, 1, 1, 1, false}}),
      window_of({{3, 3, 2, 1, 1, 1, false}, {1303, 3, 2, 1, 1, 0, true}}),
      window_of({{2, 2, 1, 1, 0, 0, false}, {700, 9, 7, 13, 40, 50, false}}),
      window_of({{2, 1, 1, 1, 0, 0, false}, {900, 300, 5, 1, 100, 0, false}}),
      window_of({{2, 1, 1, 1, 0, 0, false}, {900, 2, 100, 1, 0, 0, false}}),
  };
  for (size_t w = 2; w <= 21; w++)
    for (size_t stride : {1, 2, 3})
      for (size_t k : {2, 3})
        for (bool ceil : {false, true})
          for (ptrdiff_t pad : {0, 1}) {
            if (w + 2 * pad < k) continue;
            list.push_back(window_of({{5, k, stride, 1, pad, pad, ceil}, {w, k, stride, 1, pad, pad, ceil}}));
          }
  return list;
}

TEST(Pool, MaxFloat) {
  for (const Window& s : windows()) {
    Guarded<float> x = random_floats(s.in_size(), 1), y(s.out_size()), z(s.out_size());
    Guarded<int64_t> where(s.out_size());
    max_pool_f32(s, x, y.poison());
    max_pool<float>(s, x, z.poison(), where.poison(), 1000, false);
    EXPECT_TRUE(y.intact() && z.intact() && where.intact());
    for (size_t i = 0; i < s.out_size(); i++) {
      float best = -INFINITY;
      ptrdiff_t at = 0;
      for_taps(s, i, [&](ptrdiff_t p, bool) {
        if (p >= 0 && x[p] > best) best = x[p], at = p;
      });
      EXPECT_EQ(y[i], best);
      EXPECT_EQ(z[i], best);
      EXPECT_EQ(where[i], 1000 + at);
    }
  }
}

TEST(Pool, MaxOfNanAndOfBytes) {
  Window s = window_of({{3, 2, 1, 1, 0, 0, false}, {9, 2, 1, 1, 0, 0, false}});
  Guarded<float> x(27), y(16);
  x[13] = NAN;
  max_pool_f32(s, x, y);
  for (size_t i = 0; i < 16; i++) EXPECT_EQ(std::isnan(y[i]), i % 8 == 3 || i % 8 == 4) << i;
  for (size_t stride : {1, 2}) {
    Window wide = window_of({{2, 2, 1, 1, 0, 0, false}, {1100, 3, stride, 1, 1, 1, false}});
    Guarded<float> data = random_floats(2200, 1), out(wide.out_size());
    data[1100 + 777] = NAN;
    max_pool_f32(wide, data, out.poison());
    for (size_t i = 0; i < out.size(); i++) {
      EXPECT_EQ(std::isnan(out[i]), i * stride + 1 >= 777 && i * stride <= 778) << i;
    }
  }
  Guarded<int8_t> b(27), c(16);
  Guarded<int64_t> where(16);
  for (size_t i = 0; i < 27; i++) b[i] = static_cast<int8_t>(-100 + static_cast<int>(i * 7 % 13));
  max_pool<int8_t>(s, b, c.poison(), where.poison(), 0, true);
  for (size_t i = 0; i < 16; i++) {
    int8_t best = -128;
    size_t at = 0;
    for_taps(s, i, [&](ptrdiff_t p, bool) {
      if (b[p] > best) best = b[p], at = static_cast<size_t>(p);
    });
    EXPECT_EQ(c[i], best);
    EXPECT_EQ(where[i], static_cast<int64_t>(at / 9 + at % 9 * 3));
  }
}

TEST(Pool, WindowsInPlaceFindEveryNan) {
  for (size_t w = 9; w <= 18; w++)
    for (auto [k, stride] : {std::pair<size_t, size_t>{3, 1}, {3, 2}, {2, 2}})
      for (ptrdiff_t pad : {0, 1}) {
        if (k == 2 && pad) continue;
        const Window s = window_of({{5, k, stride, 1, pad, pad, false}, {w, k, stride, 1, pad, pad, pad == 0}});
        Guarded<float> x = random_floats(s.in_size(), 1), y(s.out_size());
        EXPECT_TRUE(max_window_f32(s, x, y.poison()));
        EXPECT_TRUE(sum_window_f32(s, x, y.poison()));
        EXPECT_TRUE(y.intact());
        for (size_t at = 0; at < s.in_size(); at++) {
          const float kept = std::exchange(x.data()[at], NAN);
          max_pool_f32(s, x, y.poison());
          for (size_t i = 0; i < s.out_size(); i++) {
            bool covers = false;
            for_taps(s, i, [&](ptrdiff_t p, bool) { covers |= p == static_cast<ptrdiff_t>(at); });
            EXPECT_EQ(std::isnan(y[i]), covers) << k << " " << stride << " " << pad << " " << w << " " << at;
          }
          x.data()[at] = kept;
        }
      }
}

TEST(Pool, AverageAndLp) {
  for (const Window& s : windows()) {
    Guarded<float> x = random_floats(s.in_size(), 1), y(s.out_size());
    Guarded<double> wide(s.in_size()), z(s.out_size());
    std::copy(x.begin(), x.end(), wide.begin());
    for (bool include : {false, true}) {
      average_pool_f32(s, x, y.poison(), include);
      average_pool_f64(s, wide, z.poison(), include);
      EXPECT_TRUE(y.intact() && z.intact());
      for (size_t i = 0; i < s.out_size(); i++) {
        double sum = 0, count = 0;
        for_taps(s, i, [&](ptrdiff_t p, bool beyond) {
          if (p >= 0) sum += x[p];
          if (include ? !beyond : p >= 0) count++;
        });
        EXPECT_NEAR(y[i], count ? sum / count : 0, 1e-6);
        EXPECT_NEAR(z[i], count ? sum / count : 0, 1e-12);
      }
    }
    for (int p : {1, 2, 3}) {
      lp_pool_f32(s, x, y.poison(), p);
      for (size_t i = 0; i < s.out_size(); i++) {
        double sum = 0;
        for_taps(s, i, [&](ptrdiff_t at, bool) { sum += at < 0 ? 0 : std::pow(std::fabs(x[at]), p); });
        EXPECT_NEAR(y[i], std::pow(sum, 1.0 / p), 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace sardonyx::kernels
