// Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze, Identity: resolved shapes, old versions, refusals.
#include <gtest/gtest.h>

#include "tests/cpp/graph_maker.h"
#include "tests/cpp/move_values.h"
#include "tests/cpp/op_runner.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::ints;
using testing::numbered;
using testing::reason_of;
using testing::run_op;

using Dims = std::vector<int64_t>;

Tensor list(const Dims& dims) { return Tensor::of(dims); }

Dims dims_of(const Value& v) { return {v.tensor().shape().begin(), v.tensor().shape().end()}; }

TEST(ShapeOps, ShapeTakesARange) {
  const Tensor x = numbered(DType::float32, {2, 3, 0, 5});
  EXPECT_EQ(ints(run_op("Shape", 1, {}, {x})[0]), (Dims{2, 3, 0, 5}));
  const auto range = [&](int64_t start, int64_t end) {
    Attributes a;
    a.add("start", start);
    a.add("end", end);
    return ints(run_op("Shape", 15, a, {x})[0]);
  };
  EXPECT_EQ(range(1, 3), (Dims{3, 0}));
  EXPECT_EQ(range(-2, -1), (Dims{0}));
  EXPECT_EQ(range(-9, 9), (Dims{2, 3, 0, 5}));
  EXPECT_EQ(range(3, 1), Dims{});
  EXPECT_EQ(ints(run_op("Size", 13, {}, {numbered(DType::int4, {3, 5})})[0]), (Dims{15}));
  EXPECT_EQ(ints(run_op("Shape", 23, {}, {numbered(DType::string, {})})[0]), Dims{});
}

TEST(ShapeOps, ReshapeResolves) {
  const auto reshape = [](const Shape& from, const Dims& to, bool allow_zero = false) {
    const Tensor x = numbered(DType::uint8, from);
    const Value y = run_op("Reshape", 14, attribute("allowzero", int64_t{allow_zero}), {x, list(to)})[0];
    EXPECT_EQ(y.tensor().bytes(), x.bytes());
    return dims_of(y);
  };
  EXPECT_EQ(reshape({2, 3, 4}, {0, -1}), (Dims{2, 12}));
  EXPECT_EQ(reshape({2, 3, 4}, {4, 0, 2}), (Dims{4, 3, 2}));
  EXPECT_EQ(reshape({1}, {}), Dims{});
  EXPECT_EQ(reshape({}, {1, -1}), (Dims{1, 1}));
  EXPECT_EQ(reshape({0, 3}, {3, 0}, true), (Dims{3, 0}));
  EXPECT_EQ(reshape({0, 3}, {-1, 3}), (Dims{0, 3}));
  EXPECT_EQ(dims_of(run_op("Reshape", 1, attribute("shape", Dims{-1, 2}), {numbered(DType::float32, {4})})[0]),
            (Dims{2, 2}));
}

TEST(ShapeOps, ReshapeRefuses) {
  const auto reason = [](const Shape& from, const Dims& to, bool allow_zero = false) {
    return reason_of([&] {
      run_op("Reshape", 14, attribute("allowzero", int64_t{allow_zero}), {numbered(DType::uint8, from), list(to)});
    });
  };
  EXPECT_EQ(reason({2, 3}, {4, 2}), "shape 2x3 cannot become [4, 2]");
  EXPECT_EQ(reason({2, 3}, {-1, 4}), "shape 2x3 does not divide into [-1, 4]");
  EXPECT_EQ(reason({2, 3}, {-1, -1}), "shape has more than one -1");
  EXPECT_EQ(reason({2, 3}, {-2, 3}), "shape has the dimension -2");
  EXPECT_EQ(reason({6}, {6, 0}), "shape keeps dimension 1 of a tensor of rank 1");
  EXPECT_EQ(reason({0, 2}, {0, -1}, true), "shape has both 0 and -1, with allowzero");
  EXPECT_NE(reason({1}, {int64_t{1} << 40, int64_t{1} << 40}), "");
  EXPECT_NE(reason({1}, Dims(17, 1)), "");
}

TEST(ShapeOps, FlattenSqueezeUnsqueeze) {
  const Tensor x = numbered(DType::int16, {2, 1, 3, 1});
  EXPECT_EQ(dims_of(run_op("Flatten", 9, attribute("axis", int64_t{2}), {x})[0]), (Dims{2, 3}));
  EXPECT_EQ(dims_of(run_op("Flatten", 13, attribute("axis", int64_t{-1}), {x})[0]), (Dims{6, 1}));
  EXPECT_EQ(dims_of(run_op("Flatten", 13, attribute("axis", int64_t{0}), {numbered(DType::int16, {})})[0]),
            (Dims{1, 1}));
  EXPECT_EQ(dims_of(run_op("Squeeze", 1, {}, {x})[0]), (Dims{2, 3}));
  EXPECT_EQ(dims_of(run_op("Squeeze", 11, attribute("axes", Dims{-1}), {x})[0]), (Dims{2, 1, 3}));
  EXPECT_EQ(dims_of(run_op("Squeeze", 13, {}, {x, list({1})})[0]), (Dims{2, 3, 1}));
  EXPECT_EQ(dims_of(run_op("Unsqueeze", 1, attribute("axes", Dims{0, 5}), {x})[0]), (Dims{1, 2, 1, 3, 1, 1}));
  EXPECT_EQ(dims_of(run_op("Unsqueeze", 13, {}, {x, list({-1, 0})})[0]), (Dims{1, 2, 1, 3, 1, 1}));
  EXPECT_EQ(reason_of([&] { run_op("Squeeze", 13, {}, {x, list({0})}); }), "axis 0 has dimension 2, not 1");
  EXPECT_EQ(reason_of([&] { run_op("Unsqueeze", 13, {}, {x, list({1, 1})}); }), "axis 1 is named twice");
  EXPECT_EQ(reason_of([&] { run_op("Unsqueeze", 13, {}, {x, list({7})}); }), "axis 7 is out of range for rank 5");
  EXPECT_EQ(reason_of([&] { run_op("Flatten", 13, attribute("axis", int64_t{5}), {x}); }),
            "axis 5 is out of range for rank 4");
}

TEST(ShapeOps, IdentityPassesEverything) {
  for (DType type : testing::all_types()) {
    const Tensor x = numbered(type, {2, 3});
    EXPECT_EQ(run_op("Identity", 25, {}, {x})[0].tensor().bytes(), x.bytes());
  }
  const Value sequence = Sequence{DType::int8, {numbered(DType::int8, {2})}};
  EXPECT_EQ(run_op("Identity", 16, {}, {sequence})[0].sequence().items.size(), 1u);
}

}  // namespace
}  // namespace sardonyx
