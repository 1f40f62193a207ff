// com.microsoft RotaryEmbedding: turns pairs of a head's elements by angles that depend on the position.
#include <algorithm>
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
    a.ignore("is_packed_batching");
    a.ignore("scale");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(4, 4);
    c.require_dtype(0, kFloat - DTypeSet{DType::float64});
    c.require_rank(0, 3, 4);
    c.require_dtype(1, {DType::int64});
    for (int i : {2, 3}) {
      c.require_same_dtype(0, i);
      c.require_rank(i, 2, 2);
    }
    check(c.shape(2) == c.shape(3), ErrorCode::invalid_input, "cos_cache of shape ", c.shape(2), ", sin_cache of ",
          c.shape(3));
    const Layout l = layout(c.shape(0), c.shape(2));
    check(2 * c.shape(2)[1] == turned(l), ErrorCode::invalid_input, "caches of shape ", c.shape(2), " for heads of ",
          l.size, " elements");
    const Shape& ids = c.shape(1);
    check(ids.count() == 1 || ids == Shape{l.batch, l.length}, ErrorCode::invalid_input, "position_ids of shape ", ids,
          " for ", l.batch, " times ", l.length, " tokens");
    c.set_output_like(0, 0);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Layout l = layout(c.input(0).shape(), c.input(2).shape());
    const int64_t half = turned(l) / 2, tokens = l.batch * l.length;
    const Tensor x = to_float32(c.input(0)), cosine = to_float32(c.input(2)), sine = to_float32(c.input(3));
    const std::span<const int64_t> ids = c.input(1).values<int64_t>();
    std::vector<int64_t> rows;  // of the caches, by token
    for (int64_t t = 0; t < tokens; t++) {
      const bool offset = ids.size() == 1 && tokens != 1;
      const int64_t id = offset ? ids[0] + t % l.length : ids[static_cast<size_t>(t)];
      check(id >= 0 && id < cosine.dim(0), ErrorCode::runtime_error, "position ", id, " is out of range for caches of ",
            cosine.dim(0));
      rows.push_back(id * half);
    }
    FloatOutput y(c.output(0));
    c.pool().parallel_for(tokens * l.heads, std::max<int64_t>(1, (1 << 13) / l.size), [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {  // the vectors in the order of x
        const int64_t token = l.heads_first ? i / l.length / l.heads * l.length + i % l.length : i / l.heads;
        const int64_t row = rows[static_cast<size_t>(token)];
        const float* in = x.data<float>() + i * l.size;
        float* out = y.data() + i * l.size;
        rotate(in, cosine.data<float>() + row, sine.data<float>() + row, out, half, interleaved_);
        if (out != in) std::copy(in + 2 * half, in + l.size, out + 2 * half);
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

  int64_t turned(const Layout& l) const noexcept { return rotary_ > 0 ? rotary_ : l.size; }

  Layout layout(const Shape& x, const Shape& cache) const {
    if (x.rank() == 4) return {x[0], x[1], x[2], x[3], true};
    check(rotary_ == 0 || heads_ > 0, ErrorCode::invalid_model, "rotary_embedding_dim needs num_heads");
    const int64_t size = rotary_ > 0 ? x[2] / heads_ : 2 * cache[1];
    check(size > 0 && x[2] % size == 0 && size >= rotary_, ErrorCode::invalid_input, "hidden size ", x[2],
          " does not divide into heads of ", size);
    return {x[0], x[2] / size, x[1], size, false};
  }

  bool interleaved_;
  int64_t heads_, rotary_;
};

constexpr OpEntry kOps[] = {{"RotaryEmbedding", 1, make_operator<RotaryEmbedding>}};

}  // namespace

std::span<const OpEntry> ms_rotary_ops() { return kOps; }

}  // namespace sardonyx
