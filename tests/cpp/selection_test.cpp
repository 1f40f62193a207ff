// TopK, NonZero, Compress, Unique, NonMaxSuppression, ReverseSequence, CenterCropPad; Range, OneHot and kin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/cpp/graph_maker.h"
#include "tests/cpp/move_values.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::doubles;
using testing::expect_moved;
using testing::ints;
using testing::numbered;
using testing::positions;
using testing::reason_of;
using testing::run_op;
using testing::tensor;

using Dims = std::vector<int64_t>;

TEST(Selection, TopKOrdersAndBreaksTies) {
  Attributes smallest;
  smallest.add("largest", int64_t{0});
  smallest.add("axis", int64_t{0});
  const auto x = tensor<int32_t>({4, 2}, {3, 1, 7, 1, 3, 9, 0, 1});
  auto y = run_op("TopK", 11, smallest, {x, tensor<int64_t>({1}, {3})}, 2);
  EXPECT_EQ(ints(y[0]), (Dims{0, 1, 3, 1, 3, 1}));
  EXPECT_EQ(ints(y[1]), (Dims{3, 0, 0, 1, 2, 3}));
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  y = run_op("TopK", 1, attribute("k", int64_t{6}), {tensor<float>({6}, {-0.0f, nan, -inf, 0.0f, -2.5f, 1.5f})}, 2);
  EXPECT_EQ(ints(y[1]), (Dims{1, 5, 0, 3, 4, 2}));
  EXPECT_EQ(ints(run_op("TopK", 10, {}, {tensor<uint64_t>({3}, {1, UINT64_MAX, 7}), tensor<int64_t>({1}, {2})}, 2)[1]),
            (Dims{1, 2}));
  EXPECT_EQ(ints(run_op("TopK", 24, {},
                        {tensor<BFloat16>({3}, {BFloat16(-1), BFloat16(-3), BFloat16(-2)}), tensor<int64_t>({1}, {2})},
                        2)[1]),
            (Dims{0, 2}));
  EXPECT_EQ(reason_of([&] { run_op("TopK", 11, {}, {x, tensor<int64_t>({1}, {3})}, 2); }), "k is 3, dimension 1 is 2");
  EXPECT_EQ(run_op("TopK", 11, {}, {x, tensor<int64_t>({1}, {0})}, 2)[1].tensor().count(), 0);
}

// Against a sort of everything, with many ties.
TEST(Selection, TopKAgreesWithASort) {
  const int64_t n = 501, k = 77;
  Tensor x = Tensor::allocate(DType::float32, {n});
  for (int64_t i = 0; i < n; i++) x.data<float>()[i] = static_cast<float>(i * 7919 % 97) - 40;
  Dims order(n);
  for (int64_t i = 0; i < n; i++) order[static_cast<size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const float va = x.data<float>()[a], vb = x.data<float>()[b];
    return va > vb || (va == vb && a < b);
  });
  order.resize(k);
  EXPECT_EQ(ints(run_op("TopK", 11, {}, {x, tensor<int64_t>({1}, {k})}, 2)[1]), order);
}

TEST(Selection, NonZeroAndCompress) {
  const auto y = run_op("NonZero", 13, {}, {tensor<float>({2, 3}, {0, 1, -0.0f, 2, 0, std::nanf("")})})[0];
  EXPECT_TRUE(y.tensor().shape() == (Shape{2, 3}));
  EXPECT_EQ(ints(y), (Dims{0, 1, 1, 1, 0, 2}));
  EXPECT_TRUE(run_op("NonZero", 13, {}, {Tensor::scalar(true)})[0].tensor().shape() == (Shape{0, 1}));
  EXPECT_EQ(ints(run_op("NonZero", 9, {}, {tensor<std::string>({2}, {"", "x"})})[0]), (Dims{1}));
  const auto condition = tensor<bool>({2}, {false, true});
  for (DType type : testing::all_types()) {
    if (kSubByte.has(type)) continue;
    const Tensor x = numbered(type, {2, 3});
    expect_moved(x, run_op("Compress", 11, attribute("axis", int64_t{-1}), {x, condition})[0].tensor(),
                 tensor<int64_t>({2, 1}, {1, 4}));
    expect_moved(x, run_op("Compress", 9, {}, {x, condition})[0].tensor(), tensor<int64_t>({1}, {1}));
  }
  EXPECT_EQ(reason_of([&] { run_op("Compress", 11, {}, {positions({1}), condition}); }),
            "the condition picks element 1 of 1");
}

TEST(Selection, UniqueOfElementsAndSlices) {
  Attributes a;
  a.add("sorted", int64_t{0});
  auto y = run_op("Unique", 11, a, {tensor<std::string>({5}, {"pear", "fig", "pear", "apple", "fig"})}, 4);
  EXPECT_EQ(y[0].tensor().data<std::string>()[0], "pear");
  EXPECT_EQ(ints(y[1]), (Dims{0, 1, 3}));
  EXPECT_EQ(ints(y[2]), (Dims{0, 1, 0, 2, 1}));
  EXPECT_EQ(ints(y[3]), (Dims{2, 2, 1}));
  y = run_op("Unique", 11, attribute("axis", int64_t{1}), {tensor<int64_t>({2, 4}, {3, 1, 3, 1, 0, 2, 0, 1})}, 4);
  EXPECT_EQ(ints(y[0]), (Dims{1, 1, 3, 1, 2, 0}));
  EXPECT_EQ(ints(y[1]), (Dims{3, 1, 0}));
  EXPECT_EQ(ints(y[2]), (Dims{2, 1, 2, 0}));
  EXPECT_EQ(ints(y[3]), (Dims{1, 1, 2}));
  EXPECT_EQ(run_op("Unique", 11, {}, {positions({0})}, 4)[0].tensor().count(), 0);
}

TEST(Selection, NonMaxSuppression) {
  const auto boxes = tensor<float>({1, 4, 4}, {0, 0, 1, 1, 1, 1, 0, 0.1f, 0, 10, 1, 11, 0, 0, 0, 0});
  const auto scores = tensor<float>({1, 1, 4}, {0.5f, 0.9f, 0.7f, 0.1f});
  const auto nms = [&](int64_t most, float overlap, Value least) {
    return ints(run_op("NonMaxSuppression", 11, {},
                       {boxes, scores, tensor<int64_t>({1}, {most}), tensor<float>({1}, {overlap}), least})[0]);
  };
  EXPECT_EQ(nms(9, 0.5f, tensor<float>({1}, {0.2f})), (Dims{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(nms(9, 0.95f, tensor<float>({1}, {0.2f})), (Dims{0, 0, 1, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(nms(1, 0.5f, Value()), (Dims{0, 0, 1}));
  EXPECT_TRUE(run_op("NonMaxSuppression", 10, {}, {boxes, scores})[0].tensor().shape() == (Shape{0, 3}));
}

// Many boxes against the definition, some of them empty or turned round.
TEST(Selection, NonMaxSuppressionOfManyBoxes) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> place(0, 10), size(-0.2f, 3);
  constexpr size_t kBoxes = 301;
  std::vector<float> boxes, scores;
  for (size_t i = 0; i < kBoxes; i++) {
    const float x = place(random), y = place(random), w = size(random), h = size(random);
    boxes.insert(boxes.end(), {x, y, w, h});
    scores.push_back(i % 50 == 7 ? NAN : place(random));
  }
  const auto iou = [&](int64_t a, int64_t b) {
    const float *p = &boxes[static_cast<size_t>(a) * 4], *q = &boxes[static_cast<size_t>(b) * 4];
    float common = 1, areas[2] = {1, 1};
    for (int d = 0; d < 2; d++) {
      const float p0 = p[d] - p[d + 2] / 2, p1 = p[d] + p[d + 2] / 2;
      const float q0 = q[d] - q[d + 2] / 2, q1 = q[d] + q[d + 2] / 2;
      common *= std::max(0.0f, std::min(p1, q1) - std::max(p0, q0));
      areas[0] *= p1 - p0, areas[1] *= q1 - q0;
    }
    return areas[0] > 0 && areas[1] > 0 ? common / (areas[0] + areas[1] - common) : 0;
  };
  Attributes centered;
  centered.add("center_point_box", int64_t{1});
  Tensor x = Tensor::allocate(DType::float32, {1, kBoxes, 4}), s = Tensor::allocate(DType::float32, {1, 1, kBoxes});
  std::ranges::copy(boxes, x.data<float>());
  std::ranges::copy(scores, s.data<float>());
  for (const float threshold : {0.0f, 0.3f, 0.7f}) {
    for (const int64_t most : {1, 5, 1000}) {
      Dims order, expected;
      for (int64_t i = 0; i < static_cast<int64_t>(kBoxes); i++) {
        if (!std::isnan(scores[static_cast<size_t>(i)])) order.push_back(i);
      }
      std::ranges::sort(order, std::greater{}, [&](int64_t i) { return scores[static_cast<size_t>(i)]; });
      for (const int64_t i : order) {
        const auto over = [&](int64_t other) { return iou(i, other) > threshold; };
        if (static_cast<int64_t>(expected.size()) < most && std::ranges::none_of(expected, over)) expected.push_back(i);
      }
      const Tensor y = run_op("NonMaxSuppression", 11, centered,
                              {x, s, tensor<int64_t>({1}, {most}), tensor<float>({1}, {threshold})})[0]
                           .tensor();
      Dims triples;
      for (const int64_t i : expected) triples.insert(triples.end(), {0, 0, i});
      EXPECT_EQ(ints(y), triples) << threshold << " " << most;
    }
  }
}

TEST(Selection, ReverseSequenceAndCenterCropPad) {
  Attributes batch_first;
  batch_first.add("batch_axis", int64_t{0});
  batch_first.add("time_axis", int64_t{1});
  for (DType type : testing::all_types()) {
    if (kSubByte.has(type)) continue;
    const Tensor x = numbered(type, {2, 3});
    expect_moved(x, run_op("ReverseSequence", 10, batch_first, {x, tensor<int64_t>({2}, {2, 0})})[0].tensor(),
                 tensor<int64_t>({2, 3}, {1, 0, 2, 3, 4, 5}));
    expect_moved(x, run_op("ReverseSequence", 10, {}, {x, tensor<int64_t>({3}, {1, 2, 2})})[0].tensor(),
                 tensor<int64_t>({2, 3}, {0, 4, 5, 3, 1, 2}));
    expect_moved(x, run_op("CenterCropPad", 18, {}, {x, tensor<int64_t>({2}, {5, 2})})[0].tensor(),
                 tensor<int64_t>({5, 2}, {-1, -1, 0, 1, 3, 4, -1, -1, -1, -1}));
    expect_moved(x,
                 run_op("CenterCropPad", 18, attribute("axes", Dims{-1}), {x, tensor<int64_t>({1}, {1})})[0].tensor(),
                 tensor<int64_t>({2, 1}, {1, 4}));
  }
  EXPECT_EQ(reason_of([&] { run_op("ReverseSequence", 10, {}, {positions({2, 1}), tensor<int64_t>({1}, {3})}); }),
            "sequence length 3 is out of range for 2 steps");
}

template <class T>
std::vector<double> range(T start, T limit, T delta) {
  return doubles(
      run_op("Range", 11, {}, {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)})[0].tensor());
}

TEST(Fill, Range) {
  EXPECT_EQ(range<int64_t>(3, -4, -3), (std::vector<double>{3, 0, -3}));
  EXPECT_EQ(range<int16_t>(1, 8, 3), (std::vector<double>{1, 4, 7}));
  EXPECT_EQ(range<float>(0.5f, 2, 0.5f), (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(range<double>(5, 5, 1), (std::vector<double>{}));
  EXPECT_EQ(range<int32_t>(5, 9, -1), (std::vector<double>{}));
  EXPECT_EQ(reason_of([] { range<int32_t>(0, 1, 0); }), "delta is 0");
  EXPECT_NE(reason_of([] { range<float>(0, 1, 0); }), "");
  EXPECT_NE(reason_of([] { range<int64_t>(INT64_MIN, INT64_MAX, 1); }), "");
  EXPECT_NE(reason_of([] { range<double>(0, INFINITY, 1); }), "");
}

TEST(Fill, ConstantOfShapeOfAllTypes) {
  for (DType type : testing::all_types()) {
    const Tensor value = numbered(type, {1});
    const Tensor y =
        run_op("ConstantOfShape", 25, attribute("value", value), {tensor<int64_t>({2}, {3, 2})})[0].tensor();
    expect_moved(
        value, y,
        run_op("ConstantOfShape", 9, attribute("value", tensor<int64_t>({1}, {0})), {tensor<int64_t>({2}, {3, 2})})[0]
            .tensor());
  }
  EXPECT_EQ(doubles(run_op("ConstantOfShape", 9, {}, {tensor<int64_t>({0}, {})})[0].tensor()),
            (std::vector<double>{0}));
  EXPECT_EQ(reason_of([] { run_op("ConstantOfShape", 9, {}, {tensor<int64_t>({1}, {-1})}); }),
            "a shape has the negative dimension -1");
}

TEST(Fill, OneHotEyeLikeTrilu) {
  const auto values = tensor<int64_t>({2}, {5, 9});
  EXPECT_EQ(ints(run_op("OneHot", 11, {}, {tensor<int32_t>({3}, {0, -1, 3}), Tensor::scalar<float>(3), values})[0]),
            (Dims{9, 5, 5, 5, 5, 9, 5, 5, 5}));
  EXPECT_EQ(ints(run_op("OneHot", 9, attribute("axis", int64_t{0}),
                        {tensor<float>({2}, {1, -5}), Tensor::scalar<int64_t>(2), values})[0]),
            (Dims{5, 5, 9, 5}));
  Attributes eye;
  eye.add("k", int64_t{-1});
  eye.add("dtype", int64_t{static_cast<int>(DType::int32)});
  EXPECT_EQ(ints(run_op("EyeLike", 9, eye, {numbered(DType::boolean, {3, 2})})[0]), (Dims{0, 0, 1, 0, 0, 1}));
  for (DType type : testing::all_types()) {
    if (kSubByte.has(type)) continue;
    const Tensor x = numbered(type, {2, 3});
    expect_moved(x, run_op("Trilu", 14, {}, {x})[0].tensor(), tensor<int64_t>({2, 3}, {0, 1, 2, -1, 4, 5}));
    expect_moved(x, run_op("Trilu", 14, attribute("upper", int64_t{0}), {x, Tensor::scalar<int64_t>(1)})[0].tensor(),
                 tensor<int64_t>({2, 3}, {0, 1, -1, 3, 4, 5}));
    expect_moved(x, run_op("Trilu", 14, {}, {x, Tensor::scalar<int64_t>(INT64_MAX)})[0].tensor(),
                 tensor<int64_t>({2, 3}, {-1, -1, -1, -1, -1, -1}));
  }
}

TEST(Fill, RandomValuesFollowTheirSeedAndLaw) {
  Attributes a;
  a.add("shape", Dims{20000});
  a.add("mean", 3.0f);
  a.add("scale", 2.0f);
  a.add("seed", 7.0f);
  const auto x = doubles(run_op("RandomNormal", 1, a, {})[0].tensor());
  EXPECT_EQ(doubles(run_op("RandomNormal", 1, a, {})[0].tensor()), x);
  double sum = 0, squares = 0;
  for (double v : x) sum += v, squares += v * v;
  EXPECT_NEAR(sum / 20000, 3, 0.06);
  EXPECT_NEAR(squares / 20000 - 9, 4, 0.4);
  Attributes u;
  u.add("low", -1.0f);
  const auto y = doubles(run_op("RandomUniformLike", 22, u, {numbered(DType::float64, {1000})})[0].tensor());
  EXPECT_TRUE(std::all_of(y.begin(), y.end(), [](double v) { return v >= -1 && v < 1; }));
  EXPECT_GT(*std::max_element(y.begin(), y.end()), 0.9);
  EXPECT_LT(*std::min_element(y.begin(), y.end()), -0.9);
  Attributes m;
  m.add("sample_size", int64_t{4000});
  const auto picks =
      ints(run_op("Multinomial", 7, m, {tensor<float>({1, 3}, {std::log(1.0f), -INFINITY, std::log(3.0f)})})[0]);
  EXPECT_EQ(std::count(picks.begin(), picks.end(), 1), 0);
  EXPECT_NEAR(static_cast<double>(std::count(picks.begin(), picks.end(), 2)) / 4000, 0.75, 0.05);
  EXPECT_EQ(doubles(run_op("Bernoulli", 15, attribute("dtype", int64_t{static_cast<int>(DType::int32)}),
                           {tensor<float>({3}, {0, 1, 0})})[0]
                        .tensor()),
            (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace sardonyx
