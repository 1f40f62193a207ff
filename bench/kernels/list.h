// What the kernels' benchmark measures: named entries that run in turn; internal to bench/kernels/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/conv/conv_gemm.h"

namespace sardonyx::kernels {

// Random values in +-scale, with slack at both ends.
class Buffer {
 public:
  explicit Buffer(size_t n, float scale = 1) : values_(n + 64) {
    uint32_t seed = 1;
    for (float& v : values_) {
      seed = seed * 1664525u + 1013904223u;
      v = (static_cast<float>(seed >> 8) / 8388608.0f - 1) * scale;
    }
  }
  float* data() { return values_.data() + 16; }
  operator float*() { return data(); }

 private:
  std::vector<float> values_;
};

enum class Unit { flops, elements, bytes };

struct Entry {
  const char* name;
  double operations;  // per run
  Unit unit;
  virtual void run() = 0;
  Entry(const char* name, double operations, Unit unit = Unit::flops)
      : name(name), operations(operations), unit(unit) {}
  virtual ~Entry() = default;
  std::vector<double> times = {};
  int repeat = 1;
};

template <class F>
struct Run : Entry {
  F f;
  Run(const char* name, double operations, Unit unit, F f) : Entry(name, operations, unit), f(std::move(f)) {}
  void run() override { f(); }
};

using Entries = std::vector<std::unique_ptr<Entry>>;

template <class F>
void add(Entries& list, const char* name, double operations, Unit unit, F f) {
  list.push_back(std::make_unique<Run<F>>(name, operations, unit, std::move(f)));
}

inline ConvShape square(size_t c, size_t m, size_t size, size_t kernel, size_t stride) {
  ConvShape s;
  s.channels = c, s.out_channels = m;
  for (int i = 1; i < 3; i++) {
    s.in[i] = size, s.kernel[i] = kernel, s.stride[i] = stride, s.pad[i] = static_cast<ptrdiff_t>(kernel / 2);
    s.out[i] = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  }
  return s;
}

inline double conv_operations(const ConvShape& s) {
  return 2.0 * s.channels * s.out_channels * s.taps() * s.out_size();
}

// What quantised models run.
void add_quantized(Entries& list);

}  // namespace sardonyx::kernels
