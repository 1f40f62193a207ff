// Convolution in float32 as operators run it: the choice of the algorithm, packed weights, the split over threads.
#pragma once
#include "kernels/conv/conv_gemm.h"
#include "ops/operator.h"
#include "ops/util/conv_geometry.h"

namespace sardonyx {

// gemm serves 1x1 kernels (in place) and all others (implicitly), winograd_line those of 1x3 and 3x1.
enum class ConvKind : uint8_t { gemm, winograd, winograd_line, depthwise };

// What is known of a convolution when its weights are packed. w: [out channels][channels / groups][kernel].
ConvKind choose_conv(const Shape& w, int64_t groups, const WindowAttributes& window);

// The weights (float32) in the form that `kind` wants, all groups one behind the other; scale per output channel (none:
// 1) is multiplied in.
Tensor pack_conv(ConvKind kind, const Tensor& w, int64_t groups, const WindowAttributes& window,
                 std::span<const float> scale);

// The same; w is memory of the caller, which becomes the packed form where it can.
Tensor pack_own_conv(ConvKind kind, Tensor w, int64_t groups, const WindowAttributes& window,
                     std::span<const float> scale);

// Takes constant input 1, float16, for ConvKind::gemm in 16 bits; the unit of its codes. 0 where one is infinite or
// NaN: nothing is done.
float pack_half_conv(PrepareContext& c, int64_t groups, Tensor& packed);
// The same in float32, for one run.
Tensor widen_conv(RunContext& c, const Tensor& codes, float unit);

// shape: of one image and one group. x [batch][groups * channels][in], bias [groups * out_channels] or null,
// y [batch][groups * out_channels][out]. Takes the run's scratch.
struct ConvF32 {
  ConvKind kind;
  kernels::ConvShape shape;
  int64_t batch, groups;
  const float* x;
  const Tensor& packed;
  const float* bias;
  kernels::Epilogue epilogue;  // row_bias is bias
  float* y;
};
void run_conv_f32(RunContext& c, const ConvF32& conv);

// Padded copies may be far larger than the tensors: throws Error (out_of_memory) where their size passes what pointers
// can count.
void check_padded_size(const ConvF32& conv);

// The same in type T without any preparation, for any number of spatial axes. w as in the model; no clamp.
template <class T>
void conv_plain(ThreadPool& pool, const WindowGeometry& g, int64_t batch, int64_t groups, int64_t channels,
                int64_t out_channels, const T* x, const T* w, const T* bias, T* y) {
  const int64_t in = g.in_size(), out = g.out_size(), taps = g.taps();
  pool.parallel_for(batch * groups * out_channels, 1, [&](int64_t from, int64_t to) {
    for (int64_t plane = from; plane < to; plane++) {
      const int64_t channel = plane % (groups * out_channels), group = channel / out_channels;
      const T* source = x + (plane / (groups * out_channels) * groups + group) * channels * in;
      const T* weights = w + channel * channels * taps;
      for (int64_t o = 0; o < out; o++) {
        T sum = bias ? bias[channel] : T{0};
        for (int64_t t = 0; t < taps; t++) {
          const int64_t at = g.offset(o, t);
          if (at < 0) continue;
          for (int64_t i = 0; i < channels; i++) sum += source[i * in + at] * weights[i * taps + t];
        }
        y[plane * out + o] = sum;
      }
    }
  });
}

}  // namespace sardonyx
