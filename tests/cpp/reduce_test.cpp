// Reductions, ArgMax, Softmax and cumulative operators against plain loops.
#include <cmath>
#include <limits>

#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx::testing {
namespace {

Attributes ints(const char* name, int64_t value) {
  Attributes a;
  a.add(name, value);
  return a;
}

double reduced(const std::string& kind, const std::vector<double>& v) {
  const double inf = std::numeric_limits<double>::infinity();
  double sum = 0, prod = 1, l1 = 0, squares = 0, max = -inf, min = inf, exps = 0;
  for (double x : v) {
    sum += x;
    prod *= x;
    l1 += std::fabs(x);
    squares += x * x;
    max = std::fmax(max, x);
    min = std::fmin(min, x);
    exps += std::exp(x);
  }
  if (kind == "ReduceSum") return sum;
  if (kind == "ReduceMean") return sum / static_cast<double>(v.size());
  if (kind == "ReduceMax") return max;
  if (kind == "ReduceMin") return min;
  if (kind == "ReduceProd") return prod;
  if (kind == "ReduceL1") return l1;
  if (kind == "ReduceL2") return std::sqrt(squares);
  if (kind == "ReduceLogSum") return std::log(sum);
  if (kind == "ReduceLogSumExp") return std::log(exps);
  return squares;
}

std::vector<double> plain_reduction(const std::string& kind, const Tensor& x, uint32_t axes) {
  Shape out;
  for (int i = 0; i < x.rank(); i++) out.push_back(axes >> i & 1 ? 1 : x.dim(i));
  std::vector<std::vector<double>> groups(static_cast<size_t>(out.count()));
  const std::vector<double> v = doubles(x);
  for (int64_t i = 0; i < x.count(); i++) {
    int64_t flat = i, at = 0, step = 1;
    for (int k = x.rank() - 1; k >= 0; k--) {
      if (!(axes >> k & 1)) at += flat % x.dim(k) * step;
      flat /= x.dim(k);
      step *= out[k];
    }
    groups[static_cast<size_t>(at)].push_back(v[static_cast<size_t>(i)]);
  }
  std::vector<double> y;
  for (const auto& g : groups) y.push_back(reduced(kind, g));
  return y;
}

const char* const kKinds[] = {"ReduceSum", "ReduceMean", "ReduceMax",    "ReduceMin",       "ReduceProd",
                              "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};

TEST(Reduce, EverySetOfAxes) {
  for (DType type : {DType::float32, DType::float64, DType::float16}) {
    Tensor x = random_tensor({3, 2, 1, 5}, 7, type);
    for (int64_t i = 0; i < x.count(); i++) {  // positive, so that logarithms are defined
      if (type == DType::float32) x.data<float>()[i] = std::fabs(x.data<float>()[i]) + 0.5f;
      if (type == DType::float64) x.data<double>()[i] = std::fabs(x.data<double>()[i]) + 0.5;
      if (type == DType::float16) x.data<Float16>()[i] = Float16(std::fabs(float{x.data<Float16>()[i]}) + 0.5f);
    }
    for (const char* kind : kKinds) {
      for (uint32_t axes = 1; axes < 16; axes++) {
        std::vector<int64_t> list;
        for (int i = 3; i >= 0; i--) {
          if (axes >> i & 1) list.push_back(i % 2 ? i : i - 4);
        }
        const std::vector<double> wanted = plain_reduction(kind, x, axes);
        const Tensor kept = run_op(kind, 18, {}, {x, Tensor::of(list)})[0].tensor();
        EXPECT_EQ(kept.rank(), 4);
        expect_near(kept, wanted, cat(kind, " over ", static_cast<uint64_t>(axes)));
        Attributes old = ints("keepdims", 0);
        old.add("axes", list);
        const Tensor dropped = run_op(kind, 11, old, {x})[0].tensor();
        EXPECT_EQ(dropped.rank(), 4 - static_cast<int>(list.size()));
        expect_near(dropped, wanted, kind);
      }
    }
  }
}

TEST(Reduce, IntegersWrapAndBooleansCompare) {
  const Tensor x = tensor<int32_t>({2, 2}, {std::numeric_limits<int32_t>::max(), 1, -7, 2});
  const Tensor axis = Tensor::of(std::vector<int64_t>{1});
  const Tensor sum = run_op("ReduceSum", 13, {}, {x, axis})[0].tensor();
  EXPECT_EQ(sum.data<int32_t>()[0], std::numeric_limits<int32_t>::min());
  EXPECT_EQ(sum.data<int32_t>()[1], -5);
  Tensor b = Tensor::allocate(DType::boolean, {2, 2});
  for (int i = 0; i < 4; i++) b.data<uint8_t>()[i] = i == 3 ? 5 : 0;
  const Tensor any = run_op("ReduceMax", 20, {}, {b, axis})[0].tensor();
  EXPECT_EQ(any.data<uint8_t>()[0], 0);
  EXPECT_EQ(any.data<uint8_t>()[1], 1);
  const Tensor none = run_op("ReduceMin", 20, {}, {Tensor::allocate(DType::boolean, {1, 0}), axis})[0].tensor();
  EXPECT_EQ(none.data<uint8_t>()[0], 1);
}

TEST(Reduce, NoAxes) {
  const Tensor x = tensor<float>({2}, {3, -4});
  const Tensor none = Tensor::of(std::span<const int64_t>{});
  expect_near(run_op("ReduceSumSquare", 18, {}, {x, none})[0].tensor(), {25});
  expect_near(run_op("ReduceSumSquare", 18, {}, {x})[0].tensor(), {25});
  // With the flag nothing is reduced, but the elements are squared all the same.
  expect_near(run_op("ReduceSumSquare", 18, ints("noop_with_empty_axes", 1), {x, none})[0].tensor(), {9, 16});
  expect_near(run_op("ReduceSum", 13, ints("noop_with_empty_axes", 1), {x})[0].tensor(), {3, -4});
  expect_near(run_op("ReduceMax", 18, {}, {tensor<float>({}, {2})})[0].tensor(), {2});
}

TEST(Reduce, NothingToReduce) {
  const Tensor x = Tensor::allocate(DType::float32, {2, 0, 3});
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor axis = Tensor::of(std::vector<int64_t>{1});
  expect_near(run_op("ReduceProd", 18, {}, {x, axis})[0].tensor(), {1, 1, 1, 1, 1, 1});
  expect_near(run_op("ReduceMin", 18, {}, {x, axis})[0].tensor(), std::vector<double>(6, inf));
  expect_near(run_op("ReduceLogSumExp", 18, {}, {x, axis})[0].tensor(), std::vector<double>(6, -inf));
  EXPECT_EQ(run_op("ReduceSum", 13, {}, {x, Tensor::of(std::vector<int64_t>{0})})[0].tensor().count(), 0);
  expect_near(run_op("ReduceSum", 13, {}, {x, Tensor::of(std::vector<int64_t>{0, 2, 1})})[0].tensor(), {0});
  EXPECT_THROW(run_op("ReduceSum", 13, {}, {x, Tensor::of(std::vector<int64_t>{3})}), Error);
  EXPECT_THROW(run_op("ReduceSum", 13, {}, {x, Tensor::of(std::vector<int64_t>{1, -2})}), Error);
}

TEST(Arg, FirstAndLastOfEquals) {
  const Tensor x = tensor<int16_t>({2, 3}, {5, 1, 5, -1, -1, -9});
  Attributes a = ints("axis", -1);
  EXPECT_EQ(doubles(run_op("ArgMax", 13, a, {x})[0].tensor()), (std::vector<double>{0, 0}));
  a.add("select_last_index", int64_t{1});
  a.add("keepdims", int64_t{0});
  const Tensor last = run_op("ArgMax", 13, a, {x})[0].tensor();
  EXPECT_EQ(last.rank(), 1);
  EXPECT_EQ(doubles(last), (std::vector<double>{2, 1}));
  EXPECT_EQ(doubles(run_op("ArgMin", 11, {}, {x})[0].tensor()), (std::vector<double>{1, 1, 1}));
  EXPECT_THROW(run_op("ArgMax", 11, ints("select_last_index", 1), {x}), Error);
  EXPECT_THROW(run_op("ArgMax", 13, {}, {Tensor::allocate(DType::float32, {0, 2})}), Error);
}

TEST(Softmax, MatrixBeforeOpset13AxisAfter) {
  for (DType type : {DType::float32, DType::float64, DType::bfloat16}) {
    const Tensor x = random_tensor({2, 3, 4}, 5, type);
    const std::vector<double> v = doubles(x);
    std::vector<double> matrix(24), axis(24), log(24);
    for (size_t o = 0; o < 2; o++) {
      double sum = 0;
      for (size_t k = 0; k < 12; k++) sum += std::exp(v[o * 12 + k]);
      for (size_t k = 0; k < 12; k++) matrix[o * 12 + k] = std::exp(v[o * 12 + k]) / sum;
      for (size_t i = 0; i < 4; i++) {
        sum = 0;
        for (size_t k = 0; k < 3; k++) sum += std::exp(v[o * 12 + k * 4 + i]);
        for (size_t k = 0; k < 3; k++) axis[o * 12 + k * 4 + i] = std::exp(v[o * 12 + k * 4 + i]) / sum;
      }
    }
    for (size_t i = 0; i < 24; i++) log[i] = std::log(axis[i]);
    expect_near(run_op("Softmax", 11, {}, {x})[0].tensor(), matrix);
    expect_near(run_op("Softmax", 13, ints("axis", 1), {x})[0].tensor(), axis);
    expect_near(run_op("LogSoftmax", 13, ints("axis", -2), {x})[0].tensor(), log);
  }
  EXPECT_THROW(run_op("Softmax", 13, ints("axis", 3), {random_tensor({2, 3, 4}, 1)}), Error);
  EXPECT_EQ(run_op("Softmax", 13, {}, {Tensor::allocate(DType::float32, {3, 0})})[0].tensor().count(), 0);
}

TEST(Hardmax, MarksTheFirstMaximum) {
  const Tensor x = tensor<float>({2, 3}, {1, 4, 4, 0, -1, 0});
  EXPECT_EQ(doubles(run_op("Hardmax", 13, {}, {x})[0].tensor()), (std::vector<double>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(doubles(run_op("Hardmax", 13, ints("axis", 0), {x})[0].tensor()), (std::vector<double>{1, 1, 1, 0, 0, 0}));
}

TEST(Cumulative, EveryDirection) {
  const Tensor x = tensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), last = tensor<int32_t>({}, {-1});
  struct Case {
    int64_t exclusive, reverse;
    std::vector<double> sums, products;
  };
  const Case cases[] = {{0, 0, {1, 3, 6, 4, 9, 15}, {1, 2, 6, 4, 20, 120}},
                        {1, 0, {0, 1, 3, 0, 4, 9}, {1, 1, 2, 1, 4, 20}},
                        {0, 1, {6, 5, 3, 15, 11, 6}, {6, 6, 3, 120, 30, 6}},
                        {1, 1, {5, 3, 0, 11, 6, 0}, {6, 3, 1, 30, 6, 1}}};
  for (const Case& c : cases) {
    Attributes a = ints("exclusive", c.exclusive);
    a.add("reverse", c.reverse);
    EXPECT_EQ(doubles(run_op("CumSum", 14, a, {x, last})[0].tensor()), c.sums);
    EXPECT_EQ(doubles(run_op("CumProd", 26, a, {x, last})[0].tensor()), c.products);
  }
  const Tensor down = run_op("CumSum", 14, {}, {x, tensor<int64_t>({1}, {0})})[0].tensor();
  EXPECT_EQ(doubles(down), (std::vector<double>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(run_op("CumSum", 14, {}, {Tensor::allocate(DType::float32, {2, 0}), last})[0].tensor().count(), 0);
  EXPECT_THROW(run_op("CumSum", 14, {}, {x, tensor<int64_t>({}, {2})}), Error);
}

}  // namespace
}  // namespace sardonyx::testing
