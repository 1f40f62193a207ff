// Telling mirrored kernels, packing their halves, and running them.
#include "ops/util/mirrored_conv.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/conv/padding.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

using kernels::Mirror;
using Rows = MirroredConv::Rows;

constexpr size_t kLeastTaps = 32, kLeastChannels = 8, kMostRuns = 8;
constexpr double kAlike = 0x1p-32;                 // of the largest tap
constexpr uint64_t kTaskWork = uint64_t{1} << 18;  // multiply-adds per task, at least about
constexpr size_t kBlockFloats = size_t{1} << 16;   // of folded windows at once

enum class Kind : uint8_t { zero, even, odd, neither };

// Of one output channel; zero: as you like.
Kind kind_of(const Mirror& m, const float* w) {
  double largest = 0;
  for (size_t i = 0; i < m.channels * m.taps; i++) largest = std::max(largest, std::fabs(static_cast<double>(w[i])));
  if (largest == 0) return Kind::zero;
  if (!std::isfinite(largest)) return Kind::neither;
  bool even = true, odd = true;
  for (size_t c = 0; c < m.channels; c++, w += m.taps) {
    for (size_t t = m.first(); t < m.end(); t++) {
      const double left = static_cast<double>(w[t]), right = static_cast<double>(w[m.pivot - t]);
      even &= std::fabs(left - right) <= kAlike * largest;
      odd &= std::fabs(left + right) <= kAlike * largest;
    }
    if (m.has_middle()) odd &= std::fabs(static_cast<double>(w[m.pivot / 2])) <= kAlike * largest;
  }
  return even ? Kind::even : odd ? Kind::odd : Kind::neither;
}

std::vector<Rows> runs_of(const Mirror& m, const Tensor& w) {
  const size_t count = static_cast<size_t>(w.dim(0));
  std::vector<Rows> runs;
  size_t mirrored = 0;
  for (size_t i = 0; i < count; i++) {
    Kind kind = kind_of(m, w.data<float>() + i * m.channels * m.taps);
    mirrored += kind != Kind::neither;
    const bool joins = !runs.empty() && (kind == Kind::zero || (runs.back().sums == (kind != Kind::odd) &&
                                                                runs.back().differences == (kind != Kind::even)));
    if (joins) {
      runs.back().count++;
    } else {
      runs.push_back({i, 1, kind != Kind::odd, kind == Kind::odd || kind == Kind::neither, 0, 0});
    }
  }
  if (mirrored * 4 < count * 3 || runs.size() > kMostRuns) runs.clear();
  return runs;
}

// Half the sum (sign 1) or half the difference (-1) of each pair, and the taps without a partner; [channels * rows].
void fold_weights(const Mirror& m, const Rows& run, const float* w, float sign, float scale, std::vector<float>& out) {
  for (size_t c = 0; c < m.channels; c++, w += m.taps) {
    // Alone, tap 0 belongs to the sums, or where there are none to the differences.
    if (m.first() > 0) out.push_back(sign > 0 || !run.sums ? w[0] * scale : 0);
    for (size_t t = m.first(); t < m.end(); t++) out.push_back((w[t] + sign * w[m.pivot - t]) / 2 * scale);
    if (m.has_middle() && sign > 0) out.push_back(w[m.pivot / 2] * scale);
  }
}

Tensor pack_halves(const Tensor& w, std::span<const float> scale, MirroredConv& to) {
  const Mirror& m = to.mirror;
  const size_t sums = m.channels * m.sums(), differences = m.channels * m.differences();
  size_t size = 0;
  for (Rows& run : to.rows) {
    run.sums_at = size;
    if (run.sums) size += kernels::gemm_packed_a_size(run.count, sums);
    run.differences_at = size;
    if (run.differences) size += kernels::gemm_packed_a_size(run.count, differences);
  }
  Tensor packed = Tensor::allocate(DType::float32, {static_cast<int64_t>(size)});
  for (const Rows& run : to.rows) {
    for (const bool half : {true, false}) {
      if (!(half ? run.sums : run.differences)) continue;
      const size_t k = half ? sums : differences;
      std::vector<float> folded;
      folded.reserve(run.count * k + 16);  // packing may read behind it
      for (size_t i = run.first; i < run.first + run.count; i++) {
        fold_weights(m, run, w.data<float>() + i * m.channels * m.taps, half ? 1.0f : -1.0f,
                     scale.empty() ? 1 : scale[i], folded);
      }
      kernels::gemm_pack_a_f32(run.count, k, {folded.data(), k, 1}, 1,
                               packed.data<float>() + (half ? run.sums_at : run.differences_at));
    }
  }
  return packed;
}

}  // namespace

bool MirroredConv::reads_sums() const noexcept {
  return std::ranges::any_of(rows, [](const Rows& run) { return run.sums; });
}
bool MirroredConv::reads_differences() const noexcept {
  return std::ranges::any_of(rows, [](const Rows& run) { return run.differences; });
}

std::optional<MirroredConv> mirrored_conv(const Tensor& w, int64_t groups, const WindowAttributes& window,
                                          std::span<const float> scale, Tensor& packed) {
  const bool dilated = std::ranges::any_of(window.dilations(), [](int64_t d) { return d != 1; });
  if (w.rank() != 3 || groups != 1 || dilated) return std::nullopt;
  MirroredConv result;
  const size_t taps = static_cast<size_t>(w.dim(2));
  if (taps < kLeastTaps || static_cast<size_t>(w.dim(0)) < kLeastChannels || w.dim(1) == 0) return std::nullopt;
  for (const size_t pivot : {taps, taps - 1}) {
    const size_t stride = window.strides().empty() ? 1 : static_cast<size_t>(window.strides()[0]);
    result.mirror = {static_cast<size_t>(w.dim(1)), taps, pivot, stride};
    result.rows = runs_of(result.mirror, w);
    if (result.rows.empty()) continue;
    packed = pack_halves(w, scale, result);
    return result;
  }
  return std::nullopt;
}

void run_mirrored_conv(RunContext& c, const MirroredConv& mirrored, const ConvF32& conv) {
  const kernels::ConvShape& s = conv.shape;
  const Mirror& m = mirrored.mirror;
  const size_t n = s.out_size(), panels = (n + 7) / 8;
  if (conv.batch == 0 || n == 0) return;
  check_padded_size(conv);
  const size_t sums = mirrored.reads_sums() ? m.channels * m.sums() : 0;
  const size_t differences = mirrored.reads_differences() ? m.channels * m.differences() : 0;
  const size_t most = std::max<size_t>(1, kBlockFloats / 8 / (sums + differences));
  const uint64_t work = uint64_t{s.out_channels} * m.channels * m.taps * n / 2;
  const size_t threads = static_cast<size_t>(c.pool().threads());
  const size_t wanted = threads == 1 ? 1 : std::min({panels / 2, static_cast<size_t>(work / kTaskWork), 4 * threads});
  const size_t blocks = std::max<size_t>({1, wanted, (panels + most - 1) / most});
  const size_t padded = kernels::conv_padded_size(s), plane = padded ? kernels::window_reach(s, 2) : s.in_size();
  const size_t block_columns = (panels + blocks - 1) / blocks * 8;
  const size_t folded = kernels::gemm_packed_b_size(sums + differences, block_columns);
  ScratchSlots<float> slots(c, static_cast<int64_t>(folded), static_cast<int64_t>(padded));
  for (int64_t image = 0; image < conv.batch; image++) {
    const float* x = conv.x + static_cast<size_t>(image) * m.channels * s.in_size();
    float* y = conv.y + static_cast<size_t>(image) * s.out_channels * n;
    if (padded) kernels::conv_pad_f32(s, x, slots.shared(), 0, m.channels);
    const float* source = padded ? slots.shared() : x;
    c.pool().parallel_for(static_cast<int64_t>(blocks), 1, [&](int64_t from, int64_t to) {
      ScratchSlots<float>::Lease scratch(slots);
      for (size_t b = static_cast<size_t>(from); b < static_cast<size_t>(to); b++) {
        const size_t p0 = panels * b / blocks, p1 = panels * (b + 1) / blocks, columns = std::min(n, p1 * 8) - p0 * 8;
        float *added = scratch.data(), *taken = added + (p1 - p0) * 8 * sums;
        for (size_t p = p0; p < p1; p++) {
          kernels::mirror_fold_f32(m, source, plane, p * 8, std::min<size_t>(8, n - p * 8),
                                   sums ? added + (p - p0) * 8 * sums : nullptr,
                                   differences ? taken + (p - p0) * 8 * differences : nullptr);
        }
        for (const Rows& run : mirrored.rows) {
          kernels::Epilogue end = conv.epilogue, first;
          end.row_bias = conv.bias ? conv.bias + run.first : nullptr;
          end.col_bias = nullptr;
          // Of both halves the first is added by the second; what the caller adds comes with the first.
          if (run.sums && run.differences) {
            first.accumulate = std::exchange(end.accumulate, true);
            first.addend = std::exchange(end.addend, 0);
          }
          float* to_y = y + run.first * n + p0 * 8;
          const float* packed = conv.packed.data<float>();
          if (run.sums) {
            kernels::gemm_f32(run.count, sums, columns, packed + run.sums_at, {{added, 8, 1}, true}, to_y, n, nullptr,
                              run.differences ? first : end);
          }
          if (run.differences) {
            kernels::gemm_f32(run.count, differences, columns, packed + run.differences_at, {{taken, 8, 1}, true}, to_y,
                              n, nullptr, end);
          }
        }
      }
    });
  }
}

}  // namespace sardonyx
