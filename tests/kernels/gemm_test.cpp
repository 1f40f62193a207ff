// The float32 product against a sum in double: every tile edge, operand form, epilogue and split.
#include "kernels/gemm/gemm_f32.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

struct Case {
  size_t m, k, n;
  Guarded<float> a, b, row_bias, col_bias, start;
  std::vector<double> expected;

  Case(size_t m, size_t k, size_t n, float alpha = 1)
      : m(m),
        k(k),
        n(n),
        a(random_floats(m * k, 1)),
        b(random_floats(k * n, 2)),
        row_bias(random_floats(m, 3)),
        col_bias(random_floats(n, 4)),
        start(random_floats(m * n, 5)),
        expected(m * n) {
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++) {
        double s = 0;
        for (size_t q = 0; q < k; q++) s += static_cast<double>(alpha * a[i * k + q]) * b[q * n + j];
        expected[i * n + j] = s;
      }
  }

  double tolerance() const { return 1e-6 * (3 + static_cast<double>(k) / 4); }

  // The expected result with an epilogue.
  std::vector<double> with(const Epilogue& e) const {
    std::vector<double> out = expected;
    for (size_t i = 0; i < m * n; i++) {
      if (e.row_bias) out[i] += e.row_bias[i / n];
      if (e.col_bias) out[i] += e.col_bias[i % n];
      if (e.accumulate) out[i] += start[i];
      out[i] = std::min<double>(e.hi, std::max<double>(e.lo, out[i]));
      if (e.activation) out[i] = out[i] * static_cast<double>(e.alpha) + static_cast<double>(e.beta);
    }
    return out;
  }

  Guarded<float> transposed(const Guarded<float>& x, size_t rows, size_t cols) const {
    Guarded<float> t(rows * cols);
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < cols; j++) t[j * rows + i] = x[i * cols + j];
    return t;
  }
};

// A stand-in for activations that shows if one is left out or applied twice.
void scale_and_shift(const float* x, float* y, size_t n, float alpha, float beta) noexcept {
  for (size_t i = 0; i < n; i++) y[i] = x[i] * alpha + beta;
}

// The residual lies in another tensor than y (start), and an activation follows.
Epilogue residual(const Case& c, const float* y, bool rows, bool cols) {
  Epilogue e;
  if (rows) e.row_bias = c.row_bias;
  if (cols) e.col_bias = c.col_bias;
  e.accumulate = true;
  e.addend = static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(c.start.data()) - reinterpret_cast<uintptr_t>(y));
  e.activation = scale_and_shift;
  e.alpha = -0.75f;
  e.beta = 2;
  return e;
}

std::vector<Epilogue> epilogues(const Case& c) {
  std::vector<Epilogue> list(6);
  list[1].row_bias = c.row_bias;
  list[2].col_bias = c.col_bias;
  list[2].lo = 0;
  list[3].accumulate = true;
  list[4].row_bias = c.row_bias;
  list[4].col_bias = c.col_bias;
  list[4].accumulate = true;
  list[4].lo = -0.25f;
  list[4].hi = 0.25f;
  list[5].lo = 0;
  list[5].hi = 6;
  return list;
}

class GemmSizes : public ::testing::TestWithParam<std::tuple<size_t, size_t, size_t>> {
 protected:
  void check(const Case& c, const GemmB& b, const char* what) {
    Guarded<float> packed(gemm_packed_a_size(c.m, c.k)), scratch(gemm_scratch_size(c.k, c.n));
    gemm_pack_a_f32(c.m, c.k, {c.a, c.k, 1}, 1, packed);
    for (const Epilogue& e : epilogues(c)) {
      Guarded<float> out(c.m * c.n);
      if (e.accumulate)
        std::copy_n(c.start.data(), c.m * c.n, out.data());
      else
        out.poison();
      gemm_f32(c.m, c.k, c.n, packed, b, out, c.n, scratch.poison(), e);
      EXPECT_TRUE(close(out, c.with(e), c.m * c.n, c.tolerance(), 0)) << what;
      EXPECT_TRUE(out.intact() && scratch.intact() && packed.intact()) << what;
    }
    Guarded<float> out(c.m * c.n);
    Epilogue e = residual(c, out.poison(), true, true);
    gemm_f32(c.m, c.k, c.n, packed, b, out, c.n, scratch.poison(), e);
    EXPECT_TRUE(close(out, c.with(e), c.m * c.n, c.tolerance(), 0) && out.intact()) << what << ", residual";
  }
};

TEST_P(GemmSizes, PackedWeights) {
  auto [m, k, n] = GetParam();
  Case c(m, k, n);
  check(c, {{c.b, n, 1}}, "rows of B in place");
  Guarded<float> bt = c.transposed(c.b, k, n);
  check(c, {{bt, 1, k}}, "B transposed");
  Guarded<float> pb(gemm_packed_b_size(k, n));
  gemm_pack_b_f32(k, n, {c.b, n, 1}, pb);
  EXPECT_TRUE(pb.intact());
  check(c, {{pb, 0, 0}, true}, "B packed");
}

TEST_P(GemmSizes, Dynamic) {
  auto [m, k, n] = GetParam();
  Case c(m, k, n, 0.5f), plain(m, k, n);
  Guarded<float> at = c.transposed(c.a, m, k), bt = c.transposed(c.b, k, n), pb(gemm_packed_b_size(k, n));
  gemm_pack_b_f32(k, n, {bt, 1, k}, pb);
  Guarded<float> scratch(gemm_dynamic_scratch_size(m, k, n));
  const GemmB forms[] = {{{c.b, n, 1}}, {{bt, 1, k}}, {{pb, 0, 0}, true}};
  for (int form = 0; form < 12; form++) {
    const Case& ref = form < 6 ? c : plain;
    MatrixF32 a = form % 2 ? MatrixF32{at, 1, m} : MatrixF32{c.a, k, 1};
    for (const Epilogue& e : epilogues(c)) {
      Guarded<float> out(m * n);
      if (e.accumulate)
        std::copy_n(c.start.data(), m * n, out.data());
      else
        out.poison();
      gemm_dynamic_f32(m, k, n, a, form < 6 ? 0.5f : 1, forms[form / 2 % 3], out, n, scratch.poison(), e);
      EXPECT_TRUE(close(out, ref.with(e), m * n, c.tolerance(), 0)) << "form " << form;
      EXPECT_TRUE(out.intact() && scratch.intact()) << "form " << form;
    }
    Guarded<float> out(m * n);
    Epilogue e = residual(c, out.poison(), false, true);
    gemm_dynamic_f32(m, k, n, a, form < 6 ? 0.5f : 1, forms[form / 2 % 3], out, n, scratch.poison(), e);
    EXPECT_TRUE(close(out, ref.with(e), m * n, c.tolerance(), 0) && out.intact()) << "residual, form " << form;
  }
}

INSTANTIATE_TEST_SUITE_P(Edges, GemmSizes,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 23),
                                            ::testing::Values(1, 3, 4, 5, 17),
                                            ::testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 17, 29)));
// K >= 96 and M >= 32: packed blocks of B.
INSTANTIATE_TEST_SUITE_P(Packs, GemmSizes,
                         ::testing::Values(std::tuple(32, 96, 17), std::tuple(37, 131, 49), std::tuple(64, 100, 8)));
// More than one block of columns, and (dynamic) of rows.
INSTANTIATE_TEST_SUITE_P(Blocks, GemmSizes,
                         ::testing::Values(std::tuple(35, 8200, 19), std::tuple(33, 9001, 25),
                                           std::tuple(1, 4097, 40)));

TEST(Gemm, EmptyDepthGivesBias) {
  Guarded<float> a(1), b(1), packed(gemm_packed_a_size(5, 0)), scratch(gemm_scratch_size(0, 9)), bias{1, 2, 3, 4, -5};
  gemm_pack_a_f32(5, 0, {a, 0, 1}, 1, packed);
  Guarded<float> out(45);
  Epilogue e;
  e.row_bias = bias;
  e.lo = 0;
  gemm_f32(5, 0, 9, packed, {{b, 9, 1}}, out.poison(), 9, scratch, e);
  for (size_t i = 0; i < 45; i++) EXPECT_EQ(out[i], std::max(0.0f, bias[i / 9]));
}

// Packing where the operand lies gives the bits of packing elsewhere, and leaves what surrounds it alone.
TEST(Gemm, PackedInPlace) {
  for (size_t k : {1, 4, 7, 33}) {
    for (size_t m : {4, 8, 12, 16, 20, 24}) {
      const Guarded<float> a(random_floats(m * k, 1));
      Guarded<float> elsewhere(gemm_packed_a_size(m, k)), here(a), scratch(gemm_pack_scratch_size(k));
      gemm_pack_a_f32(m, k, {a, k, 1}, 1, elsewhere);
      gemm_pack_a_in_place_f32(m, k, here, scratch);
      EXPECT_EQ(std::memcmp(here, elsewhere, m * k * sizeof(float)), 0) << m << " " << k;
      EXPECT_TRUE(here.intact() && scratch.intact()) << m << " " << k;
      if (m % 8 != 0) continue;
      Guarded<float> columns(gemm_packed_b_size(k, m));
      here = a;
      gemm_pack_b_f32(k, m, {a, 1, k}, columns);
      gemm_pack_b_in_place_f32(k, m, here, scratch);
      EXPECT_EQ(std::memcmp(here, columns, m * k * sizeof(float)), 0) << m << " " << k;
      EXPECT_TRUE(here.intact() && scratch.intact()) << m << " " << k;
    }
  }
}

// A denormal factor slows down each product by a hundred times: they are left out, all else keeps its bits.
TEST(Gemm, PackedOperandsHoldNothingDenormal) {
  const float values[] = {1e-38f, -1e-39f, 1e-45f, 1.17549435e-38f, -1.17549435e-38f, NAN, INFINITY, -0.0f, 2};
  const size_t kinds = std::size(values);
  const auto flushed = [](float v) { return std::abs(v) < 1.17549435e-38f ? 0.0f : v; };  // of -0 too
  for (size_t rows : {1, 4, 6, 8, 13, 16})
    for (size_t k : {1, 4, 7, 24}) {
      Guarded<float> x(rows * k), expected(rows * k), scratch(gemm_pack_scratch_size(k));
      for (size_t i = 0; i < x.size(); i++) x[i] = values[i % kinds], expected[i] = flushed(x[i]);
      Guarded<float> a(gemm_packed_a_size(rows, k)), clean(a.size());
      for (const MatrixF32& m : {MatrixF32{x, k, 1}, MatrixF32{x, 1, rows}}) {
        gemm_pack_a_f32(rows, k, m, 1, a.poison());
        gemm_pack_a_f32(rows, k, {expected, m.row_stride, m.col_stride}, 1, clean.poison());
        for (size_t i = 0; i < a.size(); i++) EXPECT_NE(std::fpclassify(a[i]), FP_SUBNORMAL);
        EXPECT_EQ(std::memcmp(a, clean, a.size() * 4), 0);
      }
      if (rows % 8 == 0) {
        gemm_pack_b_in_place_f32(k, rows, x, scratch);
        gemm_pack_b_in_place_f32(k, rows, expected, scratch);
      } else {
        flush_denormals_f32(x, x.size());
      }
      EXPECT_EQ(std::memcmp(x, expected, x.size() * 4), 0);
      EXPECT_TRUE(x.intact() && a.intact());
    }
}

TEST(Gemm, SplitsGiveTheSameBits) {
  const size_t m = 47, k = 210, n = 703;
  Case c(m, k, n);
  Guarded<float> packed(gemm_packed_a_size(m, k)), scratch(gemm_scratch_size(k, n)), whole(m * n), parts(m * n);
  gemm_pack_a_f32(m, k, {c.a, k, 1}, 1, packed);
  GemmB b{{c.b, n, 1}};
  gemm_f32(m, k, n, packed, b, whole, n, scratch);
  for (size_t row = 0; row < m;) {
    size_t next = gemm_strip_floor(m, row + 13);
    for (size_t col = 0; col < n; col += 40) {
      gemm_f32_block(m, k, n, row, next, col, std::min(n, col + 40), packed, b, parts, n, scratch);
    }
    row = next;
  }
  EXPECT_EQ(std::memcmp(whole.data(), parts.data(), m * n * sizeof(float)), 0);
}

TEST(Gemm, StripFloorListsAllStarts) {
  for (size_t m = 1; m < 60; m++) {
    EXPECT_EQ(gemm_strip_floor(m, m), m);
    EXPECT_EQ(gemm_strip_floor(m, 0), 0u);
    for (size_t row = 1; row < m; row++) {
      size_t at = gemm_strip_floor(m, row);
      EXPECT_LE(at, row);
      EXPECT_LT(row - at, 6u);
      EXPECT_EQ(gemm_strip_floor(m, at), at);
    }
  }
}

TEST(Gemm, NanGoesThroughTheClamp) {
  for (size_t n : {1, 4, 8, 9}) {
    Guarded<float> a{1, 1, 1, 1}, b(n), packed(gemm_packed_a_size(4, 1)), scratch(gemm_scratch_size(1, n)), out(4 * n);
    std::fill(b.begin(), b.end(), NAN);
    gemm_pack_a_f32(4, 1, {a, 1, 1}, 1, packed);
    Epilogue e;
    e.lo = 0;
    e.hi = 6;
    gemm_f32(4, 1, n, packed, {{b, n, 1}}, out, n, scratch, e);
    for (float v : out) EXPECT_TRUE(std::isnan(v));
  }
}

TEST(Gemm, LeadingDimensionLeavesTheGapAlone) {
  const size_t m = 10, k = 20, n = 13, ldc = 19;
  Case c(m, k, n);
  Guarded<float> packed(gemm_packed_a_size(m, k)), scratch(gemm_scratch_size(k, n)), out(m * ldc);
  std::fill(out.begin(), out.end(), 77.0f);
  gemm_pack_a_f32(m, k, {c.a, k, 1}, 1, packed);
  gemm_f32(m, k, n, packed, {{c.b, n, 1}}, out, ldc, scratch);
  for (size_t i = 0; i < m; i++) {
    EXPECT_TRUE(close(out + i * ldc, c.expected.data() + i * n, n, c.tolerance(), 0));
    for (size_t j = n; j < ldc; j++) EXPECT_EQ(out[i * ldc + j], 77.0f);
  }
}

TEST(Gemv, BothWays) {
  for (size_t rows : {1, 3, 4, 5, 9, 31})
    for (size_t k : {1, 2, 7, 8, 9, 16, 61}) {
      Case c(rows, k, 1), r(1, rows, k);
      for (const Epilogue& e : epilogues(c)) {
        Guarded<float> out(rows);
        if (e.accumulate) std::copy_n(c.start.data(), rows, out.data());
        Epilogue row_only = e;
        row_only.col_bias = nullptr;
        gemv_f32(rows, k, c.a, k, c.b, out, row_only);
        EXPECT_TRUE(close(out, c.with(row_only), rows, c.tolerance(), 0)) << rows << "x" << k;
        EXPECT_TRUE(out.intact());
      }
      Guarded<float> column(rows), row(k);
      Epilogue e = residual(c, column, true, false);
      gemv_f32(rows, k, c.a, k, c.b, column, e);
      EXPECT_TRUE(close(column, c.with(e), rows, c.tolerance(), 0) && column.intact()) << rows << "x" << k;
      e = residual(r, row, true, true);
      gevm_f32(rows, k, r.a, r.b, k, row, e);
      EXPECT_TRUE(close(row, r.with(e), k, r.tolerance(), 0) && row.intact()) << rows << "x" << k;
      for (const Epilogue& e : epilogues(r)) {
        Guarded<float> out(k);
        if (e.accumulate) std::copy_n(r.start.data(), k, out.data());
        gevm_f32(rows, k, r.a, r.b, k, out, e);
        EXPECT_TRUE(close(out, r.with(e), k, r.tolerance(), 0)) << rows << "x" << k;
        EXPECT_TRUE(out.intact());
      }
    }
}

}  // namespace
}  // namespace sardonyx::kernels
