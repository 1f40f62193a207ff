// Tile and Expand: repeat a tensor along its axes.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

// ONNX Tile: repeats[i] copies along axis i. Version 1: `tiles` copies along one `axis`.
class Tile final : public Operator {
 public:
  explicit Tile(const Attributes& a) : one_axis_(a.since < 6) {}

  void infer(InferContext& c) const override {
    c.require_inputs(one_axis_ ? 3 : 2, one_axis_ ? 3 : 2);
    c.require_dtype(0, kAll);
    Shape y = c.shape(0);
    std::vector<int64_t> repeats;
    if (one_axis_) {
      const Tensor *tiles = c.value(1), *axis = c.value(2);
      if (!tiles || !axis) return c.defer();
      repeats = repeats_of_one(y.rank(), *tiles, *axis);
    } else {
      KnownInts list = known_ints(c, 1);
      if (!list.known) return c.defer();
      repeats = std::move(list.values);
    }
    check(repeats.size() == static_cast<size_t>(y.rank()), ErrorCode::invalid_model, "there are ", repeats.size(),
          " repeats for rank ", y.rank());
    for (int i = 0; i < y.rank(); i++) {
      const int64_t n = repeats[static_cast<size_t>(i)];
      check(n >= 0, ErrorCode::invalid_model, "axis ", i, " is repeated ", n, " times");
      check(!__builtin_mul_overflow(y[i], n, &y[i]), ErrorCode::out_of_memory, "dimension ", i, " becomes too large");
    }
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor& input = c.input(0);
    const std::vector<int64_t> repeats =
        one_axis_ ? repeats_of_one(input.rank(), c.input(1), c.input(2)) : c.input(1).to_int64();
    if (c.output(0).count() == 0) return;
    const Tensor x = unpacked(input);
    Tensor y = unpacked_like(c.output(0));
    const auto xs = x.shape().strides(), ys = y.shape().strides();
    StridedBox box;
    for (size_t i = 0; i < repeats.size(); i++) {
      const int64_t dim = x.dim(static_cast<int>(i));
      box.add(repeats[i], 0, dim * ys[i]);
      box.add(dim, xs[i], ys[i]);
    }
    box.copy(x.dtype(), x.bytes(), 0, y.bytes(), 0);
    pack(y, c.output(0));
  }

 private:
  static std::vector<int64_t> repeats_of_one(int rank, const Tensor& tiles, const Tensor& axis) {
    const auto number = [](const Tensor& t) {
      check(t.count() == 1, ErrorCode::invalid_model, "tiles and axis must be one number each");
      if (t.dtype() != DType::float32) return t.to_int64()[0];
      const float value = *t.data<float>();
      check(value >= -1e6f && value <= 1e9f, ErrorCode::invalid_model, "tiles or axis is out of range");
      return static_cast<int64_t>(value);
    };
    std::vector<int64_t> repeats(static_cast<size_t>(rank), 1);
    repeats[static_cast<size_t>(normalize_axis(number(axis), rank))] = number(tiles);
    return repeats;
  }
  bool one_axis_;
};

// ONNX Expand: broadcasts to `shape`, in both directions as numpy does.
class Expand final : public Operator {
 public:
  explicit Expand(const Attributes&) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAll);
    const KnownInts shape = known_ints(c, 1);
    if (!shape.known) return c.defer();
    c.set_output(0, c.dtype(0), broadcast(c.shape(0), Shape(shape.values)));
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Tensor x = unpacked(c.input(0));
    Tensor y = unpacked_like(c.output(0));
    const auto xs = x.shape().strides(), ys = y.shape().strides();
    const int pad = y.rank() - x.rank();
    StridedBox box;
    for (int i = 0; i < y.rank(); i++) {
      const bool repeats = i < pad || x.dim(i - pad) == 1;
      box.add(y.dim(i), repeats ? 0 : xs[static_cast<size_t>(i - pad)], ys[static_cast<size_t>(i)]);
    }
    box.copy(x.dtype(), x.bytes(), 0, y.bytes(), 0);
    pack(y, c.output(0));
  }
};

constexpr OpEntry kOps[] = {
    {"Tile", 1, make_operator<Tile>},
    {"Tile", 6, make_operator<Tile>},
    {"Expand", 8, make_operator<Expand>},
};

}  // namespace

std::span<const OpEntry> tile_ops() { return kOps; }

}  // namespace sardonyx
