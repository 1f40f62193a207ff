// Integer products of 8-bit tensors as operators run them: B packed in 8 bits, split over threads.
#pragma once
#include <vector>

#include "kernels/quant/form_x8.h"
#include "ops/operator.h"
#include "ops/util/matmul_shape.h"

namespace sardonyx {

inline constexpr DTypeSet kBytes{DType::int8, DType::uint8};

inline bool is_signed(const Tensor& t) noexcept { return t.dtype() == DType::int8; }

// Zero points and scales come as one value, or one per row of A or column of B, also with the batch in front.
inline bool fits_lines(const Shape& s, int64_t lines, int64_t all) {
  return s.count() == 1 || s.count() == lines || s.count() == all;
}

// The elements of an int8 or uint8 tensor.
std::vector<int32_t> byte_values(const Tensor& t);

// The zero points of matrices with `lines` rows or columns each; none: 0.
struct ZeroPoints {
  std::vector<int32_t> values;
  const int32_t* of(int64_t matrix, int64_t lines) const noexcept {
    if (values.empty()) return nullptr;
    const int64_t n = static_cast<int64_t>(values.size());
    return n <= lines || n == 1 ? values.data() : values.data() + matrix * lines % n;
  }
  bool per_line() const noexcept { return values.size() > 1; }
};

// All matrices of a tensor B of rank 1 or more, int8 or uint8, one behind the other.
class PackedX8 {
 public:
  PackedX8() = default;
  PackedX8(const Tensor& b, const ZeroPoints& zeros);
  // From the constants `b` and `zero` where they are such; has_zero: does the node have zero points? Releases b.
  static PackedX8 of_constants(PrepareContext& c, int b, int zero, bool has_zero);

  bool defined() const noexcept { return bytes_.defined(); }
  uint64_t byte_size() const noexcept { return bytes_.byte_size(); }
  kernels::FormX8 form() const noexcept { return form_; }
  const uint8_t* matrix(int64_t i) const noexcept { return bytes_.data<uint8_t>() + static_cast<size_t>(i) * size_; }

 private:
  Tensor bytes_;
  size_t size_ = 0;
  kernels::FormX8 form_ = kernels::FormX8::pairs;
};

// What is to be done with sums as soon as they are there, block by block: rows [m0, m1) of all rows of all products,
// columns [n0, n1).
class SumsDone {
 public:
  virtual void block(int64_t m0, int64_t m1, int64_t n0, int64_t n1) const noexcept = 0;

 protected:
  ~SumsDone() = default;
};

// y int32 = the products of a (int8 or uint8, its zero points by row) and b. Takes the run's scratch.
void multiply_x8(RunContext& c, const MatMulShape& s, const Tensor& a, ZeroPoints zeros, const PackedX8& b, int32_t* y,
                 const SumsDone* done = nullptr);

}  // namespace sardonyx
