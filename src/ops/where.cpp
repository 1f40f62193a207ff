// Where: elements of one tensor or the other.
#include "ops/families.h"
#include "ops/util/broadcast.h"
#include "ops/util/elements.h"

namespace sardonyx {
namespace {

// Strides are 0 or 1.
template <class T>
void select_row(const uint8_t* condition, int64_t stride_c, const T* x, int64_t stride_x, const T* y, int64_t stride_y,
                T* out, int64_t n) noexcept {
  if (stride_c == 0) {
    const T* from = *condition ? x : y;
    const int64_t stride = *condition ? stride_x : stride_y;
    for (int64_t i = 0; i < n; i++) out[i] = from[i * stride];
  } else if (stride_x && stride_y) {
    for (int64_t i = 0; i < n; i++) out[i] = condition[i] ? x[i] : y[i];
  } else {
    for (int64_t i = 0; i < n; i++) out[i] = condition[i] ? x[i * stride_x] : y[i * stride_y];
  }
}

class Where final : public Operator {
 public:
  explicit Where(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(0, kBool);
    c.require_dtype(1, kAddressable);
    c.require_same_dtype(1, 2);
    c.set_output(0, c.dtype(1), broadcast(broadcast(c.shape(0), c.shape(1)), c.shape(2)));
  }
  void run(RunContext& c) const override {
    const Tensor& condition = c.input(0);
    const Tensor& x = c.input(1);
    const Tensor& y = c.input(2);
    Tensor& out = c.output(0);
    const Broadcast walk(out.shape(), {&condition.shape(), &x.shape(), &y.shape()});
    with_element(out.dtype(), [&]<class T>(T) {
      walk.for_each_tile(c.pool(), [&](const BroadcastTile& t) {
        for (int64_t r = 0; r < t.rows; r++) {
          select_row(condition.data<uint8_t>() + t.offset[0] + r * t.row_stride[0], t.col_stride[0],
                     x.data<T>() + t.offset[1] + r * t.row_stride[1], t.col_stride[1],
                     y.data<T>() + t.offset[2] + r * t.row_stride[2], t.col_stride[2],
                     out.data<T>() + t.out + r * t.cols, t.cols);
        }
      });
    });
  }
  uint32_t in_place() const override { return 6; }
};

constexpr OpEntry kOps[] = {{"Where", 9, make_operator<Where>}};

}  // namespace

std::span<const OpEntry> where_ops() { return kOps; }

}  // namespace sardonyx
