// Kernels of quantised models for the kernels' benchmark: 8-bit products beside float32's, weights of 4 bits beside a
// loop that only reads as much.
#include "kernels/gemm/gemm_f32.h"
#include "kernels/quant/conv_quads_x8.h"
#include "kernels/quant/conv_x8.h"
#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/nbits.h"
#include "kernels/simd.h"
#include "list.h"

namespace sardonyx::kernels {
namespace {

void add_integer(Entries& list, const char* name, size_t m, size_t k, size_t n) {
  auto a = std::make_shared<std::vector<int16_t>>(gemm_x8_packed_a_size(m, k)),
       b = std::make_shared<std::vector<int16_t>>(gemm_x8_packed_b_size(k, n));
  auto c = std::make_shared<std::vector<int32_t>>(m * n + 16);
  add(list, name, 2.0 * m * k * n, Unit::flops,
      [=] { gemm_x8_i32(m, k, n, 0, m, 0, n, a->data(), b->data(), nullptr, c->data(), n); });
}

// The same in every form that is exact here.
void add_conv_x8(Entries& list, const char* pairs_name, const char* quads_name, const ConvShape& s) {
  const size_t k = s.channels * s.taps(), panels = (s.out_size() + 7) / 8;
  auto x = std::make_shared<std::vector<uint8_t>>(s.channels * s.in_size() + 64, uint8_t{3}),
       w = std::make_shared<std::vector<uint8_t>>(s.out_channels * k, uint8_t{5});
  auto y = std::make_shared<std::vector<int32_t>>(s.out_channels * s.out_size() + 16);
  const MatrixX8 rows{w->data(), k, 1, true, nullptr, false};
  auto pairs = std::make_shared<std::vector<int16_t>>(gemm_x8_packed_a_size(s.out_channels, k)),
       pairs_scratch = std::make_shared<std::vector<int16_t>>(conv_x8_scratch_size(s));
  gemm_x8_pack_a(s.out_channels, k, rows, pairs->data());
  add(list, pairs_name, conv_operations(s), Unit::flops, [=] {
    conv_x8_i32(s, pairs->data(), x->data(), false, 3, nullptr, y->data(), 0, panels, pairs_scratch->data());
  });
  const FormX8 form = best_form_x8(k, s.out_channels, {w->data(), 1, k, true, nullptr, false});
  if (form == FormX8::pairs) return;
  auto quads = std::make_shared<std::vector<uint8_t>>(conv_quads_weights_size(s.out_channels, k)),
       scratch = std::make_shared<std::vector<uint8_t>>(conv_quads_scratch_size(s)),
       padded = std::make_shared<std::vector<uint8_t>>(s.channels * conv_quads_plane(s) + 64);
  conv_quads_pack_weights(form, s.out_channels, k, rows, quads->data());
  add(list, quads_name, conv_operations(s), Unit::flops, [=] {
    const ImageX8 image{x->data(), false, 3};
    conv_quads_pad(s, image, 0, s.channels, padded->data());
    conv_quads_i32(form, s, quads->data(), padded->data(), image, nullptr, y->data(), 0, panels, scratch->data());
  });
}

// A square product in float32 and in 8 bits, operands packed: their ratio is what the 8 bits gain. The weights have 7
// bits and a bell's shape, as a model's have.
void add_squares(Entries& list, const char* name, const char* const* integer_names, size_t n) {
  auto a = std::make_shared<Buffer>(gemm_packed_a_size(n, n)), b = std::make_shared<Buffer>(gemm_packed_b_size(n, n)),
       c = std::make_shared<Buffer>(n * n), scratch = std::make_shared<Buffer>(gemm_scratch_size(n, n));
  add(list, name, 2.0 * n * n * n, Unit::flops, [=] { gemm_f32(n, n, n, *a, {{*b, n, 1}, true}, *c, n, *scratch); });
  std::vector<int8_t> weights(n * n);
  uint32_t seed = 1;
  for (int8_t& w : weights) {
    seed = seed * 1664525u + 1013904223u;
    w = static_cast<int8_t>((seed >> 8) % 23 + (seed >> 13) % 23 + (seed >> 18) % 23 + (seed >> 23) % 23 - 44);
  }
  const std::vector<uint8_t> data(n * n, uint8_t{3});
  const MatrixX8 left{data.data(), n, 1, false, nullptr, false}, right{weights.data(), n, 1, true, nullptr, false};
  for (size_t f = 0; f < 5; f++) {
    const auto form = static_cast<FormX8>(f);
    if (!is_exact_x8(form)) continue;
    auto ia = std::make_shared<std::vector<uint8_t>>(matmul_x8_packed_a_size(form, n, n)),
         ib = std::make_shared<std::vector<uint8_t>>(matmul_x8_packed_b_size(form, n, n, right));
    auto ic = std::make_shared<std::vector<int32_t>>(n * n + 16);
    matmul_x8_pack_a(form, 0, n, n, left, ia->data());
    matmul_x8_pack_b(form, n, n, right, ib->data());
    add(list, integer_names[f], 2.0 * n * n * n, Unit::flops,
        [=] { matmul_x8_i32(form, n, 0, n, 0, n, ia->data(), ib->data(), ic->data(), n); });
  }
}

// Reads the bytes, 64 a turn, and does nothing else with them: what one core gets from memory.
SARDONYX_NOINLINE void read_all(const uint8_t* data, size_t n, uint8_t* out) noexcept {
  V acc[4] = {};
#pragma clang loop unroll(disable)
  for (size_t i = 0; i < n; i += 64) {
#pragma clang loop unroll(full)
    for (size_t j = 0; j < 4; j++) acc[j] = wasm_v128_xor(acc[j], load(data + i + 16 * j));
  }
  store(out, wasm_v128_xor(wasm_v128_xor(acc[0], acc[1]), wasm_v128_xor(acc[2], acc[3])));
}

// One row times weights of 4 bits; what is counted are the bytes of the weights and of their scales and zero points.
void add_nbits(Entries& list, const char* read_name, const char* name, size_t k, size_t n, bool zeros) {
  constexpr size_t kBlock = 32;
  const size_t bytes = k * n / 2, blocks = k / kBlock * n;
  auto data = std::make_shared<std::vector<uint8_t>>(bytes + 64), out = std::make_shared<std::vector<uint8_t>>(16),
       z = std::make_shared<std::vector<uint8_t>>(k / kBlock / 2 * n, uint8_t{0x87});
  uint32_t seed = 1;
  for (uint8_t& v : *data) v = static_cast<uint8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
  auto x = std::make_shared<Buffer>(k), y = std::make_shared<Buffer>(n);
  auto scales = std::make_shared<std::vector<float>>(k / kBlock * n, 0.01f);
  NBits w{};
  w.form = nbits_best_form();
  w.bits = 4, w.block = kBlock, w.k = k, w.data = data->data(), w.scales = scales->data();
  if (zeros) w.zeros = z->data();
  auto row = std::make_shared<std::vector<int32_t>>(nbits_row_size(w) + 16);
  if (read_name)
    add(list, read_name, static_cast<double>(bytes), Unit::bytes, [=] { read_all(data->data(), bytes, out->data()); });
  add(list, name, static_cast<double>(bytes + 4 * blocks + (zeros ? blocks / 2 : 0)), Unit::bytes,
      [=, keep = scales, keep_zeros = z] {
        nbits_prepare_row(w, *x, row->data());
        nbits_gemv_f32(w, 0, n, row->data(), nullptr, *y);
      });
}

#define INT8_NAMES(N)                                                                         \
  {"int8 matmul " #N ", pairs", "int8 matmul " #N ", unsigned", "int8 matmul " #N ", signed", \
   "int8 matmul " #N ", 7 bits", "int8 matmul " #N ", short sums"}

}  // namespace

void add_quantized(Entries& list) {
  static constexpr const char* kNames256[] = INT8_NAMES(256);
  static constexpr const char* kNames512[] = INT8_NAMES(512);
  static constexpr const char* kNames1024[] = INT8_NAMES(1024);
  add_integer(list, "int8 gemm 128x512x784", 128, 512, 784);
  add_conv_x8(list, "int8 conv 3x3 64->64 56, pairs", "int8 conv 3x3 64->64 56, quads", square(64, 64, 56, 3, 1));
  add_conv_x8(list, "int8 conv 3x3 16->16 256, pairs", "int8 conv 3x3 16->16 256, quads", square(16, 16, 256, 3, 1));
  add_squares(list, "gemm 256", kNames256, 256);
  add_squares(list, "gemm 512", kNames512, 512);
  add_squares(list, "gemm 1024", kNames1024, 1024);
  add_nbits(list, "read 64 MB", "4-bit gemv 1x4096x32768", 4096, 32768, false);
  add_nbits(list, nullptr, "4-bit gemv 1x4096x32768, zeros", 4096, 32768, true);
  add_nbits(list, "read 0.5 MB", "4-bit gemv 1x1024x1024", 1024, 1024, false);
}

}  // namespace sardonyx::kernels
