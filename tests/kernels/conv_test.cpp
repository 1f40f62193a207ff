// Convolutions (implicit GEMM, 1x1, Winograd, depthwise, transposed) against direct sums in double.
#include "kernels/conv/conv_gemm.h"
#include "kernels/conv/conv_transpose.h"
#include "kernels/conv/depthwise.h"
#include "kernels/conv/winograd.h"
#include "kernels/conv/winograd_line.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

// A 2-D convolution; end pads may be negative, as may be the others.
ConvShape conv2d(size_t c, size_t m, size_t h, size_t w, size_t kh, size_t kw, size_t stride, size_t dilation,
                 ptrdiff_t top, ptrdiff_t left, ptrdiff_t bottom, ptrdiff_t right) {
  ConvShape s;
  s.channels = c;
  s.out_channels = m;
  s.in[1] = h, s.in[2] = w, s.kernel[1] = kh, s.kernel[2] = kw;
  s.stride[1] = s.stride[2] = stride;
  s.dilation[1] = s.dilation[2] = dilation;
  s.pad[1] = top, s.pad[2] = left;
  s.out[1] = (h + top + bottom - ((kh - 1) * dilation + 1)) / stride + 1;
  s.out[2] = (w + left + right - ((kw - 1) * dilation + 1)) / stride + 1;
  return s;
}

ConvShape conv3d(size_t c, size_t m, std::array<size_t, 3> in, std::array<size_t, 3> k, size_t stride, ptrdiff_t pad) {
  ConvShape s;
  s.channels = c, s.out_channels = m;
  for (int i = 0; i < 3; i++) {
    s.in[i] = in[i], s.kernel[i] = k[i], s.stride[i] = stride, s.pad[i] = pad;
    s.out[i] = (in[i] + 2 * pad - k[i]) / stride + 1;
  }
  return s;
}

double tap(const ConvShape& s, const float* x, size_t z, size_t y, size_t xx, size_t kz, size_t ky, size_t kx) {
  size_t o[3] = {z, y, xx}, k[3] = {kz, ky, kx}, at = 0;
  for (int i = 0; i < 3; i++) {
    ptrdiff_t p = static_cast<ptrdiff_t>(o[i] * s.stride[i] + k[i] * s.dilation[i]) - s.pad[i];
    if (p < 0 || p >= static_cast<ptrdiff_t>(s.in[i])) return 0;
    at = at * s.in[i] + static_cast<size_t>(p);
  }
  return x[at];
}

template <class F>
void for_taps(const Window& s, F f) {
  for (size_t kz = 0; kz < s.kernel[0]; kz++)
    for (size_t ky = 0; ky < s.kernel[1]; ky++)
      for (size_t kx = 0; kx < s.kernel[2]; kx++) f(kz, ky, kx);
}

// A stand-in for activations that shows if one is left out or applied twice.
void scale_and_shift(const float* x, float* y, size_t n, float alpha, float beta) noexcept {
  for (size_t i = 0; i < n; i++) y[i] = x[i] * alpha + beta;
}
double finished(double v, const Epilogue& e) {
  return e.activation ? v * static_cast<double>(e.alpha) + static_cast<double>(e.beta) : v;
}

std::vector<double> direct(const ConvShape& s, const float* x, const float* w, const float* start, const Epilogue& e) {
  std::vector<double> out;
  for (size_t m = 0; m < s.out_channels; m++)
    for (size_t p = 0; p < s.out_size(); p++) {
      size_t z = p / s.out[2] / s.out[1], y = p / s.out[2] % s.out[1], xx = p % s.out[2], t = 0;
      double sum = (e.row_bias ? e.row_bias[m] : 0) + (e.accumulate ? start[out.size()] : 0);
      for (size_t c = 0; c < s.channels; c++)
        for_taps(s, [&](size_t kz, size_t ky, size_t kx) {
          sum += tap(s, x + c * s.in_size(), z, y, xx, kz, ky, kx) * w[m * s.channels * s.taps() + t++];
        });
      out.push_back(finished(std::min<double>(e.hi, std::max<double>(e.lo, sum)), e));
    }
  return out;
}

struct Data {
  Guarded<float> x, w, bias, start;
  explicit Data(const ConvShape& s)
      : x(random_floats(s.channels * s.in_size(), 1)),
        w(random_floats(s.out_channels * s.channels * s.taps(), 2, -0.5f, 0.5f)),
        bias(random_floats(s.out_channels, 3)),
        start(random_floats(s.out_channels * s.out_size(), 4)) {}

  std::vector<Epilogue> epilogues() const {
    std::vector<Epilogue> list(3);
    list[1].row_bias = bias;
    list[1].lo = 0;
    list[2].row_bias = bias;
    list[2].accumulate = true;
    list[2].lo = -1;
    list[2].hi = 1;
    return list;
  }

  // The residual lies in another tensor than y, and an activation follows.
  Epilogue residual(const float* y) const {
    Epilogue e;
    e.row_bias = bias;
    e.accumulate = true;
    e.addend = static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(start.data()) - reinterpret_cast<uintptr_t>(y));
    e.activation = scale_and_shift;
    e.alpha = -0.75f;
    e.beta = 2;
    return e;
  }

  Guarded<float> output(const Epilogue& e) const {
    Guarded<float> y(start.size());
    if (e.accumulate)
      std::copy_n(start.data(), y.size(), y.data());
    else
      y.poison();
    return y;
  }
};

std::string name_of(const ConvShape& s) {
  std::string out;
  auto list = [&](const char* what, auto... v) { ((out += what, out += std::to_string(v) + " "), ...); };
  list("channels ", s.channels, s.out_channels);
  for (int i = 0; i < 3; i++) list("axis ", s.in[i], s.kernel[i], s.stride[i], s.dilation[i], s.pad[i], s.out[i]);
  return out;
}

std::vector<ConvShape> shapes() {
  std::vector<ConvShape> list = {
      conv2d(3, 5, 9, 11, 3, 3, 1, 1, 1, 1, 1, 1),    conv2d(3, 6, 17, 19, 3, 3, 2, 1, 1, 1, 1, 1),
      conv2d(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0),     conv2d(2, 7, 14, 14, 3, 3, 1, 1, 1, 1, 1, 1),
      conv2d(4, 13, 7, 7, 5, 5, 1, 1, 2, 2, 2, 2),    conv2d(2, 4, 14, 14, 5, 5, 2, 1, 2, 2, 2, 2),
      conv2d(3, 8, 23, 23, 7, 7, 2, 1, 3, 3, 3, 3),   conv2d(2, 3, 12, 13, 3, 3, 1, 2, 2, 2, 2, 2),
      conv2d(2, 3, 12, 16, 3, 3, 3, 1, 0, 1, 2, 0),   conv2d(5, 9, 8, 8, 1, 1, 2, 1, 0, 0, 0, 0),
      conv2d(2, 6, 6, 40, 1, 3, 1, 1, 0, 1, 0, 1),    conv2d(2, 6, 40, 3, 3, 1, 1, 1, 1, 0, 1, 0),
      conv2d(3, 4, 9, 10, 3, 3, 1, 1, -1, -2, 1, 1),  conv2d(3, 4, 9, 10, 2, 2, 1, 1, 0, 0, -1, -2),
      conv2d(2, 3, 5, 5, 3, 3, 1, 1, 4, 3, 5, 0),     conv2d(1, 2, 1, 50, 1, 7, 1, 1, 0, 3, 0, 3),
      conv2d(40, 37, 10, 9, 3, 3, 1, 1, 1, 1, 1, 1),  conv2d(2, 3, 3, 2, 3, 2, 1, 1, 1, 1, 1, 1),
      conv2d(300, 6, 40, 40, 3, 3, 1, 1, 0, 0, 0, 0), conv2d(2, 3, 16, 9, 3, 3, 2, 2, 0, 2, 3, 1),
      conv3d(2, 5, {5, 6, 7}, {3, 3, 3}, 1, 1),       conv3d(2, 3, {6, 7, 9}, {2, 3, 2}, 2, 1),
      conv3d(3, 4, {4, 4, 4}, {1, 1, 1}, 1, 0),       conv3d(1, 2, {8, 9, 17}, {3, 2, 5}, 1, 0),
  };
  for (size_t w = 1; w <= 12; w++) list.push_back(conv2d(2, 6, 4, w, 3, 3, 1, 1, 1, 1, 1, 1));
  for (size_t w = 3; w <= 20; w++) list.push_back(conv2d(2, 6, 5, w, 3, 3, 2, 1, 1, 0, 1, 1));
  return list;
}

TEST(ConvGemm, AllShapes) {
  for (const ConvShape& s : shapes()) {
    SCOPED_TRACE(name_of(s));
    Data d(s);
    size_t k = s.channels * s.taps();
    Guarded<float> packed(gemm_packed_a_size(s.out_channels, k)), padded(conv_padded_size(s)),
        scratch(conv_gemm_scratch_size(s));
    gemm_pack_a_f32(s.out_channels, k, {d.w, k, 1}, 1, packed);
    if (padded.size()) conv_pad_f32(s, d.x, padded.poison(), 0, s.channels);
    const float* source = padded.size() ? padded.data() : d.x.data();
    for (const Epilogue& e : d.epilogues()) {
      auto expected = direct(s, d.x, d.w, d.start, e);
      Guarded<float> y = d.output(e), split = d.output(e);
      conv_gemm_f32(s, packed, source, y, 0, conv_panels(s), scratch.poison(), e);
      EXPECT_TRUE(close(y, expected, y.size(), 1e-6 * (5 + k / 4.0), 0));
      for (size_t p = 0; p < conv_panels(s); p += 3) {
        conv_gemm_f32(s, packed, source, split, p, std::min(conv_panels(s), p + 3), scratch.poison(), e);
      }
      EXPECT_EQ(std::memcmp(y, split, y.size() * sizeof(float)), 0) << "a split changes the result";
      EXPECT_TRUE(y.intact() && split.intact() && scratch.intact() && padded.intact());
    }
  }
}

TEST(Conv1x1, ReadsInPlace) {
  for (size_t n : {1, 7, 8, 9, 49, 64})
    for (size_t c : {1, 5, 100}) {
      ConvShape s = conv2d(c, 37, 1, n, 1, 1, 1, 1, 0, 0, 0, 0);
      ASSERT_TRUE(conv_is_1x1(s));
      Data d(s);
      Guarded<float> packed(gemm_packed_a_size(37, c)), scratch(gemm_scratch_size(c, n));
      gemm_pack_a_f32(37, c, {d.w, c, 1}, 1, packed);
      for (const Epilogue& e : d.epilogues()) {
        Guarded<float> y = d.output(e);
        conv1x1_f32(s, packed, d.x, y, 0, n, scratch, e);
        EXPECT_TRUE(close(y, direct(s, d.x, d.w, d.start, e), y.size(), 1e-6 * (5 + c / 4.0), 0)) << n << " " << c;
        EXPECT_TRUE(y.intact());
      }
    }
  EXPECT_FALSE(conv_is_1x1(conv2d(1, 1, 4, 4, 1, 1, 2, 1, 0, 0, 0, 0)));
  EXPECT_FALSE(conv_is_1x1(conv2d(1, 1, 4, 4, 1, 1, 1, 1, 1, 0, 0, 0)));
  EXPECT_FALSE(conv_is_1x1(conv2d(1, 1, 4, 4, 1, 1, 1, 1, 0, 0, 0, -1)));
}

// Winograd on images that lie one behind the other.
struct WinogradRun {
  const ConvShape& s;
  Images images;
  WinogradWork work;
  Guarded<float> packed, input, scratch;
  WinogradRun(const ConvShape& shape, const float* w, size_t count)
      : s(shape),
        images{count, shape.channels * shape.in_size(), shape.out_channels * shape.out_size()},
        work(winograd_work(shape, count)),
        packed(winograd_weights_size(shape)),
        input(work.input),
        scratch(work.scratch) {
    winograd_pack_weights(s, w, packed.poison());
    EXPECT_LE(packed.size(), 2 * (shape.out_channels + 3) * (shape.channels + 1) * shape.taps() + 16);
  }
  void whole(const float* x, float* y, const Epilogue& e) {
    for (size_t b = 0; b < work.blocks; b++) {
      winograd_input_f32(s, images, x, b, 0, work.units, input.poison(), scratch.poison());
      winograd_output_f32(s, images, packed, input, y, b, 0, work.pieces, scratch.poison(), e);
    }
  }
  // The last first, as threads may take them.
  void in_pieces(const float* x, float* y, const Epilogue& e) {
    for (size_t b = work.blocks; b-- > 0;) {
      input.poison();
      for (size_t u = work.units; u-- > 0;) winograd_input_f32(s, images, x, b, u, u + 1, input, scratch.poison());
      for (size_t p = work.pieces; p-- > 0;) {
        winograd_output_f32(s, images, packed, input, y, b, p, p + 1, scratch.poison(), e);
      }
    }
  }
  bool intact() const { return packed.intact() && input.intact() && scratch.intact(); }
};

TEST(Winograd, AllPads) {
  std::vector<ConvShape> list = {
      conv2d(40, 37, 10, 9, 3, 3, 1, 1, 1, 1, 1, 1), conv2d(16, 24, 28, 28, 3, 3, 1, 1, 1, 1, 1, 1),
      conv2d(3, 4, 9, 10, 3, 3, 1, 1, -1, -2, 1, 1), conv2d(2, 3, 5, 5, 3, 3, 1, 1, 4, 3, 5, 0),
      conv2d(1, 1, 3, 3, 3, 3, 1, 1, 0, 0, 0, 0)};
  for (size_t h = 1; h <= 9; h++)
    for (size_t w = 1; w <= 18; w++) list.push_back(conv2d(2, 7, h, w, 3, 3, 1, 1, 1, 1, 1, 1));
  list.push_back(conv2d(3, 5, 13, 14, 3, 3, 1, 1, 0, 2, 1, 0));
  for (size_t k : {4, 5})
    for (size_t w = 1; w <= 11; w++) list.push_back(conv2d(3, 6, 7, w, k, k, 1, 1, 2, 2, 2, 2));
  for (size_t k = 5; k <= 10; k++) {
    for (size_t w = 7; w <= 23; w++) list.push_back(conv2d(2, 5, 30 - w, w, k, k, 2, 1, 3, 2, 1, 3));
    list.push_back(conv2d(3, 5, 12, 31, k, k, 2, 1, -1, -2, 0, 0));
  }
  list.push_back(conv2d(24, 13, 26, 26, 5, 5, 1, 1, 2, 2, 2, 2));
  list.push_back(conv2d(3, 16, 33, 35, 7, 7, 2, 1, 3, 3, 3, 3));
  for (size_t d = 2; d <= 6; d++) {
    const ptrdiff_t p = static_cast<ptrdiff_t>(d);
    for (size_t w = 1; w <= 20; w += d) list.push_back(conv2d(3, 7, 21 - w, w, 3, 3, 1, d, p, p, p, p));
    list.push_back(conv2d(3, 5, 19, 22, 3, 3, 1, d, 0, 1, 2, 0));
    list.push_back(conv2d(2, 5, 30, 31, 5, 4, 1, d, 1 - p, -2, 0, p));
    list.back().kernel[2] = 5, list.back().out[2]--;
  }
  for (size_t depth = 1; depth <= 6; depth++) {
    list.push_back(conv3d(3, 7, {depth, 9, 10}, {3, 3, 3}, 1, 1));
    list.push_back(conv3d(2, 5, {depth + 1, 12, 7}, {2, 5, 5}, 2, 2));
    list.push_back(conv3d(2, 5, {depth, 6, 7}, {1, 3, 3}, 1, 0));
    list.back().stride[0] = 2, list.back().out[0] = (depth + 1) / 2;
    list.push_back(conv3d(3, 5, {depth + 4, 8, 11}, {3, 3, 3}, 1, 0));
    ConvShape& s = list.back();
    for (int i = 0; i < 3; i++) s.dilation[i] = 2, s.out[i] = s.in[i] - 4;
  }
  for (const ConvShape& s : list) {
    SCOPED_TRACE(name_of(s));
    ASSERT_TRUE(winograd_applies(s));
    Data d(s);
    WinogradRun run(s, d.w, 1);
    for (const Epilogue& e : d.epilogues()) {
      auto expected = direct(s, d.x, d.w, d.start, e);
      Guarded<float> y = d.output(e), split = d.output(e);
      run.whole(d.x, y, e);
      EXPECT_TRUE(close(y, expected, y.size(), 4e-6 * (1 + std::sqrt(s.channels)), 0));
      run.in_pieces(d.x, split, e);
      EXPECT_EQ(std::memcmp(y, split, y.size() * sizeof(float)), 0) << "a split changes the result";
      EXPECT_TRUE(y.intact() && split.intact() && run.intact());
    }
    Guarded<float> y = d.output({});
    run.whole(d.x, y, d.residual(y));
    EXPECT_TRUE(close(y, direct(s, d.x, d.w, d.start, d.residual(y)), y.size(), 4e-6 * (1 + std::sqrt(s.channels)), 0));
    EXPECT_TRUE(y.intact());
  }
  EXPECT_FALSE(winograd_applies(conv2d(3, 3, 9, 9, 3, 3, 2, 1, 1, 1, 1, 1)));
  EXPECT_FALSE(winograd_applies(conv2d(3, 3, 19, 19, 3, 3, 1, 7, 7, 7, 7, 7)));
  EXPECT_FALSE(winograd_applies(conv2d(3, 3, 19, 19, 5, 5, 2, 2, 4, 4, 4, 4)));
  EXPECT_FALSE(winograd_applies(conv3d(3, 3, {3, 9, 9}, {3, 1, 1}, 1, 1)));
  EXPECT_FALSE(winograd_applies(conv2d(3, 3, 9, 9, 6, 6, 1, 1, 1, 1, 1, 1)));
  EXPECT_FALSE(winograd_applies(conv2d(3, 3, 9, 9, 5, 4, 2, 1, 1, 1, 1, 1)));
  EXPECT_FALSE(winograd_applies(conv2d(3, 3, 9, 9, 5, 5, 3, 1, 1, 1, 1, 1)));
}

TEST(WinogradLine, AllPads) {
  std::vector<ConvShape> list;
  for (bool down : {false, true}) {
    const auto add = [&](size_t c, size_t m, size_t h, size_t w, ptrdiff_t top, ptrdiff_t left, ptrdiff_t bottom,
                         ptrdiff_t right) {
      list.push_back(conv2d(c, m, h, w, down ? 3 : 1, down ? 1 : 3, 1, 1, top, left, bottom, right));
    };
    for (size_t h = 3; h <= 9; h++)
      for (size_t w = 3; w <= 18; w += h) add(2, 7, h, w, 0, 0, 0, 0), add(3, 5, h, w, 1, 1, 1, 1);
    add(3, 13, 40, 33, 0, 1, 0, 1);
    add(40, 37, 12, 9, 1, 0, 1, 0);
    add(150, 30, 30, 30, 0, 0, 0, 0);
    add(2, 3, 5, 6, 9, 8, 4, 7);
    add(2, 3, 9, 10, -2, -3, -1, 0);
    add(5, 6, 3, down ? 1 : 3, 0, 0, 0, 0);
  }
  for (size_t w = 1; w <= 33; w += 4) list.push_back(conv2d(12, 9, 1, w, 1, 3, 1, 1, 0, 1, 0, 1));
  for (size_t h = 1; h <= 33; h += 4) list.push_back(conv2d(12, 9, h, 1, 3, 1, 1, 1, 1, 0, 1, 0));
  for (const ConvShape& s : list) {
    SCOPED_TRACE(name_of(s));
    ASSERT_TRUE(winograd_line_applies(s));
    Data d(s);
    Guarded<float> packed(winograd_line_weights_size(s)), scratch(winograd_line_scratch_size(s));
    winograd_line_pack_weights(s, d.w, packed.poison());
    const double tolerance = 4e-6 * (1 + std::sqrt(s.channels));
    const size_t blocks = winograd_line_blocks(s), m = s.out_channels;
    for (const Epilogue& e : d.epilogues()) {
      Guarded<float> y = d.output(e), split = d.output(e);
      for (size_t b = 0; b < blocks; b++) winograd_line_f32(s, packed, d.x, y, b, 0, m, scratch.poison(), e);
      EXPECT_TRUE(close(y, direct(s, d.x, d.w, d.start, e), y.size(), tolerance, 0));
      for (size_t b = blocks; b-- > 0;) {
        for (size_t o = 0; o < m; o += kLineRows)
          winograd_line_f32(s, packed, d.x, split, b, o, std::min(m, o + kLineRows), scratch.poison(), e);
      }
      EXPECT_EQ(std::memcmp(y, split, y.size() * sizeof(float)), 0) << "a split changes the result";
      EXPECT_TRUE(y.intact() && split.intact() && packed.intact() && scratch.intact());
    }
    Guarded<float> y = d.output({});
    for (size_t b = 0; b < blocks; b++) winograd_line_f32(s, packed, d.x, y, b, 0, m, scratch.poison(), d.residual(y));
    EXPECT_TRUE(close(y, direct(s, d.x, d.w, d.start, d.residual(y)), y.size(), tolerance, 0) && y.intact());
  }
  EXPECT_FALSE(winograd_line_applies(conv2d(3, 3, 9, 9, 3, 3, 1, 1, 1, 1, 1, 1)));
  EXPECT_FALSE(winograd_line_applies(conv2d(3, 3, 9, 9, 1, 3, 2, 1, 0, 1, 0, 1)));
  EXPECT_FALSE(winograd_line_applies(conv2d(3, 3, 9, 9, 3, 1, 1, 2, 1, 0, 1, 0)));
}

TEST(Winograd, ImagesShareBlocks) {
  for (const ConvShape& s :
       {conv2d(13, 37, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1), conv2d(3, 9, 20, 21, 5, 5, 1, 1, 2, 2, 2, 2),
        conv2d(5, 30, 15, 14, 7, 7, 2, 1, 3, 3, 3, 3), conv2d(3, 9, 45, 46, 3, 3, 1, 1, 1, 1, 1, 1)})
    for (size_t count : {2, 3, 7}) {
      SCOPED_TRACE(name_of(s) + std::to_string(count));
      Data d(s);
      Guarded<float> x(random_floats(s.channels * s.in_size() * count, 5)), y(s.out_channels * s.out_size() * count);
      WinogradRun run(s, d.w, count);
      Epilogue e;
      e.row_bias = d.bias;
      e.lo = 0;
      run.whole(x, y.poison(), e);
      for (size_t i = 0; i < count; i++) {
        auto expected = direct(s, x + i * run.images.x_step, d.w, nullptr, e);
        const float* image = y + i * run.images.y_step;
        EXPECT_TRUE(close(image, expected, expected.size(), 4e-6 * (1 + std::sqrt(s.channels)), 0));
      }
      EXPECT_TRUE(y.intact() && run.intact());
    }
}

TEST(Depthwise, AllShapes) {
  std::vector<ConvShape> list = shapes();
  for (size_t stride : {1, 2})
    for (size_t h = 1; h <= 6; h++)
      for (size_t w = 1; w <= 13; w++)
        for (int pads = 0; pads < 16; pads++)
          for (size_t k : {3, 5}) {
            ptrdiff_t p[4] = {pads & 1, pads >> 1 & 1, pads >> 2 & 1, pads >> 3};
            if (h + p[0] + p[2] < k || w + p[1] + p[3] < k) continue;
            list.push_back(conv2d(1, 1, h, w, k, k, stride, 1, p[0], p[1], p[2], p[3]));
          }
  // Planes of few rows, all of whose windows hang over an edge; strides that differ by axis; wide rows.
  for (size_t strides : {11, 21, 22, 12})
    for (size_t h : {1, 2, 3, 6})
      for (size_t w : {5, 16, 19, 28, 35})
        for (size_t k : {3, 5}) {
          const auto pad = static_cast<ptrdiff_t>(k / 2);
          ConvShape s = conv2d(1, 1, h, w, k, k, 1, 1, pad, pad, pad, pad);
          for (int i : {1, 2})
            s.stride[i] = i == 1 ? strides / 10 : strides % 10, s.out[i] = (s.in[i] - 1) / s.stride[i] + 1;
          list.push_back(s);
        }
  for (ConvShape s : list) {
    s.channels = s.out_channels = 1;
    SCOPED_TRACE(name_of(s));
    Data d(s);
    Guarded<float> scratch(depthwise_scratch_size(s));
    for (const Epilogue& e : d.epilogues()) {
      Guarded<float> y = d.output(e);
      depthwise_plane_f32(s, d.x, d.w, y, scratch.poison(), e);
      EXPECT_TRUE(close(y, direct(s, d.x, d.w, d.start, e), y.size(), 1e-5, 0));
      EXPECT_TRUE(y.intact() && scratch.intact());
    }
    Guarded<float> y = d.output({});
    depthwise_plane_f32(s, d.x, d.w, y, scratch.poison(), d.residual(y));
    EXPECT_TRUE(close(y, direct(s, d.x, d.w, d.start, d.residual(y)), y.size(), 1e-5, 0) && y.intact());
  }
}

std::vector<double> direct_transpose(const ConvShape& s, const float* x, const float* w, const float* start,
                                     const Epilogue& e) {
  std::vector<double> out(s.out_channels * s.out_size());
  for (size_t i = 0; i < out.size(); i++) {
    out[i] = (e.row_bias ? e.row_bias[i / s.out_size()] : 0) + (e.accumulate ? start[i] : 0);
  }
  for (size_t c = 0; c < s.channels; c++)
    for (size_t m = 0; m < s.out_channels; m++)
      for (size_t p = 0; p < s.in_size(); p++) {
        size_t in[3] = {p / s.in[2] / s.in[1], p / s.in[2] % s.in[1], p % s.in[2]}, t = 0;
        for_taps(s, [&](size_t kz, size_t ky, size_t kx) {
          double wv = w[(c * s.out_channels + m) * s.taps() + t++];
          size_t k[3] = {kz, ky, kx}, at = m;
          for (int i = 0; i < 3; i++) {
            ptrdiff_t o = static_cast<ptrdiff_t>(in[i] * s.stride[i] + k[i] * s.dilation[i]) - s.pad[i];
            if (o < 0 || o >= static_cast<ptrdiff_t>(s.out[i])) return;
            at = at * s.out[i] + static_cast<size_t>(o);
          }
          out[at] += wv * x[c * s.in_size() + p];
        });
      }
  for (double& v : out) v = std::min<double>(e.hi, std::max<double>(e.lo, v));
  return out;
}

TEST(ConvTranspose, AllShapes) {
  std::vector<ConvShape> list;
  auto add = [&](size_t c, size_t m, std::array<size_t, 3> in, std::array<size_t, 3> k, size_t stride, size_t dilation,
                 ptrdiff_t pad, size_t extra) {
    ConvShape s;
    s.channels = c, s.out_channels = m;
    for (int i = 0; i < 3; i++) {
      s.in[i] = in[i], s.kernel[i] = k[i];
      if (in[i] == 1 && k[i] == 1) continue;
      s.stride[i] = stride, s.dilation[i] = dilation, s.pad[i] = pad;
      s.out[i] = (in[i] - 1) * stride + (k[i] - 1) * dilation + 1 - 2 * pad + extra;
    }
    list.push_back(s);
  };
  add(3, 5, {1, 6, 7}, {1, 2, 2}, 2, 1, 0, 0);
  add(2, 70, {1, 5, 4}, {1, 3, 3}, 1, 1, 1, 0);
  add(4, 9, {1, 9, 3}, {1, 4, 4}, 2, 1, 1, 0);
  add(1, 1, {1, 3, 3}, {1, 3, 3}, 2, 2, 2, 1);
  add(2, 3, {1, 1, 30}, {1, 1, 5}, 3, 1, 1, 2);
  add(2, 3, {3, 4, 5}, {2, 3, 2}, 2, 1, 1, 1);
  add(5, 65, {1, 33, 37}, {1, 2, 2}, 2, 1, 0, 0);
  add(1, 2, {1, 1, 4}, {1, 1, 8}, 1, 1, 5, 0);
  for (const ConvShape& s : list) {
    SCOPED_TRACE(name_of(s));
    Data d(s);
    Guarded<float> packed(conv_transpose_weights_size(s)), scratch(conv_transpose_scratch_size(s));
    conv_transpose_pack_weights(s, d.w, packed.poison());
    for (const Epilogue& e : d.epilogues()) {
      Guarded<float> y = d.output(e);
      for (size_t q = 0; q < conv_transpose_chunks(s); q++) {
        conv_transpose_f32(s, packed, d.x, y, q, q + 1, scratch.poison(), e);
      }
      EXPECT_TRUE(close(y, direct_transpose(s, d.x, d.w, d.start, e), y.size(), 1e-5, 0));
      EXPECT_TRUE(y.intact() && scratch.intact() && packed.intact());
    }
  }
}

}  // namespace
}  // namespace sardonyx::kernels
