// Conv against a direct sum over all its algorithms, types and attributes, and its errors.
#include <gtest/gtest.h>

#include "ops/fusible.h"
#include "ops/util/mirrored_conv.h"
#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"
#include "tests/cpp/pass_results.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::expect_near;
using testing::random_tensor;
using testing::reason_of;
using testing::run_op;

struct Case {
  Shape x, w;
  int64_t group = 1;
  std::vector<int64_t> strides = {}, pads = {}, dilations = {};
  bool bias = true;
};

struct Axes {
  std::vector<int64_t> in, kernel, stride, dilation, pad, out;
};

Axes axes_of(const Case& c) {
  Axes a;
  const size_t n = static_cast<size_t>(c.x.rank() - 2);
  for (size_t i = 0; i < n; i++) {
    const int at = static_cast<int>(i) + 2;
    a.in.push_back(c.x[at]);
    a.kernel.push_back(c.w[at]);
    a.stride.push_back(c.strides.empty() ? 1 : c.strides[i]);
    a.dilation.push_back(c.dilations.empty() ? 1 : c.dilations[i]);
    a.pad.push_back(c.pads.empty() ? 0 : c.pads[i]);
    const int64_t end = c.pads.empty() ? 0 : c.pads[i + n];
    a.out.push_back((a.in[i] + a.pad[i] + end - (a.kernel[i] - 1) * a.dilation[i] - 1) / a.stride[i] + 1);
  }
  return a;
}

int64_t product(const std::vector<int64_t>& v) {
  int64_t p = 1;
  for (int64_t i : v) p *= i;
  return p;
}

// One output element as the standard defines it.
double element(const Case& c, const Axes& a, const std::vector<double>& x, const std::vector<double>& w, int64_t image,
               int64_t channel, int64_t position) {
  const int64_t per_group = c.w[1], group = channel / (c.w[0] / c.group);
  double sum = 0;
  for (int64_t i = 0; i < per_group; i++) {
    for (int64_t t = 0; t < product(a.kernel); t++) {
      int64_t at = 0, step = 1, o = position, k = t;
      bool inside = true;
      for (size_t d = a.in.size(); d-- > 0;) {
        const int64_t p = o % a.out[d] * a.stride[d] + k % a.kernel[d] * a.dilation[d] - a.pad[d];
        inside = inside && p >= 0 && p < a.in[d];
        at += p * step;
        step *= a.in[d];
        o /= a.out[d];
        k /= a.kernel[d];
      }
      if (!inside) continue;
      sum += x[static_cast<size_t>(((image * c.group + group) * per_group + i) * step + at)] *
             w[static_cast<size_t>((channel * per_group + i) * product(a.kernel) + t)];
    }
  }
  return sum;
}

Attributes attributes_of(const Case& c) {
  Attributes a;
  a.add("group", c.group);
  if (!c.strides.empty()) a.add("strides", c.strides);
  if (!c.pads.empty()) a.add("pads", c.pads);
  if (!c.dilations.empty()) a.add("dilations", c.dilations);
  return a;
}

void test(const Case& c, const Tensor& x, const Tensor& w, bool constant) {
  const DType type = x.dtype();
  const Tensor b = random_tensor({c.w[0]}, 3, type);
  const Axes a = axes_of(c);
  std::vector<double> wanted;
  const std::vector<double> xs = doubles(x), ws = doubles(w), bs = doubles(b);
  for (int64_t n = 0; n < c.x[0]; n++) {
    for (int64_t m = 0; m < c.w[0]; m++) {
      for (int64_t p = 0; p < product(a.out); p++) {
        wanted.push_back(element(c, a, xs, ws, n, m, p) + (c.bias ? bs[static_cast<size_t>(m)] : 0));
      }
    }
  }
  std::vector<Value> inputs{x, w};
  if (c.bias) inputs.push_back(b);
  const Tensor y = run_op("Conv", 22, attributes_of(c), inputs, 1, constant ? 2 : 0)[0].tensor();
  expect_near(y, wanted, cat("x ", c.x, " w ", c.w, constant ? " constant " : " ", dtype_name(type)));
}

void test(const Case& c, DType type, bool constant) {
  test(c, random_tensor(c.x, 1, type), random_tensor(c.w, 2, type), constant);
}

const Case kCases[] = {
    {{2, 3, 7, 9}, {5, 3, 1, 1}},                                            // 1x1
    {{1, 130, 6, 7}, {67, 130, 1, 1}},                                       // 1x1, packed input
    {{1, 200, 7, 7}, {110, 200, 1, 1}},                                      // 1x1, cut by rows
    {{2, 100, 13, 13}, {110, 50, 2, 2}, 2, {2, 2}, {0, 0, 1, 1}},            // an implicit product, cut by rows
    {{2, 3, 9, 10}, {4, 3, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}},                  // first layers
    {{1, 17, 13, 11}, {9, 17, 3, 3}, 1, {}, {1, 1, 1, 1}},                   // Winograd
    {{2, 32, 8, 8}, {16, 16, 3, 3}, 2, {}, {0, 1, 2, 0}},                    // Winograd in groups
    {{2, 32, 9, 7}, {20, 16, 1, 3}, 2, {}, {0, 1, 0, 1}},                    // Winograd along the row, in groups
    {{1, 16, 11, 14}, {9, 16, 3, 3}, 1, {}, {2, 3, 2, 3}, {2, 2}},           // Winograd, dilated
    {{2, 26, 13, 9}, {16, 13, 3, 3}, 2, {1, 1}, {0, 5, 5, 0}, {5, 5}},       // Winograd, dilated, in groups
    {{2, 12, 4, 7, 9}, {8, 12, 3, 3, 3}, 1, {2, 1, 1}, {1, 1, 1, 0, 1, 1}},  // Winograd over planes
    {{2, 24, 5, 9, 8}, {16, 12, 2, 3, 3}, 2, {1, 1, 1}, {1, 2, 2, 0, 2, 2}, {3, 2, 2}},
    {{1, 12, 3, 13, 12}, {8, 12, 1, 7, 7}, 1, {1, 2, 2}, {0, 3, 3, 0, 3, 3}},
    {{2, 13, 9, 7}, {10, 13, 3, 1}, 1, {}, {1, 0, 2, 0}},                       // down
    {{2, 12, 21}, {9, 12, 3}, 1, {}, {1, 1}},                                   // 1-D, 3 taps
    {{1, 12, 21, 1}, {9, 12, 3, 1}, 1, {}, {1, 0, 1, 0}, {}, false},            // 1-D as a column
    {{1, 6, 9, 9}, {6, 1, 3, 3}, 6, {}, {1, 1, 1, 1}},                          // depthwise
    {{2, 6, 9, 8}, {12, 1, 5, 5}, 6, {2, 2}, {2, 2, 1, 1}},                     // depthwise, two outputs per input
    {{1, 8, 10, 12}, {6, 4, 3, 5}, 2, {1, 2}, {2, 1, 0, 3}, {2, 1}, false},     // groups, dilations
    {{2, 4, 21}, {3, 4, 5}, 1, {2}, {3, 1}, {2}},                               // 1-D
    {{1, 2, 5, 6, 7}, {3, 2, 2, 3, 2}, 1, {1, 2, 1}, {1, 0, 1, 0, 1, 1}},       // 3-D
    {{1, 2, 3, 4, 3, 4}, {2, 2, 2, 2, 2, 2}, 1, {}, {1, 0, 0, 0, 0, 1, 0, 0}},  // 4-D
    {{1, 3, 4, 4}, {2, 3, 2, 2}, 1, {}, {-1, 0, 0, -1}},                        // cropping pads
};

TEST(Conv, EveryAlgorithmAgreesWithTheDirectSum) {
  for (const Case& c : kCases) {
    test(c, DType::float32, true);
    test(c, DType::float32, false);
  }
}

// Kernels whose tap t is like tap pivot - t, one letter each: even, odd, neither, zero.
Tensor mirrored_kernels(const Shape& shape, int64_t pivot, std::string_view kinds) {
  Tensor w = random_tensor(shape, 2);
  const int64_t taps = shape[2];
  for (int64_t i = 0; i < shape[0]; i++) {
    const char kind = kinds[static_cast<size_t>(i) * kinds.size() / static_cast<size_t>(shape[0])];
    for (int64_t c = 0; c < shape[1]; c++) {
      float* row = w.data<float>() + (i * shape[1] + c) * taps;
      for (int64_t t = pivot - taps + 1; t < taps && kind != 'n'; t++) {
        const bool left = 2 * t < pivot;
        if (kind == 'e' && left) row[pivot - t] = row[t];
        if (kind == 'o' && left) row[pivot - t] = -row[t];
        if (kind == 'z' || (kind == 'o' && 2 * t == pivot)) row[t] = 0;
      }
      if (kind == 'z') row[0] = 0;
    }
  }
  return w;
}

TEST(Conv, MirroredKernels) {
  for (const int64_t taps : {32, 37, 64}) {
    for (const int64_t pivot : {taps, taps - 1}) {
      for (const std::string_view kinds : {"e", "o", "eo", "ze", "zozo", "eeon", "noooe"}) {
        for (const int64_t channels : {1, 2}) {
          const Case c{{2, channels, 200}, {20, channels, taps}, 1, {7}, {taps / 2, 3}, {}, taps == 32};
          const Tensor w = mirrored_kernels(c.w, pivot, kinds);
          Tensor packed;
          EXPECT_TRUE(mirrored_conv(w, 1, WindowAttributes(attributes_of(c)), {}, packed).has_value()) << taps << kinds;
          test(c, random_tensor(c.x, 1), w, true);
        }
      }
    }
  }
  const WindowAttributes plain((Attributes()));
  Tensor packed;
  EXPECT_FALSE(mirrored_conv(random_tensor({20, 1, 64}, 2), 1, plain, {}, packed).has_value());
  EXPECT_FALSE(mirrored_conv(mirrored_kernels({20, 1, 64}, 64, "en"), 1, plain, {}, packed).has_value());
  EXPECT_FALSE(mirrored_conv(mirrored_kernels({20, 1, 64}, 64, "e"), 20, plain, {}, packed).has_value());
  EXPECT_FALSE(mirrored_conv(mirrored_kernels({20, 1, 16}, 16, "e"), 1, plain, {}, packed).has_value());
  Tensor infinite = mirrored_kernels({20, 1, 64}, 64, "e");
  infinite.data<float>()[5] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(mirrored_conv(infinite, 1, plain, {}, packed).has_value());  // of one channel both halves are read
}

// What is added to the product is added once, also where a channel reads both halves.
TEST(Conv, MirroredKernelsWithWhatIsFused) {
  testing::GraphMaker g;
  g.input("x", DType::float32, {1, 1, 150}).input("r", DType::float32, {1, 20, 87});
  g.constant("w", mirrored_kernels({20, 1, 64}, 64, "eoneo")).constant("b", random_tensor({20}, 3));
  g.node("Conv", {"x", "w", "b"}, {"c"}).node("Add", {"c", "r"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
  EXPECT_EQ(testing::left(g), (testing::Types{"Conv"}));
  testing::expect_same_results(g, {random_tensor({1, 1, 150}, 1), random_tensor({1, 20, 87}, 4)});
}

TEST(Conv, OtherFloatTypes) {
  for (DType type : {DType::float64, DType::float16, DType::bfloat16}) {
    for (size_t i : {0, 3, 5, 8, 10}) test(kCases[i], type, true);
  }
}

TEST(Conv, AutoPadKeepsTheSize) {
  const Tensor x = random_tensor({1, 1, 5, 5}, 1), w = random_tensor({1, 1, 2, 2}, 2);
  for (const char* pad : {"SAME_UPPER", "SAME_LOWER"}) {
    Attributes a, same;
    a.add("auto_pad", std::string(pad));
    same.add("pads",
             std::string(pad) == "SAME_UPPER" ? std::vector<int64_t>{0, 0, 1, 1} : std::vector<int64_t>{1, 1, 0, 0});
    expect_near(run_op("Conv", 11, a, {x, w})[0].tensor(), doubles(run_op("Conv", 11, same, {x, w})[0].tensor()), pad);
  }
}

TEST(Conv, EmptyDimensions) {
  EXPECT_EQ(
      run_op("Conv", 11, {}, {random_tensor({0, 2, 4, 4}, 1), random_tensor({3, 2, 3, 3}, 2)})[0].tensor().shape(),
      (Shape{0, 3, 2, 2}));
}

TEST(Conv, FusedScaleAndClamp) {
  Graph graph;
  Node node;
  node.op_type = "Conv";
  node.opset = 11;
  node.inputs = {graph.add_value("x"), graph.add_value("w")};
  node.outputs = {graph.add_value("y")};
  bind_operator(node, graph);
  Fusible* f = node.op->fusible();
  ASSERT_TRUE(f);
  const float scale[] = {2, -1}, shift[] = {0.5f, 0.25f};
  EXPECT_TRUE(f->fuse_scale_shift(scale, shift));
  EXPECT_TRUE(f->fuse_clamp(0, 1));
  EXPECT_FALSE(f->fuse_scale_shift(scale, shift));
  const Tensor w = testing::tensor<float>({2, 1, 1, 1}, {1, 2});
  const Tensor x = testing::tensor<float>({1, 1, 1, 3}, {-1, 0.125f, 3});
  const Tensor* constants[] = {nullptr, &w};
  PrepareContext prepare(constants);
  node.op->prepare(prepare);
  EXPECT_EQ(prepare.released, 2u);
  const Value xv = x, wv = Tensor::without_data(w.dtype(), w.shape());
  const Value* inputs[] = {&xv, &wv};
  const char wanted[] = {1};
  expect_near(evaluate(*node.op, inputs, wanted)[0].tensor(), {0, 0.75, 1, 1, 0, 0});
}

TEST(Conv, Errors) {
  const auto reason = [](Attributes a, Shape x, Shape w) {
    return reason_of([&] { run_op("Conv", 11, std::move(a), {random_tensor(x, 1), random_tensor(w, 2)}); });
  };
  EXPECT_EQ(reason({}, {1, 3, 4, 4}, {2, 2, 3, 3}), "X has 3 channels, W takes 2 in each of 1 groups");
  EXPECT_EQ(reason({}, {1, 3, 2, 4}, {2, 3, 3, 3}),
            "a kernel that reaches over 3 elements does not fit into spatial dimension 0 of size 2 with padding 0");
  Attributes a;
  a.add("strides", std::vector<int64_t>{1});
  EXPECT_EQ(reason(a, {1, 3, 4, 4}, {2, 3, 3, 3}), "strides has 1 values, not 2");
  Attributes zero;
  zero.add("strides", std::vector<int64_t>{0, 1});
  EXPECT_EQ(reason(zero, {1, 3, 4, 4}, {2, 3, 3, 3}), "strides has a value 0, not in [1, 268435456]");
}

}  // namespace
}  // namespace sardonyx
