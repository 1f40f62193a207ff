// RotaryEmbedding: turns pairs of a head's elements by angles that depend on the position.
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/rotate.h"

namespace sardonyx {
namespace {

class RotaryEmbedding final : public Operator {
 public:
  explicit RotaryEmbedding(const Attributes& a)
      : interleaved_(a.flag("interleaved", false)),
        heads_(a.integer("num_heads", 0)),
        rotary_(a.integer("rotary_embedding_dim", 0)) {
    check(heads_ >= 0 && rotary_ >= 0 && rotary_ % 2 == 0, ErrorCode::invalid_model, "num_heads is ", heads_,
          ", rotary_embedding_dim ", rotary_);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 4);
    c.require_dtype(0, kFloat - DTypeSet{DType::float64});
    c.require_rank(0, 3, 4);
    const Layout l = layout(c.shape(0));
    check(l.size % 2 == 0 || rotary_ > 0, ErrorCode::invalid_input, "heads of odd size ", l.size);
    check(rotary_ <= l.size, ErrorCode::invalid_model, "rotary_embedding_dim ", rotary_, " for heads of ", l.size);
    const int64_t half = rotated(l) / 2;
    const bool by_id = c.has_input(3);
    for (int i = 1; i < 3; i++) {
      c.require_same_dtype(0, i);
      c.require_rank(i, by_id ? 2 : 3, by_id ? 2 : 3);
      const Shape& cache = c.shape(i);
      check(cache == (by_id ? Shape{c.shape(1)[0], half} : Shape{l.batch, l.length, half}), ErrorCode::invalid_input,
            i == 1 ? "cos_cache" : "sin_cache", " of shape ", cache, " for batch ", l.batch, ", length ", l.length,
            " and ", half, " pairs");
    }
    if (by_id) {
      c.require_dtype(3, {DType::int64});
      check(c.shape(3) == (Shape{l.batch, l.length}), ErrorCode::invalid_input, "position_ids of shape ", c.shape(3),
            ", not ", Shape{l.batch, l.length});
    }
    c.set_output_like(0, 0);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Layout l = layout(c.input(0).shape());
    const int64_t turned = rotated(l), half = turned / 2, tokens = l.batch * l.length;
    const Tensor cosine = to_float32(c.input(1)), sine = to_float32(c.input(2)), x = to_float32(c.input(0));
    std::vector<int64_t> ids;
    if (c.has_input(3)) ids = c.input(3).to_int64();
    for (int64_t id : ids) {
      check(id >= 0 && id < cosine.dim(0), ErrorCode::runtime_error, "position ", id, " is out of range for caches of ",
            cosine.dim(0));
    }
    FloatOutput y(c.output(0));
    c.pool().parallel_for(tokens * l.heads, std::max<int64_t>(1, (1 << 13) / l.size), [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {  // the vectors in the order of x
        const int64_t token = l.heads_first ? i / l.length / l.heads * l.length + i % l.length : i / l.heads;
        const int64_t row = (ids.empty() ? token : ids[static_cast<size_t>(token)]) * half;
        const float* in = x.data<float>() + i * l.size;
        float* out = y.data() + i * l.size;
        rotate(in, cosine.data<float>() + row, sine.data<float>() + row, out, half, interleaved_);
        if (out != in) std::copy(in + turned, in + l.size, out + turned);
      }
    });
    y.store();
  }

  uint32_t in_place() const override { return 1; }

 private:
  struct Layout {
    int64_t batch, heads, length, size;
    bool heads_first;  // [batch][heads][length][size], else [batch][length][heads][size]
  };

  Layout layout(const Shape& x) const {
    if (x.rank() == 4) return {x[0], x[1], x[2], x[3], true};
    check(heads_ > 0, ErrorCode::invalid_model, "num_heads is needed for an input of rank 3");
    check(x[2] % heads_ == 0, ErrorCode::invalid_input, "hidden size ", x[2], " is no multiple of num_heads ", heads_);
    return {x[0], heads_, x[1], x[2] / heads_, false};
  }
  int64_t rotated(const Layout& l) const noexcept { return rotary_ > 0 ? rotary_ : l.size; }

  bool interleaved_;
  int64_t heads_, rotary_;
};

constexpr OpEntry kOps[] = {{"RotaryEmbedding", 23, make_operator<RotaryEmbedding>}};

}  // namespace

std::span<const OpEntry> rotary_ops() { return kOps; }

}  // namespace sardonyx
