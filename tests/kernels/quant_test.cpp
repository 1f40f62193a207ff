// Integer products and convolutions, exact; quantisation against the standard's formulas.
#include "kernels/quant/conv_quads_x8.h"
#include "kernels/quant/conv_x8.h"
#include "kernels/quant/dot_x8.h"
#include "kernels/quant/gemm_x8.h"
#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/quantize.h"
#include "kernels/quant/short_quads_x8.h"
#include "kernels/quant/winograd_x8.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

Guarded<uint8_t> random_bytes(size_t n, uint64_t seed) {
  Guarded<uint8_t> out(n);
  Random random(seed);
  for (uint8_t& b : out) b = static_cast<uint8_t>(random.integer(0, 255));
  return out;
}

int32_t value(uint8_t b, bool is_signed) { return is_signed ? static_cast<int8_t>(b) : b; }

Guarded<int32_t> zero_points(size_t n, bool is_signed) {
  Guarded<int32_t> z(n);
  Random random(n);
  for (int32_t& v : z) v = is_signed ? random.integer(-128, 127) : random.integer(0, 255);
  return z;
}

TEST(GemmX8, AllSignsFormsAndEdges) {
  for (size_t m : {1, 3, 4, 5, 9})
    for (size_t k : {0, 1, 2, 7, 8, 9, 16, 33})
      for (size_t n : {1, 7, 8, 9, 17})
        for (int form = 0; form < 32; form++) {
          bool sa = form & 1, sb = form & 2, ta = form & 4, tb = form & 8, per_line = form & 16;
          Guarded<uint8_t> a = random_bytes(m * k, 1), b = random_bytes(k * n, 2);
          Guarded<int32_t> za = zero_points(m, sa), zb = zero_points(n, sb), bias = zero_points(m, true), c(m * n);
          MatrixX8 ma{a.data(), ta ? 1 : k, ta ? m : 1, sa, za, per_line},
              mb{b.data(), tb ? 1 : n, tb ? k : 1, sb, zb, per_line};
          Guarded<int16_t> pa(gemm_x8_packed_a_size(m, k)), pb(gemm_x8_packed_b_size(k, n));
          gemm_x8_pack_a(m, k, ma, pa.poison());
          gemm_x8_pack_b(k, n, mb, pb.poison());
          gemm_x8_i32(m, k, n, 0, m, 0, n, pa, pb, form & 1 ? bias.data() : nullptr, c.poison(), n);
          EXPECT_TRUE(c.intact() && pa.intact() && pb.intact());
          for (size_t i = 0; i < m * n; i++) {
            int32_t sum = form & 1 ? bias[i / n] : 0;
            for (size_t q = 0; q < k; q++) {
              int32_t av = value(a[ta ? q * m + i / n : i / n * k + q], sa) - za[per_line ? i / n : 0];
              int32_t bv = value(b[tb ? i % n * k + q : q * n + i % n], sb) - zb[per_line ? i % n : 0];
              sum += av * bv;
            }
            ASSERT_EQ(c[i], sum) << m << "x" << k << "x" << n << " form " << form;
          }
        }
}

TEST(GemmX8, ExtremesAndSplits) {
  const size_t m = 9, k = 3000, n = 50;
  Guarded<uint8_t> a(m * k), b(k * n);
  std::fill(a.begin(), a.end(), 255);
  std::fill(b.begin(), b.end(), 0);
  Guarded<int32_t> zero{0}, high{255}, c(m * n);
  Guarded<int16_t> pa(gemm_x8_packed_a_size(m, k)), pb(gemm_x8_packed_b_size(k, n));
  gemm_x8_pack_a(m, k, {a.data(), k, 1, false, zero, false}, pa);
  gemm_x8_pack_b(k, n, {b.data(), n, 1, false, high, false}, pb);
  for (size_t i = 0; i < m; i += 4)
    for (size_t j = 0; j < n; j += 16)
      gemm_x8_i32(m, k, n, i, std::min(m, i + 4), j, std::min(n, j + 16), pa, pb, nullptr, c, n);
  for (int32_t v : c) EXPECT_EQ(v, -255 * 255 * 3000);
}

// Of convolutions; products of matrices have one more.
std::vector<FormX8> exact_forms(bool products = false) {
  std::vector<FormX8> forms;
  for (FormX8 f :
       {FormX8::pairs, FormX8::unsigned_quads, FormX8::signed_quads, FormX8::seven_bit_quads, FormX8::short_quads}) {
    if (is_exact_x8(f) && (products || f != FormX8::short_quads)) forms.push_back(f);
  }
  return forms;
}

// Weights that the form can hold: 7 bits, from a minimum of its own in each column.
void fit(FormX8 form, Guarded<uint8_t>& b, size_t n, bool along_rows, size_t k) {
  if (form != FormX8::seven_bit_quads) return;
  for (size_t i = 0; i < b.size(); i++) {
    const size_t column = along_rows ? i / k : i % n;
    b[i] = static_cast<uint8_t>(b[i] % 128 + column * 9 % 128);
  }
}

TEST(MatmulX8, AllSignsFormsAndEdges) {
  for (FormX8 path : exact_forms(true))
    for (size_t m : {1, 2, 3, 4, 5, 6, 7, 9, 13})
      for (size_t k : {0, 1, 2, 3, 7, 8, 15, 16, 33})
        for (size_t n : {1, 7, 8, 9, 17, 33})
          for (int form = 0; form < 32; form++) {
            bool sa = form & 1, sb = form & 2, ta = form & 4, tb = form & 8, per_line = form & 16;
            if (path == FormX8::seven_bit_quads) sb = false;
            Guarded<uint8_t> a = random_bytes(m * k, 1), b = random_bytes(k * n, 2);
            fit(path, b, n, tb, k);
            Guarded<int32_t> za = zero_points(m, sa), zb = zero_points(n, sb), c(m * n);
            MatrixX8 ma{a.data(), ta ? 1 : k, ta ? m : 1, sa, za, per_line},
                mb{b.data(), tb ? 1 : n, tb ? k : 1, sb, zb, per_line};
            Guarded<uint8_t> pa(matmul_x8_packed_a_size(path, m, k)), pb(matmul_x8_packed_b_size(path, k, n, mb));
            matmul_x8_pack_a(path, 0, m, k, ma, pa.poison());
            matmul_x8_pack_b(path, k, n, mb, pb.poison());
            matmul_x8_i32(path, k, 0, m, 0, n, pa, pb, c.poison(), n);
            EXPECT_TRUE(c.intact() && pa.intact() && pb.intact());
            for (size_t i = 0; i < m * n; i++) {
              int32_t sum = 0;
              for (size_t q = 0; q < k; q++) {
                int32_t av = value(a[ta ? q * m + i / n : i / n * k + q], sa) - za[per_line ? i / n : 0];
                int32_t bv = value(b[tb ? i % n * k + q : q * n + i % n], sb) - zb[per_line ? i % n : 0];
                sum += av * bv;
              }
              ASSERT_EQ(c[i], sum) << m << "x" << k << "x" << n << " form " << form << " path "
                                   << static_cast<int>(path);
            }
          }
}

// Many rows at once, with sums of lines short and long, and all rows of strips that are not whole.
TEST(MatmulX8, ManyRows) {
  for (FormX8 path : exact_forms(true))
    for (size_t m : {16, 17, 18, 19, 37})
      for (size_t k : {1, 40, 2047, 2048, 2049})
        for (size_t n : {7, 8, 21})
          for (bool extreme : {false, true}) {
            Guarded<uint8_t> a = random_bytes(m * k, 3), b = random_bytes(k * n, 4);
            if (extreme) std::fill(a.begin(), a.end(), 0xff), std::fill(b.begin(), b.end(), 0x80);
            const bool sb = path != FormX8::seven_bit_quads;
            fit(path, b, n, false, k);
            Guarded<int32_t> za = zero_points(m, false), zb = zero_points(n, sb), c(m * n);
            const MatrixX8 mb{b.data(), n, 1, sb, zb, true};
            Guarded<uint8_t> pa(matmul_x8_packed_a_size(path, m, k)), pb(matmul_x8_packed_b_size(path, k, n, mb));
            matmul_x8_pack_a(path, 0, m, k, {a.data(), k, 1, false, za, true}, pa.poison());
            matmul_x8_pack_b(path, k, n, mb, pb.poison());
            matmul_x8_i32(path, k, 0, m, 0, n, pa, pb, c.poison(), n);
            EXPECT_TRUE(c.intact() && pa.intact() && pb.intact());
            for (size_t i = 0; i < m * n; i++) {
              int32_t sum = 0;
              for (size_t q = 0; q < k; q++)
                sum += (value(a[i / n * k + q], false) - za[i / n]) * (value(b[q * n + i % n], sb) - zb[i % n]);
              ASSERT_EQ(c[i], sum) << m << "x" << k << "x" << n << " path " << static_cast<int>(path);
            }
          }
}

TEST(MatmulX8, ExtremesAndSplits) {
  const size_t m = 9, k = 3001, n = 50;
  struct Case {
    uint8_t a, b;
    bool a_signed, b_signed;
    int32_t za, zb, product;
  };
  for (FormX8 path : exact_forms(true))
    for (const Case& e :
         {Case{0x80, 0x80, true, true, 0, 0, 128 * 128}, Case{255, 127, false, true, 0, 0, 255 * 127},
          Case{255, 0x80, false, true, 0, 0, -255 * 128}, Case{255, 255, false, false, 0, 0, 255 * 255},
          Case{255, 0, false, false, 0, 255, -255 * 255}, Case{0x80, 0x80, true, true, 127, 127, 255 * 255},
          Case{0, 255, false, false, 255, 0, -255 * 255}, Case{127, 0x80, true, true, 0, 0, -127 * 128}}) {
      Guarded<uint8_t> a(m * k), b(k * n);
      std::fill(a.begin(), a.end(), e.a);
      std::fill(b.begin(), b.end(), e.b);
      // The widest that 7 bits hold beside these values, so that none becomes the minimum everywhere.
      for (size_t j = 0; j < n; j++)
        b[(k - 1) * n + j] = static_cast<uint8_t>(e.b_signed == (e.b >= 128) ? e.b + 127 : e.b - 127);
      const int32_t last = (value(e.a, e.a_signed) - e.za) * (value(b[(k - 1) * n], e.b_signed) - e.zb);
      Guarded<int32_t> za{e.za}, zb{e.zb}, c(m * n);
      const MatrixX8 mb{b.data(), n, 1, e.b_signed, zb, false};
      Guarded<uint8_t> pa(matmul_x8_packed_a_size(path, m, k)), pb(matmul_x8_packed_b_size(path, k, n, mb));
      const size_t strip = matmul_x8_strip(path);
      for (size_t i = 0; i < m; i += strip)
        matmul_x8_pack_a(path, i, std::min(m, i + strip), k, {a.data(), k, 1, e.a_signed, za, false}, pa);
      matmul_x8_pack_b(path, k, n, mb, pb);
      for (size_t i = 0; i < m; i += strip)
        for (size_t j = 0; j < n; j += 16)
          matmul_x8_i32(path, k, i, std::min(m, i + strip), j, std::min(n, j + 16), pa, pb, c, n);
      for (int32_t v : c) ASSERT_EQ(v, e.product * 3000 + last) << static_cast<int>(path);
    }
}

TEST(MatmulX8, BestFormIsExactAndFits) {
  Guarded<uint8_t> b(64);
  for (size_t i = 0; i < 64; i++) b[i] = static_cast<uint8_t>(i * 2);
  const FormX8 narrow = best_form_x8(8, 8, {b.data(), 8, 1, false, nullptr, false});
  EXPECT_TRUE(is_exact_x8(narrow));
  for (size_t i = 0; i < 64; i++) b[i] = static_cast<uint8_t>(i * 4);
  const FormX8 wide = best_form_x8(8, 8, {b.data(), 8, 1, false, nullptr, false});
  EXPECT_TRUE(is_exact_x8(wide));
  EXPECT_NE(wide, FormX8::seven_bit_quads);
}

TEST(MatmulX8, PlanIsExactAndFits) {
  Guarded<uint8_t> b(64 * 24);
  for (const int span : {1, 60, 120, 250}) {
    Random random(static_cast<uint64_t>(span));
    for (uint8_t& v : b) v = static_cast<uint8_t>(random.integer(0, span));
    for (bool is_signed : {false, true})
      for (int32_t zero : {0, span / 2, 127}) {
        Guarded<int32_t> z{zero};
        const MatrixX8 m{b.data(), 24, 1, is_signed, z, false};
        const PlanX8 plan = matmul_x8_plan(64, 24, m);
        EXPECT_TRUE(is_exact_x8(plan.form));
        EXPECT_EQ(plan.size, matmul_x8_packed_b_size(plan.form, 64, 24, m));
        if (span > 127) EXPECT_NE(plan.form, FormX8::seven_bit_quads);
      }
  }
}

#if SARDONYX_HAS_QUADS
// A lane has eight weights of one column: as many parts as leave 128 of a sign in each.
TEST(ShortQuads, PartsByTheSumsOfASign) {
  struct Case {
    int8_t weight;
    size_t parts;  // of a block that is full of it
  };
  for (const Case& e :
       {Case{0, 1}, Case{16, 1}, Case{-16, 1}, Case{17, 2}, Case{-17, 2}, Case{31, 2}, Case{127, 9}, Case{-128, 9}}) {
    Guarded<int8_t> b(32 * 9);
    std::fill(b.begin(), b.end(), e.weight);
    const ShortBlocks full = short_blocks(32, 9, {b.data(), 9, 1, true, nullptr, false});
    EXPECT_EQ(full.blocks, 8u);
    EXPECT_EQ(full.parts, 6 * e.parts + 2) << int{e.weight};  // the last four columns are not there
    // Of both signs, half as much of each.
    for (size_t i = 0; i < b.size(); i += 18) std::fill_n(b.begin() + static_cast<ptrdiff_t>(i), 9, int8_t{0});
    EXPECT_LE(short_blocks(32, 9, {b.data(), 9, 1, true, nullptr, false}).parts, full.parts);
  }
}
#endif

#if !defined(__wasm__)
struct SignedShortDot {
  static V run(V first, V second) { return EmulatedShortDot::run(second, first); }
};

TEST(DotX8, ProbeTellsWhetherSumsIn16BitsAreExact) {
  EXPECT_TRUE(probe_short_dot<EmulatedShortDot>());
  EXPECT_FALSE(probe_short_dot<SignedShortDot>());
}

TEST(DotX8, ProbeTellsEnginesApart) {
  EXPECT_EQ(probe_dot_x8<EmulatedDot<FormX8::pairs>>(), FormX8::pairs);
  EXPECT_EQ(probe_dot_x8<EmulatedDot<FormX8::unsigned_quads>>(), FormX8::unsigned_quads);
  EXPECT_EQ(probe_dot_x8<EmulatedDot<FormX8::signed_quads>>(), FormX8::signed_quads);
  EXPECT_EQ(probe_dot_x8<EmulatedDot<FormX8::seven_bit_quads>>(), FormX8::seven_bit_quads);
}
#elif SARDONYX_HAS_QUADS
TEST(DotX8, SaysWhatThisEngineHas) { RecordProperty("form", static_cast<int>(probe_dot_x8<EngineDot>())); }
#endif

TEST(MatmulX8, ScaledSums) {
  for (size_t n : {1, 4, 7}) {
    Guarded<int32_t> x = zero_points(3 * n, true);
    Guarded<float> scale(n), bias(n), y(3 * n);
    for (size_t j = 0; j < n; j++) scale[j] = 0.5f + static_cast<float>(j), bias[j] = static_cast<float>(j);
    scale_sums_f32(3, n, x, 0.25f, scale, bias, y.poison(), n);
    EXPECT_TRUE(y.intact());
    for (size_t i = 0; i < 3 * n; i++) EXPECT_EQ(y[i], static_cast<float>(x[i]) * (0.25f * scale[i % n]) + bias[i % n]);
  }
}

ConvShape shape(size_t c, size_t m, std::array<size_t, 3> in, std::array<size_t, 3> k, std::array<size_t, 3> stride,
                std::array<size_t, 3> dilation, std::array<ptrdiff_t, 3> pad) {
  ConvShape s;
  s.channels = c, s.out_channels = m;
  for (size_t i = 0; i < 3; i++) {
    s.in[i] = in[i], s.kernel[i] = k[i], s.stride[i] = stride[i], s.dilation[i] = dilation[i], s.pad[i] = pad[i];
    s.out[i] = (in[i] + 2 * pad[i] - ((k[i] - 1) * dilation[i] + 1)) / stride[i] + 1;
  }
  return s;
}

std::vector<ConvShape> shapes() {
  return {shape(3, 5, {1, 9, 11}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}),
          shape(4, 9, {1, 8, 24}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}),
          shape(2, 4, {1, 13, 23}, {1, 5, 5}, {1, 2, 2}, {1, 1, 1}, {0, 2, 2}),
          shape(3, 2, {1, 7, 30}, {1, 3, 2}, {1, 1, 3}, {1, 2, 1}, {0, 2, 0}),
          shape(2, 3, {4, 5, 12}, {2, 3, 3}, {1, 2, 1}, {1, 1, 2}, {1, 1, 2}),
          shape(1, 1, {1, 1, 3}, {1, 1, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}),
          shape(20, 6, {1, 30, 31}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, -1})};
}

// The exact sum at output p of channel m; groups of one channel if depthwise.
int32_t direct(const ConvShape& s, const uint8_t* x, bool x_signed, int32_t x_zero, const int32_t* w, size_t p) {
  size_t o[3] = {p / s.out[2] / s.out[1], p / s.out[2] % s.out[1], p % s.out[2]};
  int32_t sum = 0;
  for (size_t c = 0; c < s.channels; c++)
    for (size_t t = 0; t < s.taps(); t++) {
      size_t k[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]}, at = c;
      bool inside = true;
      for (int i = 0; i < 3; i++) {
        ptrdiff_t q = static_cast<ptrdiff_t>(o[i] * s.stride[i] + k[i] * s.dilation[i]) - s.pad[i];
        inside &= q >= 0 && q < static_cast<ptrdiff_t>(s.in[i]);
        at = at * s.in[i] + static_cast<size_t>(q);
      }
      if (inside) sum += (value(x[at], x_signed) - x_zero) * w[c * s.taps() + t];
    }
  return sum;
}

TEST(ConvX8, Exact) {
  for (const ConvShape& s : shapes())
    for (int form = 0; form < 4; form++) {
      bool xs = form & 1, ws = form & 2;
      size_t k = s.channels * s.taps(), panels = (s.out_size() + 7) / 8;
      Guarded<uint8_t> x = random_bytes(s.channels * s.in_size(), 1), w = random_bytes(s.out_channels * k, 2);
      Guarded<int32_t> wz = zero_points(s.out_channels, ws), bias = zero_points(s.out_channels, true),
                       y(s.out_channels * s.out_size());
      Guarded<int16_t> packed(gemm_x8_packed_a_size(s.out_channels, k)), scratch(conv_x8_scratch_size(s));
      gemm_x8_pack_a(s.out_channels, k, {w.data(), k, 1, ws, wz, true}, packed);
      int32_t xz = xs ? -3 : 130;
      for (size_t p = 0; p < panels; p += 5) {
        conv_x8_i32(s, packed, x.data(), xs, xz, bias, y, p, std::min(panels, p + 5), scratch.poison());
      }
      EXPECT_TRUE(y.intact() && scratch.intact());
      for (size_t m = 0; m < s.out_channels; m++) {
        std::vector<int32_t> wv(k);
        for (size_t i = 0; i < k; i++) wv[i] = value(w[m * k + i], ws) - wz[m];
        for (size_t p = 0; p < s.out_size(); p++) {
          ASSERT_EQ(y[m * s.out_size() + p], bias[m] + direct(s, x, xs, xz, wv.data(), p)) << "form " << form;
        }
      }
    }
}

TEST(ConvQuadsX8, Exact) {
  std::vector<ConvShape> all = shapes();
  all.push_back(shape(3, 7, {1, 17, 6}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}));    // rows of three pixels
  all.push_back(shape(5, 13, {1, 30, 41}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}));  // every other pixel
  all.push_back(shape(2, 6, {1, 9, 12}, {1, 3, 3}, {1, 1, 1}, {1, 4, 4}, {0, 4, 4}));
  all.push_back(shape(1, 3, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}));
  for (FormX8 path : exact_forms())
    for (const ConvShape& s : all)
      for (int form = 0; form < 4 && path != FormX8::pairs; form++) {
        bool xs = form & 1, ws = form & 2;
        if (path == FormX8::seven_bit_quads) ws = false;
        size_t k = s.channels * s.taps(), panels = (s.out_size() + 7) / 8;
        Guarded<uint8_t> x = random_bytes(s.channels * s.in_size(), 1), w = random_bytes(s.out_channels * k, 2);
        fit(path, w, s.out_channels, true, k);
        Guarded<int32_t> wz = zero_points(s.out_channels, ws), bias = zero_points(s.out_channels, true),
                         y(s.out_channels * s.out_size());
        Guarded<uint8_t> packed(conv_quads_weights_size(s.out_channels, k)), scratch(conv_quads_scratch_size(s)),
            padded(s.channels * conv_quads_plane(s));
        conv_quads_pack_weights(path, s.out_channels, k, {w.data(), k, 1, ws, wz, true}, packed.poison());
        const ImageX8 image{x.data(), xs, xs ? -3 : 130};
        padded.poison();
        for (size_t c = 0; c < s.channels; c += 2) conv_quads_pad(s, image, c, std::min(s.channels, c + 2), padded);
        y.poison();
        for (size_t p = 0; p < panels; p += 5) {
          conv_quads_i32(path, s, packed, padded, image, bias, y, p, std::min(panels, p + 5), scratch.poison());
        }
        EXPECT_TRUE(y.intact() && scratch.intact() && packed.intact() && padded.intact());
        for (size_t m = 0; m < s.out_channels; m++) {
          std::vector<int32_t> wv(k);
          for (size_t i = 0; i < k; i++) wv[i] = value(w[m * k + i], ws) - wz[m];
          for (size_t p = 0; p < s.out_size(); p++) {
            ASSERT_EQ(y[m * s.out_size() + p], bias[m] + direct(s, x, xs, image.zero, wv.data(), p))
                << "form " << form << " path " << static_cast<int>(path);
          }
        }
      }
}

TEST(ConvQuadsX8, ScaledAndClampedSums) {
  for (size_t n : {1, 4, 7, 12}) {
    Guarded<int32_t> x = zero_points(n, true);
    Guarded<float> y(n);
    scale_clamp_sums_f32(x, y.poison(), n, 0.3f, 1.7f, 0.1f, -5, 6);
    EXPECT_TRUE(y.intact());
    for (size_t i = 0; i < n; i++) {
      const float scaled = static_cast<float>(x[i]) * 0.3f * 1.7f;
      EXPECT_EQ(y[i], std::clamp(scaled + 0.1f, -5.0f, 6.0f));
    }
  }
}

// All blocks, each in two parts of its units and piece by piece.
void winograd_x8(const ConvShape& s, const ImageX8& x, const MatrixX8& w, const int32_t* bias, int32_t* y) {
  const WinogradWork work = winograd_x8_work(s);
  Guarded<uint8_t> packed(winograd_x8_weights_size(s.out_channels, s.channels));
  Guarded<int16_t> input(work.input), scratch(work.scratch);
  winograd_x8_pack_weights(s.out_channels, s.channels, w, packed.poison());
  size_t covered = 0;
  for (size_t block = 0; block < work.blocks; block++) {
    input.poison();
    winograd_x8_input(s, x, block, 0, work.units / 2, input, scratch.poison());
    winograd_x8_input(s, x, block, work.units / 2, work.units, input, scratch.poison());
    for (size_t p = 0; p < work.pieces; p++) {
      winograd_x8_output(s, packed, input, bias, y, block, p, p + 1, scratch.poison());
      EXPECT_EQ(winograd_x8_channels(s, p).first, p == 0 ? 0 : winograd_x8_channels(s, p - 1).end);
    }
    const PlanePart part = winograd_x8_part(s, block);
    EXPECT_TRUE(part.end == 0 || part.first == covered);
    covered = part.end;
  }
  EXPECT_EQ(winograd_x8_channels(s, work.pieces - 1).end, s.out_channels);
  EXPECT_TRUE(covered == 0 || covered == s.out_size());
  EXPECT_TRUE(packed.intact() && input.intact() && scratch.intact());
}

TEST(WinogradX8, Exact) {
  const auto of = [](size_t c, size_t m, size_t h, size_t w, size_t dilation, ptrdiff_t pad) {
    return shape(c, m, {1, h, w}, {1, 3, 3}, {1, 1, 1}, {1, dilation, dilation}, {0, pad, pad});
  };
  // Wide rows of tiles make blocks that end within them; many channels small blocks.
  const std::vector<ConvShape> all = {of(3, 5, 9, 11, 1, 1),   of(8, 4, 3, 3, 1, 0),    of(2, 9, 70, 67, 1, 1),
                                      of(20, 6, 30, 31, 1, 2), of(1, 1, 5, 1100, 1, 1), of(5, 3, 21, 18, 2, 2),
                                      of(4, 17, 40, 33, 8, 8), of(6, 8, 19, 20, 3, 0),  of(700, 3, 26, 26, 1, 1)};
  for (const ConvShape& s : all)
    for (int form = 0; form < 4; form++) {
      const bool xs = form & 1, ws = form & 2;
      const size_t k = s.channels * 9;
      ASSERT_TRUE(winograd_x8_applies(s));
      Guarded<uint8_t> x = random_bytes(s.channels * s.in_size(), 1), w = random_bytes(s.out_channels * k, 2);
      // Most of many weights are near their zero points, as in networks: the sums fit.
      Guarded<int32_t> wz = zero_points(s.out_channels, ws), bias = zero_points(s.out_channels, true),
                       y(s.out_channels * s.out_size());
      for (size_t i = 0; s.channels > 100 && i < s.out_channels * k; i++) {
        if (i % 8 != 0) w[i] = static_cast<uint8_t>(wz[i / k]);
      }
      const MatrixX8 rows{w.data(), k, 1, ws, wz, true};
      ASSERT_TRUE(winograd_x8_is_exact(s.out_channels, k, rows));
      const ImageX8 image{x.data(), xs, xs ? -3 : 130};
      winograd_x8(s, image, rows, form == 3 ? nullptr : bias.data(), y.poison());
      EXPECT_TRUE(y.intact());
      for (size_t m = 0; m < s.out_channels; m++) {
        std::vector<int32_t> wv(k);
        for (size_t i = 0; i < k; i++) wv[i] = value(w[m * k + i], ws) - wz[m];
        // Of large planes a part: a direct sum is slow.
        for (size_t p = 0; p < s.out_size(); p += s.channels > 100 ? 5 : 1) {
          ASSERT_EQ(y[m * s.out_size() + p], (form == 3 ? 0 : bias[m]) + direct(s, x, xs, image.zero, wv.data(), p))
              << s.channels << " channels, form " << form << " at " << p;
        }
      }
    }
}

// The largest products, and the largest sums that are let pass.
TEST(WinogradX8, Extremes) {
  constexpr size_t kMost = ((size_t{1} << 25) / 255 - 1) / (9 * 255);  // channels of 9 weights of 255
  for (const size_t channels : {size_t{6}, kMost})
    for (const int32_t sign : {1, -1}) {
      const ConvShape s = shape(channels, 2, {1, 8, 9}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1});
      const size_t k = s.channels * 9;
      const int32_t wz[] = {sign > 0 ? 0 : 255, sign > 0 ? 0 : 255}, bias[] = {INT32_MAX / 2, -5};
      Guarded<uint8_t> w(2 * k), x(s.channels * s.in_size());
      std::fill(w.begin(), w.end(), static_cast<uint8_t>(sign > 0 ? 255 : 0));
      const MatrixX8 rows{w.data(), k, 1, false, wz, true};
      ASSERT_TRUE(winograd_x8_is_exact(2, k, rows));
      EXPECT_FALSE(winograd_x8_is_exact(2, (kMost + 1) * 9, {w.data(), 0, 0, false, wz, true}));
      for (const int32_t x_zero : {0, 128, 255})
        for (size_t pattern = 0; pattern < 4; pattern++) {
          for (size_t i = 0; i < x.size(); i++) {
            const bool high = pattern < 2 ? pattern == 0 : (i / (pattern - 1) + i / 9) % 2 == 0;
            x[i] = high ? 255 : 0;
          }
          Guarded<int32_t> y(2 * s.out_size());
          winograd_x8(s, {x.data(), false, x_zero}, rows, bias, y.poison());
          const std::vector<int32_t> wv(k, 255 * sign);
          for (size_t p = 0; p < 2 * s.out_size(); p++) {
            ASSERT_EQ(y[p], bias[p / s.out_size()] + direct(s, x, false, x_zero, wv.data(), p % s.out_size()));
          }
        }
    }
}

TEST(WinogradX8, AppliesToPlainWindows) {
  const ConvShape good = shape(2, 2, {1, 20, 20}, {1, 3, 3}, {1, 1, 1}, {1, 2, 2}, {0, 1, 1});
  EXPECT_TRUE(winograd_x8_applies(good));
  EXPECT_FALSE(winograd_x8_applies(shape(2, 2, {1, 20, 20}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1})));
  EXPECT_FALSE(winograd_x8_applies(shape(2, 2, {1, 20, 20}, {1, 3, 3}, {1, 1, 1}, {1, 2, 1}, {0, 1, 1})));
  EXPECT_FALSE(winograd_x8_applies(shape(2, 2, {1, 20, 20}, {1, 3, 3}, {1, 1, 1}, {1, 9, 9}, {0, 1, 1})));
  EXPECT_FALSE(winograd_x8_applies(shape(2, 2, {1, 20, 20}, {1, 5, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1})));
  EXPECT_FALSE(winograd_x8_applies(shape(2, 2, {3, 20, 20}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1})));
}

TEST(DepthwiseX8, Exact) {
  for (ConvShape s : shapes())
    for (bool xs : {false, true}) {
      s.channels = s.out_channels = 1;
      Guarded<uint8_t> x = random_bytes(s.in_size(), 1);
      Guarded<int32_t> w32 = zero_points(s.taps(), false), y(s.out_size());
      Guarded<int16_t> w(s.taps());
      for (size_t i = 0; i < s.taps(); i++) w[i] = static_cast<int16_t>(w32[i] -= 128);
      depthwise_x8_i32(s, x.data(), xs, 7, w, 11, y.poison());
      EXPECT_TRUE(y.intact());
      for (size_t p = 0; p < s.out_size(); p++) ASSERT_EQ(y[p], 11 + direct(s, x, xs, 7, w32, p));
    }
}

TEST(Quantize, RoundsToEvenAndSaturates) {
  Guarded<float> x{0,         1,   2.5f,  3.5f,   -2.5f,  -3.5f,   1e9f,    -1e9f, INFINITY,
                   -INFINITY, NAN, 0.49f, 254.5f, 255.5f, -128.5f, -129.5f, 127.5f};
  for (size_t n = 0; n <= x.size(); n++)
    for (float scale : {1.0f, 0.5f, 0.1f})
      for (int32_t zero : {0, 3, -7, 127}) {
        Guarded<uint8_t> u(n);
        Guarded<int8_t> s(n);
        quantize_u8(x, u.poison(), n, scale, zero);
        quantize_s8(x, s.poison(), n, scale, zero);
        EXPECT_TRUE(u.intact() && s.intact());
        for (size_t i = 0; i < n; i++) {
          double r = std::isnan(x[i]) ? 0 : std::nearbyint(x[i] / scale);
          EXPECT_EQ(u[i], std::clamp<double>(r + zero, 0, 255)) << x[i];
          EXPECT_EQ(s[i], std::clamp<double>(r + zero, -128, 127)) << x[i];
        }
      }
}

TEST(Quantize, RangeKeepsNaN) {
  for (size_t n = 1; n <= 20; n++)
    for (size_t at = 0; at < n; at++) {
      Guarded<float> x(n);
      for (size_t i = 0; i < n; i++) x[i] = static_cast<float>(i) - 7;
      Range r = range_with_zero_f32(x, n);
      EXPECT_EQ(r.min, std::min(0.0f, x[0]));
      EXPECT_EQ(r.max, std::max(0.0f, x[n - 1]));
      x[at] = NAN;
      r = range_with_zero_f32(x, n);
      EXPECT_TRUE(std::isnan(r.min) && std::isnan(r.max));
    }
}

TEST(Quantize, DequantizeAndRequantize) {
  for (size_t n : {0, 1, 4, 5, 8, 11, 256}) {
    Guarded<uint8_t> u(n);
    Guarded<int8_t> s(n);
    Guarded<int32_t> i32(n);
    Guarded<float> y(n);
    for (size_t i = 0; i < n; i++)
      u[i] = static_cast<uint8_t>(i * 37), s[i] = static_cast<int8_t>(u[i]),
      i32[i] = static_cast<int32_t>(i * 1237) - 5000;
    dequantize_u8(u, y.poison(), n, 0.3f, 200);
    for (size_t i = 0; i < n; i++) EXPECT_EQ(y[i], static_cast<float>(u[i] - 200) * 0.3f);
    dequantize_s8(s, y.poison(), n, 0.3f, -100);
    for (size_t i = 0; i < n; i++) EXPECT_EQ(y[i], static_cast<float>(s[i] + 100) * 0.3f);
    dequantize_i32(i32, y.poison(), n, 0.3f, 7);
    for (size_t i = 0; i < n; i++) EXPECT_EQ(y[i], static_cast<float>(i32[i] - 7) * 0.3f);
    EXPECT_TRUE(y.intact());
    requantize_u8(i32, u.poison(), n, 0.05f, 100);
    requantize_s8(i32, s.poison(), n, 0.05f, -10);
    EXPECT_TRUE(u.intact() && s.intact());
    for (size_t i = 0; i < n; i++) {
      float r = std::nearbyint(static_cast<float>(i32[i]) * 0.05f);
      EXPECT_EQ(u[i], std::clamp(r + 100, 0.0f, 255.0f));
      EXPECT_EQ(s[i], std::clamp(r - 10, -128.0f, 127.0f));
    }
  }
}

TEST(Quantize, DynamicParameters) {
  // The examples of the standard's DynamicQuantizeLinear.
  struct Case {
    std::vector<float> x;
    float scale;
    int zero;
  };
  for (const Case& c : {Case{{0, 2, -3, -2.5f, 1.34f, 0.5f}, 0.0196078438f, 153},
                        Case{{-1, -2.1f, -1.3f, -2.5f, -3.34f, -4}, 0.0156862754f, 255},
                        Case{{1, 2.1f, 1.3f, 2.5f, 3.34f, 4, 1.5f, 2.6f, 3.9f, 4, 3, 2.345f}, 0.0156862754f, 0},
                        Case{{0, 0}, 1, 0}, Case{{}, 1, 0}}) {
    Guarded<float> x(c.x);
    QuantParams p = dynamic_quantize_params(range_with_zero_f32(x, x.size()));
    EXPECT_FLOAT_EQ(p.scale, c.scale);
    EXPECT_EQ(p.zero, c.zero);
  }
}

}  // namespace
}  // namespace sardonyx::kernels
