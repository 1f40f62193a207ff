// Packing and loops of integer convolutions.
#include "ops/util/conv_x8.h"

#include <algorithm>

#include "kernels/conv/conv_gemm.h"
#include "kernels/quant/conv_quads_x8.h"
#include "kernels/quant/conv_x8.h"
#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/winograd_x8.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

// Below, transforms cost more than they save.
constexpr int64_t kWinogradChannels = 8;

}  // namespace

std::vector<int32_t> byte_values(const Tensor* t) {
  std::vector<int32_t> v;
  if (!t) return v;
  for (int64_t i = 0; i < t->count(); i++) v.push_back(is_signed(*t) ? t->data<int8_t>()[i] : t->data<uint8_t>()[i]);
  return v;
}

void IntegerWeights::choose(const Tensor& w, const std::vector<int32_t>& zero, int64_t groups,
                            const WindowAttributes& window) {
  const size_t outputs = static_cast<size_t>(w.dim(0)), k = static_cast<size_t>(w.shape().count(1, w.rank()));
  if (w.dim(1) == 1 && groups > 1) {
    kind = IntegerConvKind::depthwise;
    return;
  }
  const kernels::MatrixX8 rows{w.bytes(), k, 1, is_signed(w), zero.empty() ? nullptr : zero.data(), zero.size() > 1};
  // A dot of four steps in one instruction is as fast as a quarter of the products in pairs.
  if (groups == 1 && w.rank() == 4 && w.dim(1) >= kWinogradChannels && !kernels::has_fast_dot_x8() &&
      kernels::winograd_x8_applies(shape_of_weights(w.shape(), groups, window)) &&
      kernels::winograd_x8_is_exact(outputs, k, rows)) {
    kind = IntegerConvKind::winograd;
    return;
  }
  form = kernels::best_form_x8(k, outputs, {w.bytes(), 1, k, is_signed(w), nullptr, false});
  kind = form == kernels::FormX8::pairs ? IntegerConvKind::pairs : IntegerConvKind::quads;
}

IntegerWeights::IntegerWeights(const Tensor& w, const std::vector<int32_t>& zero, int64_t groups,
                               const WindowAttributes& window) {
  choose(w, zero, groups, window);
  const size_t outputs = static_cast<size_t>(w.dim(0) / groups), k = static_cast<size_t>(w.shape().count(1, w.rank())),
               channels = static_cast<size_t>(w.dim(1));
  if (kind == IntegerConvKind::depthwise) {
    group_size = outputs * k;
    const std::vector<int32_t> values = byte_values(&w);
    for (size_t i = 0; i < values.size(); i++) {
      const int32_t z = zero.empty() ? 0 : zero.size() == 1 ? zero[0] : zero[i / k];
      data.push_back(static_cast<int16_t>(values[i] - z));
    }
    data.resize(data.size() + Buffer::kSlack / sizeof(int16_t));
    return;
  }
  group_size = kind == IntegerConvKind::pairs      ? kernels::gemm_x8_packed_a_size(outputs, k)
               : kind == IntegerConvKind::winograd ? kernels::winograd_x8_weights_size(outputs, channels)
                                                   : kernels::conv_quads_weights_size(outputs, k);
  kind == IntegerConvKind::pairs ? data.resize(group_size * static_cast<size_t>(groups))
                                 : bytes.resize(group_size * static_cast<size_t>(groups) + Buffer::kSlack);
  for (size_t g = 0; g < static_cast<size_t>(groups); g++) {
    const int32_t* z = zero.empty() ? nullptr : zero.size() == 1 ? zero.data() : zero.data() + g * outputs;
    const kernels::MatrixX8 rows{w.bytes() + g * outputs * k, k, 1, is_signed(w), z, zero.size() > 1};
    if (kind == IntegerConvKind::winograd)
      kernels::winograd_x8_pack_weights(outputs, channels, rows, bytes.data() + g * group_size);
    else if (kind == IntegerConvKind::quads)
      kernels::conv_quads_pack_weights(form, outputs, k, rows, bytes.data() + g * group_size);
    else
      kernels::gemm_x8_pack_a(outputs, k, rows, data.data() + g * group_size);
  }
}

void IntegerConv::run(RunContext& c, const std::byte* x, int32_t* y) const {
  if (shape.out_size() == 0 || shape.out_channels == 0) return;
  switch (weights.kind) {
    case IntegerConvKind::pairs:
      return run_pairs(c, x, y);
    case IntegerConvKind::quads:
      return run_quads(c, x, y);
    case IntegerConvKind::winograd:
      return run_winograd(c, x, y);
    case IntegerConvKind::depthwise:
      return run_depthwise(c.pool(), x, y);
  }
}

void IntegerConv::run_pairs(RunContext& c, const std::byte* x, int32_t* y) const {
  const kernels::ConvShape& s = shape;
  const size_t panels = kernels::conv_panels(s), step = kernels::conv_x8_block_panels(s);
  const int64_t blocks = static_cast<int64_t>((panels + step - 1) / step);
  ScratchSlots<int16_t> slots(c, static_cast<int64_t>(kernels::conv_x8_scratch_size(s)));
  c.pool().parallel_for(groups * blocks, 1, [&](int64_t from, int64_t to) {
    ScratchSlots<int16_t>::Lease scratch(slots);
    for (int64_t i = from; i < to; i++) {
      const size_t g = static_cast<size_t>(i / blocks), p = static_cast<size_t>(i % blocks) * step;
      kernels::conv_x8_i32(s, weights.data.data() + g * weights.group_size, x + g * s.channels * s.in_size(), x_signed,
                           x_zero, bias ? bias + g * s.out_channels : nullptr, y + g * s.out_channels * s.out_size(), p,
                           std::min(panels, p + step), scratch.data());
      rows_done(g, p, p + step, y);
    }
  });
}

// Panels [p0, p1) of group g.
void IntegerConv::rows_done(size_t g, size_t p0, size_t p1, int32_t* y) const noexcept {
  const size_t n = shape.out_size(), first = p0 * 8, end = std::min(n, p1 * 8);
  for (size_t i = g * shape.out_channels; row && i < (g + 1) * shape.out_channels; i++) {
    row->done(i, y + i * n + first, end - first);
  }
}

void IntegerConv::run_quads(RunContext& c, const std::byte* x, int32_t* y) const {
  const kernels::ConvShape& s = shape;
  const size_t panels = kernels::conv_panels(s), step = kernels::conv_quads_block_panels(s),
               plane = kernels::conv_quads_plane(s);
  const int64_t blocks = static_cast<int64_t>((panels + step - 1) / step),
                channels = groups * static_cast<int64_t>(s.channels);
  const uint64_t padded_size = static_cast<uint64_t>(channels) * plane + Buffer::kSlack;
  check(padded_size < uint64_t{1} << 31, ErrorCode::runtime_error, "a padded image of ", padded_size, " bytes");
  ScratchSlots<uint8_t> slots(c, static_cast<int64_t>(kernels::conv_quads_scratch_size(s)),
                              static_cast<int64_t>(padded_size));
  uint8_t* padded = slots.shared();
  const kernels::ImageX8 image{x, x_signed, x_zero};
  c.pool().parallel_for(channels, std::max<int64_t>(1, (1 << 16) / static_cast<int64_t>(plane + 1)),
                        [&](int64_t from, int64_t to) {
                          kernels::conv_quads_pad(s, image, static_cast<size_t>(from), static_cast<size_t>(to), padded);
                        });
  c.pool().parallel_for(groups * blocks, 1, [&](int64_t from, int64_t to) {
    ScratchSlots<uint8_t>::Lease scratch(slots);
    for (int64_t i = from; i < to; i++) {
      const size_t g = static_cast<size_t>(i / blocks), p = static_cast<size_t>(i % blocks) * step;
      kernels::conv_quads_i32(weights.form, s, weights.bytes.data() + g * weights.group_size,
                              padded + g * s.channels * plane, image, bias ? bias + g * s.out_channels : nullptr,
                              y + g * s.out_channels * s.out_size(), p, std::min(panels, p + step), scratch.data());
      rows_done(g, p, p + step, y);
    }
  });
}

void IntegerConv::run_winograd(RunContext& c, const std::byte* x, int32_t* y) const {
  const kernels::ConvShape& s = shape;
  const kernels::WinogradWork work = kernels::winograd_x8_work(s);
  // What padding adds is all that can make this much larger than the image.
  check(std::max(work.input, work.scratch) < size_t{1} << 28, ErrorCode::runtime_error, "padded rows of ",
        work.scratch * sizeof(int16_t), " bytes");
  const kernels::ImageX8 image{x, x_signed, x_zero};
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / static_cast<int64_t>(work.input / work.units + 1));
  ScratchSlots<int16_t> slots(c, static_cast<int64_t>(work.scratch), static_cast<int64_t>(work.input));
  const bool rows_by_block = row && kernels::winograd_x8_part(s, 0).end > 0;
  for (size_t block = 0; block < work.blocks; block++) {
    c.pool().parallel_for(static_cast<int64_t>(work.units), grain, [&](int64_t from, int64_t to) {
      ScratchSlots<int16_t>::Lease scratch(slots);
      kernels::winograd_x8_input(s, image, block, static_cast<size_t>(from), static_cast<size_t>(to), slots.shared(),
                                 scratch.data());
    });
    const kernels::PlanePart part = kernels::winograd_x8_part(s, block);
    c.pool().parallel_for(static_cast<int64_t>(work.pieces), 1, [&](int64_t from, int64_t to) {
      ScratchSlots<int16_t>::Lease scratch(slots);
      for (size_t piece = static_cast<size_t>(from); piece < static_cast<size_t>(to); piece++) {
        kernels::winograd_x8_output(s, weights.bytes.data(), slots.shared(), bias, y, block, piece, piece + 1,
                                    scratch.data());
        const kernels::PlanePart channels = kernels::winograd_x8_channels(s, piece);
        for (size_t i = channels.first; rows_by_block && i < channels.end; i++) {
          row->done(i, y + i * s.out_size() + part.first, part.end - part.first);
        }
      }
    });
  }
  if (rows_by_block || !row) return;
  c.pool().parallel_for(static_cast<int64_t>(s.out_channels), 1, [&](int64_t from, int64_t to) {
    for (size_t i = static_cast<size_t>(from); i < static_cast<size_t>(to); i++) {
      row->done(i, y + i * s.out_size(), s.out_size());
    }
  });
}

void IntegerConv::run_depthwise(ThreadPool& pool, const std::byte* x, int32_t* y) const {
  const kernels::ConvShape& s = shape;
  pool.parallel_for(groups * static_cast<int64_t>(s.out_channels), 1, [&](int64_t from, int64_t to) {
    for (size_t i = static_cast<size_t>(from); i < static_cast<size_t>(to); i++) {
      kernels::depthwise_x8_i32(s, x + i / s.out_channels * s.in_size(), x_signed, x_zero,
                                weights.data.data() + i * s.taps(), bias ? bias[i] : 0, y + i * s.out_size());
      if (row) row->done(i, y + i * s.out_size(), s.out_size());
    }
  });
}

}  // namespace sardonyx
