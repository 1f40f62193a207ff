// Moves (transpose, strided copy, pad, resize) against index arithmetic.
#include "kernels/move/copy.h"
#include "kernels/move/resize.h"
#include "kernels/move/transpose.h"

#include <numeric>

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;
using Dims = std::vector<size_t>;

size_t product(const Dims& d) { return std::accumulate(d.begin(), d.end(), size_t{1}, std::multiplies<>()); }

// Calls f(index) for every index of dims in row-major order.
template <class F>
void for_each_index(const Dims& dims, F f) {
  Dims index(dims.size(), 0);
  for (size_t n = product(dims); n > 0; n--) {
    f(index);
    for (size_t i = dims.size(); i-- > 0;) {
      if (++index[i] < dims[i]) break;
      index[i] = 0;
    }
  }
}

// Elements of `size` bytes; element i holds i in its low bytes, spread over all bytes.
Guarded<uint8_t> numbered(size_t n, size_t size) {
  Guarded<uint8_t> out(n * size);
  for (size_t i = 0; i < n; i++)
    for (size_t b = 0; b < size; b++) out[i * size + b] = static_cast<uint8_t>((i >> (8 * (b % 3))) + 31 * b);
  return out;
}

bool same_element(const uint8_t* a, size_t i, const uint8_t* b, size_t j, size_t size) {
  return std::memcmp(a + i * size, b + j * size, size) == 0;
}

void check_transpose(const Dims& dims, const Dims& perm, size_t size) {
  SCOPED_TRACE(::testing::PrintToString(dims) + ::testing::PrintToString(perm) + std::to_string(size));
  Guarded<uint8_t> x = numbered(product(dims), size), y(x.size());
  transpose(x, y.poison(), dims.data(), perm.data(), dims.size(), size);
  EXPECT_TRUE(y.intact());
  Dims out(dims.size()), strides(dims.size());
  size_t stride = 1, at = 0;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  for (size_t i = 0; i < dims.size(); i++) out[i] = dims[perm[i]];
  bool ok = true;
  for_each_index(out, [&](const Dims& index) {
    size_t from = 0;
    for (size_t i = 0; i < index.size(); i++) from += index[i] * strides[perm[i]];
    ok &= same_element(y, at++, x, from, size);
  });
  EXPECT_TRUE(ok);
}

TEST(Transpose, AllPermutationsAndSizes) {
  for (size_t size : {1, 2, 4, 8, 16}) {
    for (const Dims& dims : std::vector<Dims>{{},
                                              {5},
                                              {4, 4},
                                              {5, 7},
                                              {17, 33},
                                              {1, 9},
                                              {2, 3, 4},
                                              {4, 1, 8},
                                              {3, 16, 2},
                                              {2, 3, 4, 5},
                                              {5, 4, 8, 2},
                                              {1, 2, 1, 3},
                                              {2, 0, 3},
                                              {2, 2, 3, 2, 3}}) {
      Dims perm(dims.size());
      std::iota(perm.begin(), perm.end(), size_t{0});
      do check_transpose(dims, perm, size);
      while (std::next_permutation(perm.begin(), perm.end()));
    }
  }
}

TEST(Copy, StridesMayBeZeroOrNegative) {
  const std::vector<ptrdiff_t> choices = {-2, -1, 0, 1, 3};
  for (size_t size : {1, 2, 4, 8, 16})
    for (ptrdiff_t s0 : choices)
      for (ptrdiff_t s1 : choices) {
        const size_t n0 = 3, n1 = 5;
        Guarded<uint8_t> x = numbered(128, size), y(n0 * n1 * size);
        const ptrdiff_t from[2] = {s0 * 5, s1}, to[2] = {5, 1};
        const size_t dims[2] = {n0, n1};
        copy_strided(x.data() + 64 * size, from, y.poison(), to, dims, 2, size);
        EXPECT_TRUE(y.intact());
        for (size_t i = 0; i < n0; i++)
          for (size_t j = 0; j < n1; j++) {
            ptrdiff_t at = 64 + static_cast<ptrdiff_t>(i) * from[0] + static_cast<ptrdiff_t>(j) * from[1];
            EXPECT_TRUE(same_element(y, i * n1 + j, x, static_cast<size_t>(at), size));
          }
      }
}

TEST(Copy, ScalarsFillsAndEmptyBoxes) {
  Guarded<float> x{3, 4}, y(2), z(7);
  copy_strided(x, nullptr, y, nullptr, nullptr, 0, 4);
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(y[1], 0);
  const size_t none[2] = {2, 0};
  const ptrdiff_t strides[2] = {1, 1};
  copy_strided(x, strides, y, strides, none, 2, 4);
  fill(z, x.data() + 1, 7, 4);
  for (float v : z) EXPECT_EQ(v, 4);
  EXPECT_TRUE(y.intact() && z.intact());
}

// What ONNX Pad shows at position i of an axis of n elements; -1: the constant.
ptrdiff_t padded_source(PadMode mode, ptrdiff_t i, ptrdiff_t n) {
  if (mode == PadMode::kConstant) return i >= 0 && i < n ? i : -1;
  if (mode == PadMode::kEdge) return std::clamp<ptrdiff_t>(i, 0, n - 1);
  while (i < 0 || i >= n) {
    if (mode == PadMode::kWrap)
      i += i < 0 ? n : -n;
    else if (n == 1)
      i = 0;
    else
      i = i < 0 ? -i : 2 * (n - 1) - i;
  }
  return i;
}

TEST(Pad, AllModes) {
  struct Case {
    Dims dims;
    std::vector<ptrdiff_t> begin, end;
  };
  const std::vector<Case> cases = {
      {{5}, {2}, {3}},           {{3, 4}, {1, 2}, {2, 1}},          {{3, 4}, {0, 2}, {0, -1}},
      {{3, 4}, {2, 0}, {-1, 0}}, {{2, 3, 2}, {0, 1, 0}, {0, 2, 0}}, {{2, 3, 4}, {1, -1, 3}, {1, 0, 3}},
      {{4}, {-1}, {-2}},         {{1, 2}, {2, 3}, {1, 4}},          {{2, 3}, {0, 0}, {0, 0}},
      {{2, 3}, {-3, 0}, {0, 0}}};
  for (const Case& c : cases)
    for (size_t size : {1, 2, 4, 8, 16})
      for (PadMode mode : {PadMode::kConstant, PadMode::kReflect, PadMode::kEdge, PadMode::kWrap}) {
        size_t rank = c.dims.size();
        Dims out(rank);
        bool empty = false;
        for (size_t i = 0; i < rank; i++) {
          ptrdiff_t d = static_cast<ptrdiff_t>(c.dims[i]) + c.begin[i] + c.end[i];
          empty |= d <= 0;
          out[i] = static_cast<size_t>(std::max<ptrdiff_t>(d, 0));
        }
        Guarded<uint8_t> x = numbered(product(c.dims), size), y(product(out) * size), value = numbered(1, size);
        value[0] = 200;
        pad(x, c.dims.data(), y.poison(), c.begin.data(), c.end.data(), rank, size, mode, value);
        EXPECT_TRUE(y.intact());
        if (empty) continue;
        size_t at = 0;
        for_each_index(out, [&](const Dims& index) {
          ptrdiff_t from = 0;
          bool constant = false;
          for (size_t i = 0; i < rank; i++) {
            ptrdiff_t n = static_cast<ptrdiff_t>(c.dims[i]);
            ptrdiff_t s = padded_source(mode, static_cast<ptrdiff_t>(index[i]) - c.begin[i], n);
            constant |= s < 0;
            from = from * n + s;
          }
          EXPECT_TRUE(constant ? same_element(y, at, value, 0, size)
                               : same_element(y, at, x, static_cast<size_t>(from), size))
              << ::testing::PrintToString(c.dims) << " mode " << static_cast<int>(mode) << " size " << size;
          at++;
        });
      }
}

struct Table {
  Guarded<int32_t> index;
  Guarded<float> weight;
  ResizeAxis axis;
  Table(size_t in, size_t out, size_t taps, uint64_t seed)
      : index(out * taps), weight(random_floats(out * taps, seed)) {
    Random random(seed);
    for (int32_t& i : index) i = random.integer(0, static_cast<int>(in) - 1);
    axis = {index, weight, taps, in, out};
  }
};

TEST(Resize, PlanesAndAxes) {
  for (size_t taps : {1, 2, 4, 5})
    for (size_t out : {1, 3, 4, 5, 9}) {
      Table rows(6, out, taps, 1), cols(7, out + 2, taps, 2);
      Guarded<float> x = random_floats(42, 3), y(out * (out + 2)), scratch(resize_scratch_size(rows.axis, cols.axis));
      resize_plane_f32(rows.axis, cols.axis, x, y.poison(), scratch.poison());
      EXPECT_TRUE(y.intact() && scratch.intact());
      for (size_t i = 0; i < y.size(); i++) {
        double s = 0;
        for (size_t r = 0; r < taps; r++)
          for (size_t c = 0; c < taps; c++) {
            size_t ir = i / (out + 2) * taps + r, ic = i % (out + 2) * taps + c;
            s += static_cast<double>(rows.weight[ir]) * cols.weight[ic] * x[rows.index[ir] * 7 + cols.index[ic]];
          }
        EXPECT_NEAR(y[i], s, 1e-5);
        if (taps != 2) continue;  // four products, summed in this order, to the bit
        const size_t r = i / (out + 2) * 2, c = i % (out + 2) * 2;
        const auto product = [&](size_t ir, size_t ic) {
          return cols.weight[ic] * rows.weight[ir] * x[rows.index[ir] * 7 + cols.index[ic]];
        };
        EXPECT_EQ(y[i], product(r, c) + product(r, c + 1) + product(r + 1, c) + product(r + 1, c + 1));
      }
      for (size_t inner : {1, 2, 5}) {
        Guarded<float> in = random_floats(2 * 6 * inner, 4), z(2 * out * inner);
        resize_axis_f32(rows.axis, in, z.poison(), 2, inner);
        EXPECT_TRUE(z.intact());
        for (size_t i = 0; i < z.size(); i++) {
          size_t o = i / inner / out, at = i / inner % out;
          double s = 0;
          for (size_t t = 0; t < taps; t++) {
            s += static_cast<double>(rows.weight[at * taps + t]) *
                 in[(o * 6 + rows.index[at * taps + t]) * inner + i % inner];
          }
          EXPECT_NEAR(z[i], s, 1e-5);
        }
        for (size_t size : {1, 2, 4, 8, 16}) {
          Guarded<uint8_t> bytes = numbered(2 * 6 * inner, size), near(2 * out * inner * size);
          resize_nearest_axis(rows.index, 6, out, bytes, near.poison(), 2, inner, size);
          EXPECT_TRUE(near.intact());
          for (size_t i = 0; i < 2 * out * inner; i++) {
            size_t from = (i / inner / out * 6 + rows.index[i / inner % out]) * inner + i % inner;
            EXPECT_TRUE(same_element(near, i, bytes, from, size));
          }
        }
      }
    }
}

}  // namespace
}  // namespace sardonyx::kernels
