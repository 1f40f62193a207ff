// Exact convolutions of 8-bit integers: weights packed for the fastest kernel that fits, and the loops over threads.
#pragma once
#include <vector>

#include "base/tensor.h"
#include "kernels/quant/form_x8.h"
#include "kernels/window.h"
#include "ops/operator.h"
#include "ops/util/conv_geometry.h"

namespace sardonyx {

inline bool is_signed(const Tensor& t) noexcept { return t.dtype() == DType::int8; }
// The elements of an int8 or uint8 tensor; none for null.
std::vector<int32_t> byte_values(const Tensor* t);

enum class IntegerConvKind : uint8_t { pairs, quads, winograd, depthwise };

// Weights [out channels][channels of a group][kernel] packed for a kernel.
struct IntegerWeights {
  std::vector<int16_t> data;   // pairs, depthwise
  std::vector<uint8_t> bytes;  // quads, winograd
  kernels::FormX8 form = kernels::FormX8::pairs;
  IntegerConvKind kind = IntegerConvKind::pairs;
  size_t group_size = 0;

  IntegerWeights() = default;
  // zero: empty, one, or one per output channel.
  IntegerWeights(const Tensor& w, const std::vector<int32_t>& zero, int64_t groups, const WindowAttributes& window);

  uint64_t byte_size() const noexcept { return data.size() * sizeof(int16_t) + bytes.size(); }

 private:
  void choose(const Tensor& w, const std::vector<int32_t>& zero, int64_t groups, const WindowAttributes& window);
};

// What is to be done with sums as soon as they are there: n adjacent ones of an output channel.
class SumsRow {
 public:
  virtual void done(size_t channel, int32_t* sums, size_t n) const noexcept = 0;

 protected:
  ~SumsRow() = default;
};

// The int32 sums of one image for all groups. y [out channels][out]. Takes the run's scratch.
struct IntegerConv {
  const IntegerWeights& weights;
  kernels::ConvShape shape;
  int64_t groups;
  bool x_signed;
  int32_t x_zero;
  const int32_t* bias;
  const SumsRow* row;  // or null

  void run(RunContext& c, const std::byte* x, int32_t* y) const;

 private:
  void rows_done(size_t g, size_t p0, size_t p1, int32_t* y) const noexcept;
  void run_pairs(RunContext& c, const std::byte* x, int32_t* y) const;
  void run_quads(RunContext& c, const std::byte* x, int32_t* y) const;
  void run_winograd(RunContext& c, const std::byte* x, int32_t* y) const;
  void run_depthwise(ThreadPool& pool, const std::byte* x, int32_t* y) const;
};

}  // namespace sardonyx
