// Transpose, Concat, Split, Slice, Pad, Tile, Expand: against walks over coordinates, for all element types.
#include <gtest/gtest.h>

#include <functional>

#include "tests/cpp/graph_maker.h"
#include "tests/cpp/move_values.h"
#include "tests/cpp/op_runner.h"

namespace sardonyx {
namespace {

using testing::all_types;
using testing::attribute;
using testing::expect_moved;
using testing::ints;
using testing::numbered;
using testing::positions;
using testing::reason_of;
using testing::run_op;

using Dims = std::vector<int64_t>;
Tensor list(const Dims& dims) { return Tensor::of(dims); }

// A tensor of shape y whose element at each coordinate is the position in x that `source` gives (-1 for none).
Tensor expected(const Shape& x, const Shape& y, const std::function<bool(Dims& at)>& source) {
  Tensor t = Tensor::allocate(DType::int64, y);
  for (int64_t i = 0; i < t.count(); i++) {
    Dims at(static_cast<size_t>(y.rank()));
    int64_t rest = i;
    for (int d = y.rank() - 1; d >= 0; d--) {
      at[static_cast<size_t>(d)] = rest % y[d];
      rest /= y[d];
    }
    int64_t position = -1;
    if (source(at)) {
      position = 0;
      for (int d = 0; d < x.rank(); d++) position = position * x[d] + at[static_cast<size_t>(d)];
    }
    t.data<int64_t>()[i] = position;
  }
  return t;
}

// The operator with these other inputs, on all types; `from` tells where each element comes from.
void expect_everywhere(const std::string& op, int opset, const Attributes& a, const Shape& x,
                       const std::vector<Value>& others, const Tensor& from, bool small_types = true) {
  for (DType type : all_types()) {
    if (!small_types && kSubByte.has(type)) continue;
    const Tensor data = numbered(type, x);
    std::vector<Value> inputs{data};
    inputs.insert(inputs.end(), others.begin(), others.end());
    expect_moved(data, run_op(op, opset, a, inputs)[0].tensor(), from);
  }
}

TEST(MoveOps, TransposeOfAllTypes) {
  const std::vector<std::pair<Shape, Dims>> cases = {{{3, 5}, {1, 0}},
                                                     {{2, 3, 4}, {2, 0, 1}},
                                                     {{2, 3, 4, 5}, {0, 2, 1, 3}},
                                                     {{2, 1, 3, 1, 2}, {4, 3, 2, 1, 0}},
                                                     {{7}, {0}},
                                                     {{}, {}},
                                                     {{3, 0, 2}, {2, 1, 0}},
                                                     {{17, 33}, {1, 0}},
                                                     {{2, 16, 3, 4}, {0, 2, 3, 1}}};
  for (const auto& [x, perm] : cases) {
    Shape y;
    for (int64_t p : perm) y.push_back(x[static_cast<int>(p)]);
    const Tensor from = expected(x, y, [&perm = perm](Dims& at) {
      Dims source(at.size());
      for (size_t i = 0; i < at.size(); i++) source[static_cast<size_t>(perm[i])] = at[i];
      at = source;
      return true;
    });
    expect_everywhere("Transpose", 25, attribute("perm", perm), x, {}, from);
  }
  EXPECT_TRUE(run_op("Transpose", 1, {}, {numbered(DType::int8, {2, 3, 4})})[0].tensor().shape() == (Shape{4, 3, 2}));
  EXPECT_EQ(reason_of([] { run_op("Transpose", 13, attribute("perm", Dims{0, 0}), {numbered(DType::int8, {2, 3})}); }),
            "axis 0 is named twice");
}

TEST(MoveOps, SliceFollowsNumpy) {
  // Each: dimension, start, end, step, and what numpy takes.
  struct Case {
    int64_t dim, start, end, step;
    Dims taken;
  };
  const Case cases[] = {
      {5, 1, 4, 1, {1, 2, 3}},
      {5, 0, INT64_MAX, 2, {0, 2, 4}},
      {5, -2, INT64_MAX, 1, {3, 4}},
      {5, INT64_MAX, INT64_MIN, -1, {4, 3, 2, 1, 0}},
      {5, -1, -4, -2, {4, 2}},
      {5, 4, 1, 1, {}},
      {5, 10, 0, -3, {4, 1}},
      {5, -9, 9, 3, {0, 3}},
      {0, 0, 9, 1, {}},
      {5, 3, INT64_MIN, INT64_MIN, {3}},
      {5, 1, INT64_MAX, INT64_MAX, {1}},
      {0, -1, INT64_MIN, -1, {}},
  };
  for (const Case& k : cases) {
    for (const Shape& around : {Shape{}, Shape{3}}) {
      Shape x{2, k.dim}, y{2, static_cast<int64_t>(k.taken.size())};
      for (int64_t d : around.dims()) x.push_back(d), y.push_back(d);
      const Tensor from = expected(x, y, [&](Dims& at) {
        at[1] = k.taken[static_cast<size_t>(at[1])];
        return true;
      });
      expect_everywhere("Slice", 13, {}, x, {list({k.start}), list({k.end}), list({1}), list({k.step})}, from);
    }
  }
}

TEST(MoveOps, SliceOfAsManyAsCanBeCounted) {
  constexpr int64_t kMost = Shape::kMaxDim;
  const Value x = testing::tensor<float>({0, kMost}, {});
  const auto columns = [&](int64_t start, int64_t end, int64_t step) {
    return run_op("Slice", 13, {}, {x, list({start}), list({end}), list({1}), list({step})})[0].tensor().dim(1);
  };
  EXPECT_EQ(columns(0, INT64_MAX, INT64_MAX), 1);
  EXPECT_EQ(columns(0, INT64_MAX, 2), kMost / 2);
  EXPECT_EQ(columns(-1, INT64_MIN, -1), kMost);
  EXPECT_EQ(columns(-1, INT64_MIN, INT64_MIN), 1);
}

TEST(MoveOps, SliceOfOldAndSeveralAxes) {
  Attributes a;
  a.add("starts", Dims{1, -2});
  a.add("ends", Dims{9, -1});
  a.add("axes", Dims{2, 0});
  const Tensor x = positions({3, 2, 3});
  EXPECT_EQ(ints(run_op("Slice", 1, a, {x})[0]), (Dims{7, 8, 10, 11}));
  EXPECT_EQ(ints(run_op("Slice", 10, {}, {x, list({2, 1}), list({0, 2}), Value(), list({-1, 1})})[0]),
            (Dims{15, 16, 17, 9, 10, 11}));
  EXPECT_EQ(reason_of([&] { run_op("Slice", 10, {}, {x, list({0}), list({1}), list({0}), list({0})}); }),
            "the step of axis 0 is 0");
  EXPECT_EQ(reason_of([&] { run_op("Slice", 10, {}, {x, list({0, 0}), list({1}), list({0})}); }),
            "there are 2 starts and 1 ends");
}

TEST(MoveOps, ConcatAndSplitAreInverse) {
  for (DType type : all_types()) {
    for (int64_t axis : {0, 1, -1}) {
      const Tensor x = numbered(type, {5, 5, 5});
      const Dims sizes{2, 0, 3};
      const auto parts = run_op("Split", 13, attribute("axis", axis), {x, list(sizes)}, 3);
      const int d = normalize_axis(axis, 3);
      for (size_t i = 0; i < 3; i++) {
        const int64_t offset = i == 2 ? 2 : 0;
        Shape y{5, 5, 5};
        y[d] = sizes[i];
        const Tensor from = expected({5, 5, 5}, y, [&](Dims& at) {
          at[static_cast<size_t>(d)] += offset;
          return true;
        });
        expect_moved(x, parts[i].tensor(), from);
      }
      const Tensor whole = run_op("Concat", 13, attribute("axis", axis), parts)[0].tensor();
      expect_moved(x, whole, positions({5, 5, 5}));
    }
  }
}

TEST(MoveOps, SplitSizes) {
  const auto dims = [](int opset, Attributes a, int64_t n, int outputs) {
    Dims sizes;
    for (const Value& v : run_op("Split", opset, std::move(a), {positions({n, 2})}, outputs)) {
      sizes.push_back(v.tensor().dim(0));
    }
    return sizes;
  };
  EXPECT_EQ(dims(2, {}, 6, 3), (Dims{2, 2, 2}));
  EXPECT_EQ(dims(11, attribute("split", Dims{1, 5}), 6, 2), (Dims{1, 5}));
  EXPECT_EQ(dims(18, attribute("num_outputs", int64_t{4}), 7, 4), (Dims{2, 2, 2, 1}));
  EXPECT_EQ(dims(18, {}, 0, 2), (Dims{0, 0}));
  EXPECT_EQ(reason_of([&] { dims(13, {}, 7, 2); }), "dimension 0 of 7 cannot be split into 2 equal parts");
  EXPECT_EQ(reason_of([&] { dims(11, attribute("split", Dims{1, 4}), 6, 2); }),
            "the parts sum up to 5, dimension 0 is 6");
  EXPECT_EQ(reason_of([&] { dims(11, attribute("split", Dims{7, -1}), 6, 2); }),
            "a part of 7 is not within dimension 0 of 6");
  // An empty tensor's other dimensions are not bound by memory.
  const Shape wide{0, Shape::kMaxDim};
  EXPECT_EQ(
      run_op("Split", 18, attribute("axis", int64_t{1}), {Tensor::allocate(DType::float32, wide)}, 4)[3].tensor().dim(
          1),
      Shape::kMaxDim / 4);
}

// As onnxruntime does: the first step of a decoder brings empty caches with a batch of 0.
TEST(MoveOps, ConcatLeavesOutWhatHasNothingAlongTheAxis) {
  const Tensor x = positions({1, 2, 3});
  for (const std::vector<Value>& inputs : {std::vector<Value>{positions({0, 2, 0}), x}, {x, positions({4, 2, 0})}}) {
    const std::vector<Value> y = run_op("Concat", 13, attribute("axis", int64_t{2}), inputs);
    EXPECT_EQ(y[0].tensor().shape(), (Shape{1, 2, 3}));
    EXPECT_EQ(ints(y[0]), ints(x));
  }
  EXPECT_NE(reason_of([&] { run_op("Concat", 13, attribute("axis", int64_t{2}), {positions({0, 0}), x}); }), "");
  EXPECT_NE(reason_of([&] { run_op("Concat", 13, attribute("axis", int64_t{2}), {positions({0, 2, 1}), x}); }), "");
}

TEST(MoveOps, ConcatRefuses) {
  const Tensor x = positions({2, 3});
  EXPECT_EQ(reason_of([&] { run_op("Concat", 13, attribute("axis", int64_t{0}), {x, positions({2, 4})}); }),
            "shapes 2x3 and 2x4 cannot be joined along axis 0");
  EXPECT_EQ(reason_of([&] { run_op("Concat", 13, attribute("axis", int64_t{2}), {x, x}); }),
            "axis 2 is out of range for rank 2");
  EXPECT_EQ(ints(run_op("Concat", 1, {}, {positions({1, 2}), positions({1, 1})})[0]), (Dims{0, 1, 0}));
}

TEST(MoveOps, TileAndExpand) {
  const Shape x{2, 1, 3};
  expect_everywhere("Tile", 13, {}, x, {list({2, 3, 1})}, expected(x, {4, 3, 3}, [](Dims& at) {
                      at[0] %= 2;
                      at[1] = 0;
                      return true;
                    }));
  expect_everywhere("Tile", 13, {}, x, {list({1, 0, 1})}, expected(x, {2, 0, 3}, [](Dims&) { return true; }));
  expect_everywhere("Expand", 13, {}, x, {list({4, 1, 5, 1})}, expected(x, {4, 2, 5, 3}, [](Dims& at) {
                      at = {at[1], 0, at[3]};
                      return true;
                    }));
  expect_everywhere("Expand", 13, {}, {}, {list({2, 2})}, expected({}, {2, 2}, [](Dims& at) {
                      at.clear();
                      return true;
                    }));
  EXPECT_EQ(ints(run_op("Tile", 1, {}, {positions({2, 2}), list({2}).reshaped({}), list({1}).reshaped({})})[0]),
            (Dims{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(reason_of([&] { run_op("Tile", 6, {}, {positions(x), list({2, -1, 1})}); }), "axis 1 is repeated -1 times");
  EXPECT_NE(reason_of([&] { run_op("Tile", 6, {}, {positions(x), list({INT64_MAX, INT64_MAX, INT64_MAX})}); }), "");
}

TEST(MoveOps, PadOfAllModes) {
  const Shape x{3, 4};
  const auto padded = [&](const std::string& mode, const Dims& pads,
                          const std::function<int64_t(int64_t, int64_t)>& at) {
    const Shape y{3 + pads[0] + pads[2], 4 + pads[1] + pads[3]};
    const Tensor from = expected(x, y, [&](Dims& c) {
      c = {at(c[0] - pads[0], 3), at(c[1] - pads[1], 4)};
      return c[0] >= 0 && c[1] >= 0;
    });
    expect_everywhere("Pad", 25, attribute("mode", mode), x, {list(pads)}, from);
  };
  const auto constant = [](int64_t i, int64_t n) { return i < n ? i : -1; };
  const auto reflect = [](int64_t i, int64_t n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; };
  const auto edge = [](int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); };
  const auto wrap = [](int64_t i, int64_t n) { return (i % n + n) % n; };
  for (const Dims& pads : {Dims{1, 2, 2, 1}, Dims{0, 0, 0, 0}, Dims{0, 3, 0, 0}, Dims{2, 0, 1, 0}}) {
    padded("constant", pads, constant);
    padded("reflect", pads, reflect);
    padded("edge", pads, edge);
    padded("wrap", pads, wrap);
  }
  padded("wrap", {7, 0, 9, 5}, wrap);
  padded("constant", {-1, 2, 2, -3}, constant);
  padded("constant", {-4, 0, 3, 0}, constant);
}

TEST(MoveOps, PadTooLargeIsOutOfMemory) {
  const Value x = testing::tensor<float>({2}, {1, 2});
  for (const int64_t pad : {int64_t{1} << 62, INT64_MAX, int64_t{1} << 45}) {
    try {
      run_op("Pad", 18, {}, {x, list({pad, pad})});
      ADD_FAILURE() << pad;
    } catch (const Error& e) {
      EXPECT_EQ(e.code, ErrorCode::out_of_memory) << e.message();
    }
  }
}

TEST(MoveOps, PadWithValuesAxesAndOldAttributes) {
  const Tensor x = positions({2, 2});
  EXPECT_EQ(ints(run_op("Pad", 18, {}, {x, list({1, 0}), Tensor::scalar<int64_t>(9), list({-1})})[0]),
            (Dims{9, 0, 1, 9, 2, 3}));
  EXPECT_EQ(ints(run_op("Pad", 11, attribute("mode", std::string("edge")), {x, list({-1, 1, 1, 0})})[0]),
            (Dims{2, 2, 3, 2, 2, 3}));
  // As PyTorch writes it, a version early.
  EXPECT_EQ(ints(run_op("Pad", 18, attribute("mode", std::string("wrap")), {x, list({0, 1, 1, 0})})[0]),
            (Dims{1, 0, 1, 3, 2, 3, 1, 0, 1}));
  EXPECT_EQ(reason_of([&] { run_op("Pad", 13, attribute("mode", std::string("wrap")), {x, list({0, 1, 1, 0})}); }),
            "attribute \"mode\" is \"wrap\"; known are constant, reflect, edge");
  Attributes old;
  old.add("pads", Dims{1, 1});
  old.add("value", 2.5f);
  const Value y = run_op("Pad", 2, old, {testing::tensor<float>({1}, {7})})[0];
  EXPECT_EQ(std::vector<float>(y.tensor().data<float>(), y.tensor().data<float>() + 3),
            (std::vector<float>{2.5f, 7, 2.5f}));
  EXPECT_EQ(run_op("Pad", 1, attribute("paddings", Dims{2, 0}), {testing::tensor<float>({1}, {7})})[0].tensor().dim(0),
            3);
  EXPECT_EQ(reason_of([&] { run_op("Pad", 13, attribute("mode", std::string("reflect")), {x, list({2, 0, 0, 0})}); }),
            "pads 2 and 0 reflect more than dimension 0 of 2");
  EXPECT_EQ(reason_of([&] { run_op("Pad", 13, {}, {x, list({-3, 0, 0, 0})}); }),
            "pads -3 and 0 take more than dimension 0 of 2");
  EXPECT_EQ(reason_of([&] { run_op("Pad", 13, {}, {x, list({1, 1})}); }), "there are 2 pads for 2 axes");
}

}  // namespace
}  // namespace sardonyx
