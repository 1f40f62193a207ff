// Speed of the kernels against the speed of this core: each line is measured in turn, round after round, so that a slow
// phase of the machine touches all of them; compare the ratios, not the milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/conv/conv_gemm.h"
#include "kernels/conv/depthwise.h"
#include "kernels/conv/winograd.h"
#include "kernels/math/math_f32.h"
#include "kernels/norm/softmax.h"
#include "kernels/pool/pool.h"
#include "kernels/simd.h"
#include "list.h"

namespace sardonyx::kernels {
namespace {

double now_ms() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

// Twelve chains of multiply-adds without memory: what this core can do with this build's instructions.
SARDONYX_NOINLINE void peak(float* out) noexcept {
  V a = splat(0.5f), b = load(out), acc[12];
#pragma clang loop unroll(full)
  for (V& v : acc) v = b;
#pragma clang loop unroll(disable)
  for (int i = 0; i < 4000; i++) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 12; j++) acc[j] = fmadd(acc[j], a, b);
  }
  V sum = acc[0];
#pragma clang loop unroll(full)
  for (int i = 1; i < 12; i++) sum = kernels::add(sum, acc[i]);
  store(out + 8, sum);
}

void add_gemm(Entries& list, const char* name, size_t m, size_t k, size_t n) {
  auto a = std::make_shared<Buffer>(m * k), b = std::make_shared<Buffer>(k * n), c = std::make_shared<Buffer>(m * n),
       packed = std::make_shared<Buffer>(gemm_packed_a_size(m, k)),
       scratch = std::make_shared<Buffer>(gemm_scratch_size(k, n));
  gemm_pack_a_f32(m, k, {*a, k, 1}, 1, *packed);
  add(list, name, 2.0 * m * k * n, Unit::flops, [=] { gemm_f32(m, k, n, *packed, {{*b, n, 1}}, *c, n, *scratch); });
}

void add_dynamic(Entries& list, const char* name, size_t m, size_t k, size_t n, bool transposed) {
  auto a = std::make_shared<Buffer>(m * k), b = std::make_shared<Buffer>(k * n), c = std::make_shared<Buffer>(m * n),
       scratch = std::make_shared<Buffer>(gemm_dynamic_scratch_size(m, k, n));
  GemmB gb{{*b, transposed ? 1 : n, transposed ? k : 1}};
  add(list, name, 2.0 * m * k * n, Unit::flops, [=] { gemm_dynamic_f32(m, k, n, {*a, k, 1}, 1, gb, *c, n, *scratch); });
}

void add_conv(Entries& list, const char* name, const ConvShape& s) {
  size_t k = s.channels * s.taps();
  auto x = std::make_shared<Buffer>(s.channels * s.in_size()), w = std::make_shared<Buffer>(s.out_channels * k, 0.1f),
       y = std::make_shared<Buffer>(s.out_channels * s.out_size()),
       packed = std::make_shared<Buffer>(gemm_packed_a_size(s.out_channels, k)),
       padded = std::make_shared<Buffer>(conv_padded_size(s)),
       scratch = std::make_shared<Buffer>(conv_gemm_scratch_size(s));
  gemm_pack_a_f32(s.out_channels, k, {*w, k, 1}, 1, *packed);
  add(list, name, conv_operations(s), Unit::flops, [=] {
    conv_pad_f32(s, *x, *padded, 0, s.channels);
    conv_gemm_f32(s, *packed, *padded, *y, 0, conv_panels(s), *scratch);
  });
}

void add_winograd(Entries& list, const char* name, const ConvShape& s) {
  const WinogradWork work = winograd_work(s, 1);
  auto x = std::make_shared<Buffer>(s.channels * s.in_size()),
       w = std::make_shared<Buffer>(s.out_channels * s.channels * s.taps(), 0.1f),
       y = std::make_shared<Buffer>(s.out_channels * s.out_size()),
       packed = std::make_shared<Buffer>(winograd_weights_size(s)), input = std::make_shared<Buffer>(work.input),
       scratch = std::make_shared<Buffer>(work.scratch);
  winograd_pack_weights(s, *w, *packed);
  add(list, name, conv_operations(s), Unit::flops, [=] {
    for (size_t block = 0; block < work.blocks; block++) {
      winograd_input_f32(s, {}, *x, block, 0, work.units, *input, *scratch);
      winograd_output_f32(s, {}, *packed, *input, *y, block, 0, work.pieces, *scratch);
    }
  });
}

void add_depthwise(Entries& list, const char* name, const ConvShape& s) {
  auto x = std::make_shared<Buffer>(s.channels * s.in_size()), w = std::make_shared<Buffer>(s.channels * s.taps()),
       y = std::make_shared<Buffer>(s.channels * s.out_size()),
       scratch = std::make_shared<Buffer>(depthwise_scratch_size(s));
  add(list, name, 2.0 * s.channels * s.taps() * s.out_size(), Unit::flops, [=] {
    for (size_t c = 0; c < s.channels; c++) {
      depthwise_plane_f32(s, *x + c * s.in_size(), *w + c * s.taps(), *y + c * s.out_size(), *scratch);
    }
  });
}

void add_elements(Entries& list) {
  constexpr size_t n = 1 << 14;
  auto x = std::make_shared<Buffer>(n, 4.0f), y = std::make_shared<Buffer>(n);
  add(list, "exp 16384", n, Unit::elements, [=] { exp_f32(*x, *y, n); });
  add(list, "tanh 16384", n, Unit::elements, [=] { tanh_f32(*x, *y, n); });
  add(list, "sigmoid 16384", n, Unit::elements, [=] { sigmoid_f32(*x, *y, n); });
  add(list, "erf 16384", n, Unit::elements, [=] { erf_f32(*x, *y, n); });
  add(list, "gelu 16384", n, Unit::elements, [=] { gelu_f32(*x, *y, n); });
  add(list, "softmax 64x256", n, Unit::elements, [=] { softmax_rows_f32(*x, *y, 64, 256); });
  ConvShape pool = square(1, 1, 112, 3, 2);
  add(list, "max pool 3x3 s2 112x112", 3136, Unit::elements, [=] { max_pool_f32(pool, *x, *y); });
}

void measure(Entries& list, int rounds) {
  for (auto& e : list) {
    for (int i = 0; i < 3; i++) e->run();
    double start = now_ms();
    e->run();
    e->repeat = std::max(1, static_cast<int>(2 / std::max(now_ms() - start, 1e-3)));
  }
  for (int r = 0; r < rounds; r++) {
    for (auto& e : list) {
      double start = now_ms();
      for (int i = 0; i < e->repeat; i++) e->run();
      e->times.push_back((now_ms() - start) / e->repeat);
    }
  }
}

// The median over the rounds of the share of another entry's speed in the same round.
double share_of(const Entry& peak, const Entry& e) {
  std::vector<double> shares;
  for (size_t r = 0; r < e.times.size(); r++) {
    shares.push_back(e.operations / e.times[r] / (peak.operations / peak.times[r]));
  }
  std::nth_element(shares.begin(), shares.begin() + static_cast<ptrdiff_t>(shares.size() / 2), shares.end());
  return shares[shares.size() / 2];
}

void report(const Entries& list) {
  const Entry* read = nullptr;
  for (auto& e : list) {
    double best = *std::min_element(e->times.begin(), e->times.end());
    std::printf("%-34s %8.3f ms  ", e->name, best);
    switch (e->unit) {
      case Unit::flops:
        std::printf("%6.1f GFLOP/s  %4.0f %% of peak\n", e->operations / best / 1e6, 100 * share_of(*list[0], *e));
        break;
      case Unit::bytes:
        if (std::strncmp(e->name, "read", 4) == 0) read = e.get();
        std::printf("%6.2f GB/s  %4.0f %% of reading\n", e->operations / best / 1e6, 100 * share_of(*read, *e));
        break;
      case Unit::elements:
        std::printf("%6.2f ns per element\n", 1e6 * best / e->operations);
    }
  }
}

// All entries, or the first and those whose names begin with `prefix`, with the loops of reading.
void run(const char* prefix) {
  Entries list;
  auto out = std::make_shared<Buffer>(16);
  add(list, "peak: multiply-add in registers", 4000.0 * 12 * 8, Unit::flops, [=] { peak(*out); });
  add_gemm(list, "gemm 128x512x784", 128, 512, 784);
  add_gemm(list, "gemm 64x64x3136", 64, 64, 3136);
  add_gemm(list, "gemm 96x16x12544", 96, 16, 12544);
  add_gemm(list, "gemm 960x160x49", 960, 160, 49);
  add_gemm(list, "gemm 512x2048x49", 512, 2048, 49);
  add_dynamic(list, "matmul 196x64x196, B transposed", 196, 64, 196, true);
  add_dynamic(list, "matmul 40x120x480", 40, 120, 480, false);
  add_dynamic(list, "gemv 1x2048x1000, B transposed", 1, 2048, 1000, true);
  add_conv(list, "conv 3x3 s2 3->32 224", square(3, 32, 224, 3, 2));
  add_conv(list, "conv 7x7 s2 3->64 224", square(3, 64, 224, 7, 2));
  add_conv(list, "conv 3x3 64->64 56", square(64, 64, 56, 3, 1));
  add_conv(list, "conv 3x3 128->128 14", square(128, 128, 14, 3, 1));
  add_winograd(list, "winograd 64->64 56", square(64, 64, 56, 3, 1));
  add_winograd(list, "winograd 128->128 28", square(128, 128, 28, 3, 1));
  add_winograd(list, "winograd 256->256 14", square(256, 256, 14, 3, 1));
  add_depthwise(list, "depthwise 3x3 32 112", square(32, 32, 112, 3, 1));
  add_depthwise(list, "depthwise 3x3 s2 96 112", square(96, 96, 112, 3, 2));
  add_depthwise(list, "depthwise 3x3 384 14", square(384, 384, 14, 3, 1));
  add_depthwise(list, "depthwise 5x5 240 28", square(240, 240, 28, 5, 1));
  add_quantized(list);
  add_elements(list);
  const Entry* first = list[0].get();
  std::erase_if(list, [&](const std::unique_ptr<Entry>& e) {
    const bool kept = std::strncmp(e->name, prefix, std::strlen(prefix)) == 0 || std::strncmp(e->name, "read", 4) == 0;
    return e.get() != first && !kept;
  });
  measure(list, 15);
  report(list);
}

}  // namespace
}  // namespace sardonyx::kernels

int main(int argc, char** argv) {
  sardonyx::kernels::run(argc > 1 ? argv[1] : "");
  return 0;
}
