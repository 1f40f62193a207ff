// Gather and Scatter operators: all types, negative indices, reductions, refusals.
#include <gtest/gtest.h>

#include <cmath>

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
using testing::tensor;

using Dims = std::vector<int64_t>;

TEST(IndexOps, GatherOfAllTypes) {
  const auto indices = tensor<int32_t>({2, 2}, {-1, 0, 2, 2});
  const Dims rows{2, 0, 2, 2};
  for (DType type : all_types()) {
    const Tensor x = numbered(type, {2, 3, 2});
    // y[o, i, j, n] = x[o, rows[i, j], n]
    Tensor middle = Tensor::allocate(DType::int64, {2, 2, 2, 2});
    for (int64_t o = 0, k = 0; o < 2; o++) {
      for (int64_t r : rows) {
        for (int64_t n = 0; n < 2; n++) middle.data<int64_t>()[k++] = (o * 3 + r) * 2 + n;
      }
    }
    expect_moved(x, run_op("Gather", 13, attribute("axis", int64_t{1}), {x, indices})[0].tensor(), middle);
    const Tensor flat = numbered(type, {2, 3});
    Tensor last = Tensor::allocate(DType::int64, {2, 2, 2});
    for (int64_t o = 0, k = 0; o < 2; o++) {
      for (int64_t r : rows) last.data<int64_t>()[k++] = o * 3 + r;
    }
    expect_moved(flat, run_op("Gather", 1, attribute("axis", int64_t{-1}), {flat, indices})[0].tensor(), last);
  }
}

TEST(IndexOps, GatherRefusesAndEmpties) {
  const Tensor x = positions({3, 2});
  EXPECT_EQ(reason_of([&] { run_op("Gather", 13, {}, {x, tensor<int64_t>({1}, {3})}); }),
            "index 3 is out of range for dimension 0 of 3");
  EXPECT_EQ(reason_of([&] { run_op("Gather", 13, {}, {x, tensor<int64_t>({}, {INT64_MIN})}); }),
            "index -9223372036854775808 is out of range for dimension 0 of 3");
  EXPECT_TRUE(run_op("Gather", 13, {}, {x, tensor<int64_t>({0}, {})})[0].tensor().shape() == (Shape{0, 2}));
  EXPECT_EQ(reason_of([&] { run_op("Gather", 13, {}, {positions({0}), tensor<int64_t>({1}, {0})}); }),
            "index 0 is out of range for dimension 0 of 0");
  EXPECT_EQ(reason_of([&] { run_op("GatherND", 13, {}, {x, tensor<int64_t>({1, 2}, {0, 2})}); }),
            "index 2 is out of range for dimension 1 of 2");
}

TEST(IndexOps, GatherElementsOfAllTypes) {
  for (DType type : all_types()) {
    if (kSubByte.has(type)) continue;
    const Tensor x = numbered(type, {3, 3});
    const auto indices = tensor<int64_t>({2, 3}, {1, -1, 0, 2, 0, 0});
    expect_moved(x, run_op("GatherElements", 13, {}, {x, indices})[0].tensor(),
                 tensor<int64_t>({2, 3}, {3, 7, 2, 6, 1, 2}));
    expect_moved(x, run_op("GatherElements", 11, attribute("axis", int64_t{1}), {x, indices})[0].tensor(),
                 tensor<int64_t>({2, 3}, {1, 2, 0, 5, 3, 3}));
  }
}

TEST(IndexOps, GatherNDWithBatches) {
  for (DType type : all_types()) {
    if (kSubByte.has(type)) continue;
    const Tensor x = numbered(type, {2, 2, 2});
    expect_moved(
        x,
        run_op("GatherND", 12, attribute("batch_dims", int64_t{1}), {x, tensor<int64_t>({2, 1}, {1, -2})})[0].tensor(),
        tensor<int64_t>({2, 2}, {2, 3, 4, 5}));
    expect_moved(x, run_op("GatherND", 11, {}, {x, tensor<int64_t>({2, 2}, {0, 1, 1, 0})})[0].tensor(),
                 tensor<int64_t>({2, 2}, {2, 3, 4, 5}));
    expect_moved(x, run_op("GatherND", 11, {}, {x, tensor<int64_t>({1, 3}, {1, 1, 0})})[0].tensor(),
                 tensor<int64_t>({1}, {6}));
  }
}

TEST(IndexOps, ScatterOfAllTypes) {
  for (DType type : all_types()) {
    if (kSubByte.has(type)) continue;
    // Updates that are the data's own elements tell where each one went.
    const Tensor x = numbered(type, {2, 3});
    const Tensor updates =
        run_op("Slice", 13, {}, {x, tensor<int64_t>({1}, {0}), tensor<int64_t>({1}, {2}), tensor<int64_t>({1}, {1})})[0]
            .tensor();
    const auto indices = tensor<int64_t>({2, 2}, {2, 0, -1, 1});
    const auto to = tensor<int64_t>({2, 3}, {1, 1, 0, 3, 4, 3});
    expect_moved(x, run_op("Scatter", 9, attribute("axis", int64_t{1}), {x, indices, updates})[0].tensor(), to);
    expect_moved(x, run_op("ScatterElements", 13, attribute("axis", int64_t{-1}), {x, indices, updates})[0].tensor(),
                 to);
    const Tensor row = run_op("Gather", 13, {}, {x, tensor<int64_t>({1}, {1})})[0].tensor();
    expect_moved(x, run_op("ScatterND", 13, {}, {x, tensor<int64_t>({1, 1}, {0}), row})[0].tensor(),
                 tensor<int64_t>({2, 3}, {3, 4, 5, 3, 4, 5}));
  }
}

template <class T>
std::vector<double> reduced(const std::string& op, const std::string& reduction, std::initializer_list<T> data,
                            std::initializer_list<T> updates) {
  const auto n = static_cast<int64_t>(updates.size());
  const Shape indices = op == "ScatterND" ? Shape{n, 1} : Shape{n};
  const Tensor zeros = run_op("ConstantOfShape", 9, attribute("value", tensor<int64_t>({1}, {0})),
                              {Tensor::of(Dims(indices.begin(), indices.end()))})[0]
                           .tensor();
  const Value y = run_op(op, 18, attribute("reduction", reduction),
                         {tensor<T>({static_cast<int64_t>(data.size())}, data), zeros, tensor<T>({n}, updates)})[0];
  std::vector<double> values;
  for (T v : y.tensor().values<T>()) values.push_back(static_cast<double>(static_cast<float>(v)));
  return values;
}

TEST(IndexOps, ScatterReduces) {
  for (const char* op : {"ScatterND", "ScatterElements"}) {
    EXPECT_EQ(reduced<float>(op, "add", {1, 2}, {3, 4}), (std::vector<double>{8, 2}));
    EXPECT_EQ(reduced<double>(op, "mul", {2, 2}, {3, 4}), (std::vector<double>{24, 2}));
    EXPECT_EQ(reduced<int8_t>(op, "add", {100, 2}, {100, 0}), (std::vector<double>{-56, 2}));
    EXPECT_EQ(reduced<int64_t>(op, "max", {1, 2}, {-3, 4}), (std::vector<double>{4, 2}));
    EXPECT_EQ(reduced<uint16_t>(op, "min", {9, 2}, {3, 4}), (std::vector<double>{3, 2}));
    EXPECT_EQ(reduced<bool>(op, "add", {false, false}, {true, false}), (std::vector<double>{1, 0}));
    EXPECT_EQ(reduced<Float16>(op, "add", {Float16(1), Float16(2)}, {Float16(0.5f), Float16(0.25f)}),
              (std::vector<double>{1.75, 2}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(reduced<float>(op, "max", {nan, 2}, {3, 4})[0]));
    EXPECT_TRUE(std::isnan(reduced<float>(op, "min", {1, 2}, {3, nan})[0]));
  }
}

TEST(IndexOps, ScatterRefuses) {
  const Tensor x = positions({2, 3});
  const auto scatter = [&](const Tensor& indices, const Tensor& updates, Attributes a = {}) {
    return reason_of([&] { run_op("ScatterElements", 18, a, {x, indices, updates}); });
  };
  EXPECT_EQ(scatter(tensor<int64_t>({1, 1}, {2}), positions({1, 1})), "index 2 is out of range for dimension 0 of 2");
  EXPECT_EQ(scatter(tensor<int64_t>({1, 1}, {0}), positions({1, 2})), "indices are 1x1, updates 1x2");
  EXPECT_EQ(scatter(tensor<int64_t>({1, 4}, {0, 0, 0, 0}), positions({1, 4})),
            "the indices' dimension 1 is 4, the data's 3");
  EXPECT_EQ(scatter(tensor<int64_t>({1, 1}, {0}), positions({1, 1}), attribute("reduction", std::string("mean"))),
            "attribute \"reduction\" is \"mean\"; known are none, add, mul, max, min");
  EXPECT_EQ(reason_of([&] { run_op("ScatterND", 13, {}, {x, tensor<int64_t>({1, 1}, {0}), positions({1, 2})}); }),
            "updates must be 1x3, not 1x2");
}

TEST(IndexOps, TensorScatterWraps) {
  const Tensor cache =
      run_op("ConstantOfShape", 9, attribute("value", tensor<int64_t>({1}, {-1})), {tensor<int64_t>({3}, {2, 3, 1})})[0]
          .tensor();
  const Tensor update = positions({2, 2, 1});
  EXPECT_EQ(ints(run_op("TensorScatter", 24, {}, {cache, update, tensor<int64_t>({2}, {1, 0})})[0]),
            (Dims{-1, 0, 1, 2, 3, -1}));
  EXPECT_EQ(ints(run_op("TensorScatter", 24, attribute("mode", std::string("circular")),
                        {cache, update, tensor<int64_t>({2}, {2, 4})})[0]),
            (Dims{1, -1, 0, -1, 2, 3}));
  EXPECT_NE(reason_of([&] { run_op("TensorScatter", 24, {}, {cache, update, tensor<int64_t>({2}, {2, 0})}); }), "");
}

}  // namespace
}  // namespace sardonyx
