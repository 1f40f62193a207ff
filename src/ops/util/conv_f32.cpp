// Float32 convolutions: packing and running.
#include "ops/util/conv_f32.h"

#include <algorithm>

#include "kernels/conv/depthwise.h"
#include "kernels/conv/winograd.h"
#include "kernels/conv/winograd_line.h"
#include "kernels/half/codes.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

using kernels::ConvShape;

constexpr uint64_t kTaskWork = uint64_t{1} << 18;   // multiply-adds per task, at least about
constexpr size_t kMostTasks = 32;                   // of a 1x1 convolution, about
constexpr uint64_t kPlaneWork = uint64_t{1} << 16;  // likewise, of depthwise planes
constexpr int64_t kWinogradChannels = 12;           // with phases; below, the transforms cost more than they save
constexpr int64_t kWinogradOutputs = 8;
constexpr double kWinogradGain = 2;  // likewise, of multiplications

size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

int64_t packed_group_size(ConvKind kind, const ConvShape& s) {
  switch (kind) {
    case ConvKind::winograd:
      return static_cast<int64_t>(kernels::winograd_weights_size(s));
    case ConvKind::winograd_line:
      return static_cast<int64_t>(kernels::winograd_line_weights_size(s));
    case ConvKind::depthwise:
      return static_cast<int64_t>(s.out_channels * s.taps());
    default:
      return static_cast<int64_t>(kernels::gemm_packed_a_size(s.out_channels, s.channels * s.taps()));
  }
}

// One of batch * groups convolutions.
struct Part {
  const float *x, *w;
  float* y;
  kernels::Epilogue epilogue;
};
Part part_of(const ConvF32& c, int64_t i, int64_t group_size) {
  const ConvShape& s = c.shape;
  const int64_t group = i % c.groups;
  Part p{c.x + static_cast<size_t>(i) * s.channels * s.in_size(), c.packed.data<float>() + group * group_size,
         c.y + static_cast<size_t>(i) * s.out_channels * s.out_size(), c.epilogue};
  if (c.bias) p.epilogue.row_bias = c.bias + static_cast<size_t>(group) * s.out_channels;
  return p;
}

// A convolution of one image and group as a product: m x k times k x n.
struct Product {
  size_t m, k, n;
  explicit Product(const ConvShape& s) : m(s.out_channels), k(s.channels * s.taps()), n(s.out_size()) {}
  size_t panels() const { return ceil_div(n, 8); }
  uint64_t work() const { return uint64_t{m} * k * n; }
};

// How it is cut: blocks of columns first (panels of 8, as even as they can be, at most so many in a block), then rows
// where these are few. parts: images and groups that are cut so, side by side.
struct Cut {
  size_t columns, rows;
  Cut(const Product& p, size_t most_panels, size_t parts) {
    constexpr size_t kLeastPanels = 8, kEnough = 8, kLeastRows = 24;
    const size_t wanted =
        static_cast<size_t>(std::clamp<uint64_t>(p.work() / kTaskWork, 1, ceil_div(kMostTasks, parts)));
    columns = std::max(ceil_div(p.panels(), most_panels), std::min(wanted, p.panels() / kLeastPanels));
    rows = columns * parts >= kEnough ? 1 : std::clamp<size_t>(p.m / kLeastRows, 1, ceil_div(wanted, columns));
  }
  int64_t tasks() const { return static_cast<int64_t>(columns * rows); }
};

// Where piece i of `count` begins, when `n` units are cut evenly.
size_t piece(uint64_t n, uint64_t count, uint64_t i) { return static_cast<size_t>(n * i / count); }

// Task i of a cut: all of B is there, packed or as it lies.
void multiply(const Product& p, const Cut& cut, size_t i, const Part& part, const kernels::GemmB& b, float* scratch) {
  const size_t row = i / cut.columns, column = i % cut.columns;
  kernels::gemm_f32_block(
      p.m, p.k, p.n, kernels::gemm_strip_floor(p.m, piece(p.m, cut.rows, row)),
      kernels::gemm_strip_floor(p.m, piece(p.m, cut.rows, row + 1)), piece(p.panels(), cut.columns, column) * 8,
      std::min(p.n, piece(p.panels(), cut.columns, column + 1) * 8), part.w, b, part.y, p.n, scratch, part.epilogue);
}

// Tasks that share columns share their packed form too: pack(p0, p1) makes these panels of `packed`, then all tasks
// run.
template <class Pack>
void multiply_packed(ThreadPool& pool, const Product& p, const Cut& cut, const Part& part, const float* packed,
                     Pack pack) {
  pool.parallel_for(static_cast<int64_t>(p.panels()), 4,
                    [&](int64_t from, int64_t to) { pack(static_cast<size_t>(from), static_cast<size_t>(to)); });
  pool.parallel_for(cut.tasks(), 1, [&](int64_t from, int64_t to) {
    for (; from < to; from++) multiply(p, cut, static_cast<size_t>(from), part, {{packed, p.n, 1}, true}, nullptr);
  });
}

void run_1x1(RunContext& c, const ConvF32& conv) {
  const Product p(conv.shape);
  const int64_t parts = conv.batch * conv.groups, group_size = packed_group_size(conv.kind, conv.shape);
  const Cut cut(p, kernels::gemm_block_columns(p.k) / 8, static_cast<size_t>(parts));
  if (cut.rows > 1) {
    ScratchSlots<float> slots(c, 0, static_cast<int64_t>(kernels::gemm_packed_b_size(p.k, p.n)));
    for (int64_t i = 0; i < parts; i++) {
      const Part part = part_of(conv, i, group_size);
      multiply_packed(c.pool(), p, cut, part, slots.shared(), [&](size_t p0, size_t p1) {
        const size_t n0 = p0 * 8, n1 = std::min(p.n, p1 * 8);
        kernels::gemm_pack_b_f32(p.k, n1 - n0, {part.x + n0, p.n, 1}, slots.shared() + n0 * p.k);
      });
    }
    return;
  }
  const int64_t tasks = cut.tasks();
  const uint64_t work = std::max<uint64_t>(1, p.work() / cut.columns);
  ScratchSlots<float> slots(c, static_cast<int64_t>(kernels::gemm_scratch_size(p.k, p.n)));
  c.pool().parallel_for(parts * tasks, static_cast<int64_t>(std::max<uint64_t>(1, kTaskWork / 2 / work)),
                        [&](int64_t from, int64_t to) {
                          ScratchSlots<float>::Lease scratch(slots);
                          for (int64_t i = from; i < to; i++) {
                            const Part part = part_of(conv, i / tasks, group_size);
                            multiply(p, cut, static_cast<size_t>(i % tasks), part, {{part.x, p.n, 1}}, scratch.data());
                          }
                        });
}

// The implicit product: a padded copy of the groups of one image, then the panels of pixels and their products.
void run_implicit(RunContext& c, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  check_padded_size(conv);
  const Product p(s);
  const Cut cut(p, kernels::conv_block_panels(s), static_cast<size_t>(conv.groups));
  const int64_t padded = static_cast<int64_t>(kernels::conv_padded_size(s)), all_padded = padded * conv.groups;
  const int64_t channels = static_cast<int64_t>(s.channels), blocks = static_cast<int64_t>(cut.columns);
  const int64_t group_size = packed_group_size(conv.kind, s);
  const int64_t gathered = static_cast<int64_t>(kernels::gemm_packed_b_size(p.k, p.n));
  ScratchSlots<float> slots(c, cut.rows > 1 ? 0 : static_cast<int64_t>(kernels::conv_gemm_scratch_size(s)),
                            all_padded + (cut.rows > 1 ? gathered : 0));
  const int64_t pad_grain = std::max<int64_t>(1, int64_t{1 << 15} / static_cast<int64_t>(s.in_size() + 1));
  const auto source = [&](const Part& part, int64_t group) {
    return padded ? slots.shared() + group * padded : part.x;
  };
  for (int64_t image = 0; image < conv.batch; image++) {
    const int64_t first = image * conv.groups;
    if (padded) {
      c.pool().parallel_for(conv.groups * channels, pad_grain, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) {
          const size_t channel = static_cast<size_t>(i % channels);
          kernels::conv_pad_f32(s, part_of(conv, first + i / channels, 0).x, slots.shared() + i / channels * padded,
                                channel, channel + 1);
        }
      });
    }
    for (int64_t group = 0; cut.rows > 1 && group < conv.groups; group++) {
      const Part part = part_of(conv, first + group, group_size);
      float* panels = slots.shared() + all_padded;
      multiply_packed(c.pool(), p, cut, part, panels, [&](size_t p0, size_t p1) {
        kernels::conv_gather_f32(s, source(part, group), p0, p1, panels + p0 * 8 * p.k);
      });
    }
    if (cut.rows > 1) continue;
    c.pool().parallel_for(conv.groups * blocks, 1, [&](int64_t from, int64_t to) {
      ScratchSlots<float>::Lease scratch(slots);
      for (int64_t i = from; i < to; i++) {
        const Part part = part_of(conv, first + i / blocks, group_size);
        const size_t block = static_cast<size_t>(i % blocks);
        kernels::conv_gemm_f32(s, part.w, source(part, i / blocks), part.y, piece(p.panels(), cut.columns, block),
                               piece(p.panels(), cut.columns, block + 1), scratch.data(), part.epilogue);
      }
    });
  }
}

void run_winograd(RunContext& c, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  check_padded_size(conv);
  const size_t groups = static_cast<size_t>(conv.groups);
  const kernels::Images images{static_cast<size_t>(conv.batch), groups * s.channels * s.in_size(),
                               groups * s.out_channels * s.out_size()};
  const kernels::WinogradWork work = kernels::winograd_work(s, images.count);
  const int64_t group_size = packed_group_size(conv.kind, s);
  const int64_t grain = std::max<int64_t>(1, int64_t{1 << 15} / static_cast<int64_t>(work.input / work.units + 1));
  ScratchSlots<float> slots(c, static_cast<int64_t>(work.scratch), static_cast<int64_t>(work.input));
  for (int64_t group = 0; group < conv.groups; group++) {
    const Part p = part_of(conv, group, group_size);
    for (size_t block = 0; block < work.blocks; block++) {
      c.pool().parallel_for(static_cast<int64_t>(work.units), grain, [&](int64_t from, int64_t to) {
        ScratchSlots<float>::Lease scratch(slots);
        kernels::winograd_input_f32(s, images, p.x, block, static_cast<size_t>(from), static_cast<size_t>(to),
                                    slots.shared(), scratch.data());
      });
      c.pool().parallel_for(static_cast<int64_t>(work.pieces), 1, [&](int64_t from, int64_t to) {
        ScratchSlots<float>::Lease scratch(slots);
        kernels::winograd_output_f32(s, images, p.w, slots.shared(), p.y, block, static_cast<size_t>(from),
                                     static_cast<size_t>(to), scratch.data(), p.epilogue);
      });
    }
  }
}

void run_winograd_line(RunContext& c, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  const int64_t blocks = static_cast<int64_t>(kernels::winograd_line_blocks(s));
  const int64_t group_size = packed_group_size(conv.kind, s);
  // Few blocks are cut by output channels, for threads that would have none.
  const size_t parts = static_cast<size_t>(conv.batch * conv.groups * blocks), m = s.out_channels;
  const size_t threads = static_cast<size_t>(c.pool().threads()), units = ceil_div(m, kernels::kLineRows);
  const size_t worth = std::min<size_t>(units / 2, Product(s).work() / static_cast<size_t>(blocks) / kTaskWork);
  const size_t cuts =
      threads == 1 ? 1 : std::clamp<size_t>(ceil_div(2 * threads, parts), 1, std::max<size_t>(1, worth));
  ScratchSlots<float> slots(c, static_cast<int64_t>(kernels::winograd_line_scratch_size(s)));
  c.pool().parallel_for(static_cast<int64_t>(parts * cuts), 1, [&](int64_t from, int64_t to) {
    ScratchSlots<float>::Lease scratch(slots);
    for (size_t i = static_cast<size_t>(from); i < static_cast<size_t>(to); i++) {
      const size_t part = i / cuts, cut = i % cuts;
      const Part p = part_of(conv, static_cast<int64_t>(part) / blocks, group_size);
      kernels::winograd_line_f32(
          s, p.w, p.x, p.y, part % static_cast<size_t>(blocks), piece(units, cuts, cut) * kernels::kLineRows,
          std::min(m, piece(units, cuts, cut + 1) * kernels::kLineRows), scratch.data(), p.epilogue);
    }
  });
}

void run_depthwise(RunContext& c, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  const size_t planes = static_cast<size_t>(conv.groups) * s.out_channels, taps = s.taps();
  const uint64_t work = std::max<uint64_t>(1, uint64_t{s.out_size()} * taps);
  ScratchSlots<float> slots(c, static_cast<int64_t>(kernels::depthwise_scratch_size(s)));
  c.pool().parallel_for(conv.batch * static_cast<int64_t>(planes),
                        static_cast<int64_t>(std::max<uint64_t>(1, kPlaneWork / work)), [&](int64_t from, int64_t to) {
                          ScratchSlots<float>::Lease scratch(slots);
                          for (size_t i = static_cast<size_t>(from); i < static_cast<size_t>(to); i++) {
                            const size_t channel = i % planes;
                            kernels::Epilogue e = conv.epilogue;
                            if (conv.bias) e.row_bias = conv.bias + channel;
                            kernels::depthwise_plane_f32(s, conv.x + i / s.out_channels * s.in_size(),
                                                         conv.packed.data<float>() + channel * taps,
                                                         conv.y + i * s.out_size(), scratch.data(), e);
                          }
                        });
}

// Multiplies each output channel of w by its scale (none: 1).
void scale_channels(Tensor& w, std::span<const float> scale) {
  const int64_t per_channel = w.shape().count(1, w.rank());
  float* data = w.data<float>();
  for (const float factor : scale) {
    for (int64_t i = 0; i < per_channel; i++) *data++ *= factor;
  }
}

}  // namespace

ConvKind choose_conv(const Shape& w, int64_t groups, const WindowAttributes& window) {
  const int64_t outputs = w[0] / groups;
  if (w[1] == 1 && groups > 1 && outputs <= 4) return ConvKind::depthwise;
  // 1-D convolutions are often a few elements long (sound in real time), where whole tiles cost more than they save.
  if ((w.rank() != 4 && w.rank() != 5) || w.count() == 0 || outputs < kWinogradOutputs) return ConvKind::gemm;
  const ConvShape s = shape_of_weights(w, groups, window);
  if (w.rank() == 4 && kernels::winograd_line_applies(s))
    return w[1] >= kWinogradChannels ? ConvKind::winograd_line : ConvKind::gemm;
  const bool deep = w[1] * static_cast<int64_t>(s.kernel[0] * s.stride[1] * s.stride[2]) >= kWinogradChannels;
  return deep && kernels::winograd_gain(s) >= kWinogradGain ? ConvKind::winograd : ConvKind::gemm;
}

Tensor pack_own_conv(ConvKind kind, Tensor w, int64_t groups, const WindowAttributes& window,
                     std::span<const float> scale) {
  scale_channels(w, scale);
  const size_t m = static_cast<size_t>(w.dim(0)), k = static_cast<size_t>(w.shape().count(1, w.rank()));
  if (kind != ConvKind::gemm || groups != 1 || m % 4 != 0) return pack_conv(kind, w, groups, window, {});
  Tensor scratch = Tensor::allocate(DType::float32, {static_cast<int64_t>(kernels::gemm_pack_scratch_size(k))});
  kernels::gemm_pack_a_in_place_f32(m, k, w.data<float>(), scratch.data<float>());
  return w;
}

Tensor pack_conv(ConvKind kind, const Tensor& w, int64_t groups, const WindowAttributes& window,
                 std::span<const float> scale) {
  Tensor scaled = scale.empty() ? w : w.clone();
  const int64_t per_channel = w.shape().count(1, w.rank());
  scale_channels(scaled, scale);
  if (kind == ConvKind::depthwise) return scaled;
  const ConvShape s = shape_of_weights(w.shape(), groups, window);
  const int64_t size = packed_group_size(kind, s);
  const size_t k = static_cast<size_t>(per_channel);
  Tensor packed = Tensor::allocate(DType::float32, {groups, size});
  for (int64_t g = 0; g < groups; g++) {
    const float* from = scaled.data<float>() + static_cast<size_t>(g) * s.out_channels * k;
    float* to = packed.data<float>() + g * size;
    if (kind == ConvKind::winograd) {
      kernels::winograd_pack_weights(s, from, to);
    } else if (kind == ConvKind::winograd_line) {
      kernels::winograd_line_pack_weights(s, from, to);
    } else {
      kernels::gemm_pack_a_f32(s.out_channels, k, {from, k, 1}, 1, to);
    }
  }
  return packed;
}

float pack_half_conv(PrepareContext& c, int64_t groups, Tensor& packed) {
  const Tensor& w = *c.constant(1);
  const size_t all = static_cast<size_t>(groups), m = static_cast<size_t>(w.dim(0)) / all;
  const size_t k = static_cast<size_t>(w.shape().count(1, w.rank())), size = kernels::gemm_packed_a_size(m, k);
  Tensor codes = Tensor::allocate(DType::float16, {static_cast<int64_t>((all * size + 7) / 8 * 8)});
  uint16_t* to = codes.data<uint16_t>();
  for (size_t g = 0; g < all; g++) kernels::half_pack_a(m, k, w.data<uint16_t>() + g * m * k, to + g * size);
  std::fill(to + all * size, to + codes.count(), uint16_t{0});
  const float unit = kernels::half_to_codes(to, static_cast<size_t>(codes.count()));
  if (unit == 0) return 0;
  c.release(1);
  packed = std::move(codes);
  return unit;
}

Tensor widen_conv(RunContext& c, const Tensor& codes, float unit) {
  constexpr int64_t kPiece = 1 << 14;
  Tensor all = Tensor::allocate(DType::float32, codes.shape());
  c.pool().parallel_for((all.count() + kPiece - 1) / kPiece, 1, [&](int64_t from, int64_t to) {
    const int64_t first = from * kPiece, count = std::min(all.count(), to * kPiece) - first;
    kernels::half_widen_f32({codes.data<uint16_t>() + first, unit}, all.data<float>() + first,
                            static_cast<size_t>(count));
  });
  return all;
}

void check_padded_size(const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  uint64_t left = (SIZE_MAX / sizeof(float) / 2) / (uint64_t{s.channels} * static_cast<uint64_t>(conv.groups) + 1);
  for (int i = 0; i < 3; i++) {
    const uint64_t reach = (uint64_t{s.out[i]} - 1) * s.stride[i] + (uint64_t{s.kernel[i]} - 1) * s.dilation[i] + 8;
    check(reach <= left, ErrorCode::out_of_memory, "the padded input is too large");
    left /= reach;
  }
}

void run_conv_f32(RunContext& c, const ConvF32& conv) {
  if (conv.batch == 0 || conv.shape.out_channels == 0 || conv.shape.out_size() == 0) return;
  if (conv.kind == ConvKind::depthwise) return run_depthwise(c, conv);
  if (conv.kind == ConvKind::gemm && kernels::conv_is_1x1(conv.shape)) return run_1x1(c, conv);
  if (conv.kind == ConvKind::winograd) return run_winograd(c, conv);
  if (conv.kind == ConvKind::winograd_line) return run_winograd_line(c, conv);
  run_implicit(c, conv);
}

}  // namespace sardonyx
