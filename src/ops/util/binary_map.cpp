// The walk of binary operators over broadcast operands, and the broadcasting of the first opsets.
#include "ops/util/binary_map.h"

#include "ops/util/broadcast.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

// Rows of a tile whose operands are 16-bit floats: converted, computed, converted back by blocks.
void half_row(const Tensor& a, int64_t at_a, int64_t stride_a, const Tensor& b, int64_t at_b, int64_t stride_b,
              Tensor& y, int64_t at_y, int64_t cols, BinaryLoop loop) noexcept {
  alignas(16) float left[kFloatBlock], right[kFloatBlock];
  const bool narrow = y.dtype() != DType::boolean;
  for (int64_t i = 0; i < cols; i += kFloatBlock) {
    const int64_t n = std::min(kFloatBlock, cols - i);
    if (i == 0 || stride_a) load_floats(a.dtype(), a.bytes(), at_a + i * stride_a, stride_a ? n : 1, left);
    if (i == 0 || stride_b) load_floats(b.dtype(), b.bytes(), at_b + i * stride_b, stride_b ? n : 1, right);
    alignas(16) float result[kFloatBlock];
    void* to = narrow ? static_cast<void*>(result) : y.bytes() + at_y + i;
    loop(left, static_cast<size_t>(stride_a), right, static_cast<size_t>(stride_b), to, static_cast<size_t>(n));
    if (narrow) store_floats(y.dtype(), result, y.bytes(), at_y + i, n);
  }
}

// Rows up to this long are not worth a call each.
constexpr int64_t kShortRow = 8;

// One operand of a tile with short rows, as the dense run of elements that the loop wants.
class DenseRows {
 public:
  DenseRows(const BroadcastTile& t, size_t operand, const std::byte* data, int64_t size) noexcept
      : row_stride_(t.row_stride[operand]), col_stride_(t.col_stride[operand]), cols_(t.cols), size_(size) {
    first_ = data + t.offset[operand] * size;
    dense_ = col_stride_ == 1 && row_stride_ == cols_;
  }
  const std::byte* rows(int64_t from, int64_t count) noexcept {
    const std::byte* x = first_ + from * row_stride_ * size_;
    if (dense_) return x;
    dispatch_width(static_cast<int>(size_), [&]<class T>(TypeTag<T>) {
      T* to = reinterpret_cast<T*>(buffer_);
      const T* row = reinterpret_cast<const T*>(x);
      for (int64_t r = 0; r < count; r++, row += row_stride_) {
        for (int64_t i = 0; i < cols_; i++) *to++ = row[i * col_stride_];
      }
    });
    return buffer_;
  }

  static constexpr int64_t kElements = 256;

 private:
  const std::byte* first_;
  int64_t row_stride_, col_stride_, cols_, size_;
  bool dense_;
  alignas(16) std::byte buffer_[kElements * 8 + 16];  // loops may read a vector beyond the last element
};

// y is the tile's first output element. Blocks of rows are made dense, then computed by one call each.
void short_rows(const BroadcastTile& t, const Tensor& a, const Tensor& b, std::byte* y, int64_t size_y,
                BinaryLoop loop) noexcept {
  DenseRows left(t, 0, a.bytes(), element_bytes(a.dtype())), right(t, 1, b.bytes(), element_bytes(b.dtype()));
  const int64_t step = DenseRows::kElements / t.cols;
  for (int64_t r = 0; r < t.rows; r += step) {
    const int64_t n = std::min(step, t.rows - r);
    loop(left.rows(r, n), 1, right.rows(r, n), 1, y + r * t.cols * size_y, static_cast<size_t>(n * t.cols));
  }
}

}  // namespace

void run_binary(ThreadPool& pool, const Tensor& a, const Tensor& b, Tensor& y, BinaryLoop loop) {
  // Operands that are whole or one element need no walk. As many elements as the output has are in its order.
  const int64_t count = y.count();
  if ((a.count() == count || a.count() == 1) && (b.count() == count || b.count() == 1) && !is_half(a.dtype())) {
    const bool whole_a = a.count() == count, whole_b = b.count() == count;
    pool.parallel_for(count, Broadcast::kGrain, [&](int64_t from, int64_t to) {
      loop(advance(a.bytes(), a.dtype(), whole_a ? from : 0), whole_a,
           advance(b.bytes(), b.dtype(), whole_b ? from : 0), whole_b, advance(y.bytes(), y.dtype(), from),
           static_cast<size_t>(to - from));
    });
    return;
  }
  const Broadcast walk(y.shape(), {&a.shape(), &b.shape()});
  if (is_half(a.dtype())) {
    walk.for_each_tile(pool, [&](const BroadcastTile& t) {
      for (int64_t r = 0; r < t.rows; r++) {
        half_row(a, t.offset[0] + r * t.row_stride[0], t.col_stride[0], b, t.offset[1] + r * t.row_stride[1],
                 t.col_stride[1], y, t.out + r * t.cols, t.cols, loop);
      }
    });
    return;
  }
  const int64_t size_a = element_bytes(a.dtype()), size_b = element_bytes(b.dtype()), size_y = element_bytes(y.dtype());
  walk.for_each_tile(pool, [&](const BroadcastTile& t) {
    const std::byte* left = a.bytes() + t.offset[0] * size_a;
    const std::byte* right = b.bytes() + t.offset[1] * size_b;
    std::byte* out = y.bytes() + t.out * size_y;
    if (t.rows > 1 && t.cols <= kShortRow) return short_rows(t, a, b, out, size_y, loop);
    const auto stride_a = static_cast<size_t>(t.col_stride[0]), stride_b = static_cast<size_t>(t.col_stride[1]);
    for (int64_t r = 0; r < t.rows; r++) {
      loop(left, stride_a, right, stride_b, out, static_cast<size_t>(t.cols));
      left += t.row_stride[0] * size_a;
      right += t.row_stride[1] * size_b;
      out += t.cols * size_y;
    }
  });
}

OldBroadcast::OldBroadcast(const Attributes& a) : old_(a.opset < 7) {
  if (!old_) return;
  broadcast_ = a.flag("broadcast", false);
  has_axis_ = a.has("axis");
  axis_ = a.integer("axis", 0);
  if (a.opset < 6) a.ignore("consumed_inputs");
}

Shape OldBroadcast::shape_of_b(const Shape& a, const Shape& b) const {
  if (!old_) return b;
  if (!broadcast_) {
    check(a == b, ErrorCode::invalid_model, "shapes ", a, " and ", b, " differ and attribute \"broadcast\" is not set");
    return b;
  }
  if (b.count() == 1) return Shape{};
  check(b.rank() <= a.rank(), ErrorCode::invalid_model, "the second shape ", b, " has a higher rank than ", a);
  const Shape full = aligned_at(b, has_axis_ ? normalize_axis(axis_, a.rank()) : a.rank() - b.rank(), a.rank());
  check(broadcast(a, full) == a, ErrorCode::invalid_model, "shape ", b, " cannot be broadcast to ", a);
  return full;
}

void BinaryMap::infer(InferContext& c) const {
  c.require_inputs(2, 2);
  c.require_dtype(0, f_.types);
  c.require_same_dtype(0, 1);
  const Shape b = old_.shape_of_b(c.shape(0), c.shape(1));
  c.set_output(0, f_.to_bool ? DType::boolean : c.dtype(0), broadcast(c.shape(0), b));
}

void BinaryMap::run(RunContext& c) const {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  const BinaryLoop loop = f_.loop(is_half(a.dtype()) ? DType::float32 : a.dtype());
  if (old_.applies()) {
    const Tensor fitted = b.reshaped(old_.shape_of_b(a.shape(), b.shape()));
    return swapped_ ? run_binary(c.pool(), fitted, a, c.output(0), loop)
                    : run_binary(c.pool(), a, fitted, c.output(0), loop);
  }
  run_binary(c.pool(), swapped_ ? b : a, swapped_ ? a : b, c.output(0), loop);
}

}  // namespace sardonyx
