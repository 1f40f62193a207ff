// The operators of ai.onnx.ml; where the standard is silent, values are as onnxruntime 1.32 has them.
#include <gtest/gtest.h>

#include <cmath>

#include "graph_maker.h"
#include "move_values.h"
#include "op_runner.h"
#include "op_values.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::doubles;
using testing::expect_near;
using testing::ints;
using testing::reason_of;
using testing::tensor;

using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

std::vector<Value> ml(const std::string& type, int opset, Attributes a, std::vector<Value> inputs, int outputs = 1) {
  return testing::run_op(type, opset, std::move(a), std::move(inputs), outputs, 0, "ai.onnx.ml");
}
std::string ml_reason(const std::string& type, int opset, Attributes a, std::vector<Value> inputs, int outputs = 1) {
  return reason_of([&] { ml(type, opset, std::move(a), std::move(inputs), outputs); });
}
Strings strings(const Value& v) {
  const auto s = v.tensor().values<std::string>();
  return {s.begin(), s.end()};
}

struct Named {
  std::string name;
  AttributeValue value;
};
Attributes attributes(std::vector<Named> list) {
  Attributes a;
  for (Named& n : list) a.add(std::move(n.name), std::move(n.value));
  return a;
}

const Tensor kX = tensor<float>({2, 3}, {1, -2, 0.5f, 3, 0, -1});

TEST(MlLabels, EveryVersion) {
  const Attributes one = attributes({{"classes_strings", Strings{"z", "b", "a"}}});
  EXPECT_EQ(ints(ml("LabelEncoder", 1, one, {tensor<std::string>({2}, {"a", "q"})})[0]), (Ints{2, -1}));
  EXPECT_EQ(strings(ml("LabelEncoder", 1, one, {tensor<int64_t>({3}, {2, 3, -1})})[0]),
            (Strings{"a", "_Unused", "_Unused"}));
  const float nan = std::nanf("");
  const Attributes two = attributes({{"keys_floats", Floats{1, nan, -0.0f, 1}}, {"values_int64s", Ints{5, 6, 7, 8}}});
  const Tensor x = tensor<float>({4}, {1, 2, -nan, 0});
  EXPECT_EQ(ints(ml("LabelEncoder", 2, two, {x})[0]), (Ints{5, -1, 6, 7}));
  EXPECT_EQ(ints(ml("LabelEncoder", 4, two, {x})[0]), (Ints{8, -1, 6, 7}));  // the last of equal keys
  const Attributes tensors = attributes({{"keys_tensor", tensor<int16_t>({2}, {3, 4})},
                                         {"values_tensor", tensor<double>({2}, {0.5, 1.5})},
                                         {"default_tensor", tensor<double>({1}, {9})}});
  EXPECT_EQ(doubles(ml("LabelEncoder", 4, tensors, {tensor<int16_t>({0}, {})})[0].tensor()).size(), 0u);
  EXPECT_EQ(doubles(ml("LabelEncoder", 4, tensors, {tensor<int16_t>({2}, {4, 5})})[0].tensor()),
            (std::vector<double>{1.5, 9}));
  EXPECT_EQ(ml_reason("LabelEncoder", 4, attributes({{"keys_int64s", Ints{1, 2}}, {"values_strings", Strings{"a"}}}),
                      {tensor<int64_t>({1}, {1})}),
            "there are 2 keys and 1 values");
  EXPECT_NE(ml_reason("LabelEncoder", 2, two, {tensor<int64_t>({1}, {1})}), "");
  EXPECT_NE(ml_reason("LabelEncoder", 2, {}, {x}), "");
}

TEST(MlLabels, CategoriesAndOneHot) {
  const Attributes a = attributes({{"cats_strings", Strings{"z", "b", "a"}}, {"cats_int64s", Ints{5, 6, 7}}});
  EXPECT_EQ(ints(ml("CategoryMapper", 1, a, {tensor<std::string>({2}, {"a", "q"})})[0]), (Ints{7, -1}));
  EXPECT_EQ(strings(ml("CategoryMapper", 1, a, {tensor<int64_t>({2}, {6, 0})})[0]), (Strings{"b", "_Unused"}));
  const Attributes cats = attributes({{"cats_int64s", Ints{1, 3}}, {"zeros", int64_t{1}}});
  const auto y = ml("OneHotEncoder", 1, cats, {tensor<double>({2, 1}, {3.5, std::nan("")})})[0];
  EXPECT_TRUE(y.tensor().shape() == (Shape{2, 1, 2}));
  EXPECT_EQ(doubles(y.tensor()), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(ml_reason("OneHotEncoder", 1, attributes({{"cats_int64s", Ints{1}}, {"zeros", int64_t{0}}}),
                      {tensor<int32_t>({2}, {1, 2})}),
            "element 1 is none of the categories");
}

TEST(MlMaps, CastVectorizeZip) {
  const Map map{tensor<int64_t>({3}, {4, 0, 2}), {Tensor::scalar(0.5f), Tensor::scalar(1.5f), Tensor::scalar(2.5f)}};
  EXPECT_EQ(doubles(ml("CastMap", 1, {}, {map})[0].tensor()), (std::vector<double>{1.5, 2.5, 0.5}));
  const Attributes sparse =
      attributes({{"map_form", std::string("SPARSE")}, {"max_map", int64_t{4}}, {"cast_to", std::string("TO_STRING")}});
  EXPECT_EQ(strings(ml("CastMap", 1, sparse, {map})[0]), (Strings{"1.5", "", "2.5", ""}));
  EXPECT_EQ(doubles(ml("DictVectorizer", 1, attribute("int64_vocabulary", Ints{2, 9, 4}), {map})[0].tensor()),
            (std::vector<double>{2.5, 0, 0.5}));
  EXPECT_EQ(ml_reason("DictVectorizer", 1, attribute("string_vocabulary", Strings{"a"}), {map}),
            "the map has keys of int64, the vocabulary is of string");
  EXPECT_EQ(ml_reason("CastMap", 1, {}, {kX}), "input 0 must be a map, not a tensor");
  const auto rows = ml("ZipMap", 1, attribute("classlabels_strings", Strings{"a", "b", "c"}), {kX})[0];
  ASSERT_EQ(rows.sequence().items.size(), 2u);
  const Map& second = rows.sequence().items[1].map();
  EXPECT_EQ(second.keys.data<std::string>()[2], "c");
  EXPECT_EQ(second.values[2].tensor().data<float>()[0], -1);
  EXPECT_EQ(ml_reason("ZipMap", 1, attribute("classlabels_int64s", Ints{1, 2}), {kX}),
            "rows of 3 values need as many labels, there are 2");
}

TEST(MlFeatures, Values) {
  EXPECT_EQ(doubles(ml("Binarizer", 1, attribute("threshold", 0.5f), {kX})[0].tensor()),
            (std::vector<double>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(ints(ml("ArrayFeatureExtractor", 1, {}, {tensor<int64_t>({2}, {7, 8}), tensor<int64_t>({2}, {1, 1})})[0]),
            (Ints{8, 8}));
  EXPECT_EQ(ml_reason("ArrayFeatureExtractor", 1, {}, {kX, tensor<int64_t>({1}, {3})}),
            "index 3 is out of range for 3 features");
  EXPECT_EQ(doubles(ml("FeatureVectorizer", 1, attribute("inputdimensions", Ints{2, 4}), {kX, kX})[0].tensor()),
            (std::vector<double>{1, -2, 1, -2, 0.5, 0, 3, 0, 3, 0, -1, 0}));
  const Tensor holes = tensor<float>({2, 2}, {std::nanf(""), 1, 2, std::nanf("")});
  EXPECT_EQ(doubles(ml("Imputer", 1,
                       attributes({{"imputed_value_floats", Floats{7, 8}}, {"replaced_value_float", std::nanf("")}}),
                       {holes})[0]
                        .tensor()),
            (std::vector<double>{7, 1, 2, 8}));
  EXPECT_EQ(doubles(ml("Normalizer", 1, attribute("norm", std::string("MAX")), {kX})[0].tensor()),
            (std::vector<double>{1, -2, 0.5, 1, 0, static_cast<double>(-1.0f / 3)}));
  expect_near(ml("Normalizer", 1, attribute("norm", std::string("L1")), {kX})[0].tensor(),
              {1 / 3.5, -2 / 3.5, 0.5 / 3.5, 0.75, 0, -0.25});
  expect_near(
      ml("Normalizer", 1, attribute("norm", std::string("L2")), {tensor<int64_t>({2, 2}, {3, 4, 0, 0})})[0].tensor(),
      {0.6, 0.8, 0, 0});
  EXPECT_EQ(doubles(ml("Scaler", 1, attributes({{"scale", Floats{2}}, {"offset", Floats{1}}}), {kX})[0].tensor()),
            (std::vector<double>{0, -6, -1, 4, -2, -4}));
  EXPECT_EQ(ml("Normalizer", 1, {}, {Tensor::allocate(DType::float32, {0, 3})})[0].tensor().count(), 0);
  EXPECT_EQ(ml_reason("Scaler", 1, attributes({{"scale", Floats{2, 2}}, {"offset", Floats{1, 1}}}), {kX}),
            "attribute \"scale\" has 2 values, the input is of shape 2x3");
}

TEST(MlLinear, ClassifierAndRegressor) {
  Attributes a = attributes({{"coefficients", Floats{0.1f, 0.2f, 0.3f}},
                             {"intercepts", Floats{0.05f}},
                             {"classlabels_strings", Strings{"no", "yes"}},
                             {"post_transform", std::string("LOGISTIC")}});
  // Scores -0.1 and 0.05.
  const auto y = ml("LinearClassifier", 1, a, {kX}, 2);
  EXPECT_EQ(strings(y[0]), (Strings{"no", "yes"}));
  const double p = 1 / (1 + std::exp(0.1)), q = 1 / (1 + std::exp(-0.05));
  expect_near(y[1].tensor(), {1 - p, p, 1 - q, q});
  const Attributes r = attributes({{"coefficients", Floats{1, 2, 3, -1, 0.5f, 0.25f}}, {"targets", int64_t{2}}});
  expect_near(ml("LinearRegressor", 1, r, {kX})[0].tensor(), {-1.5, -1.875, 0, -3.25});
  EXPECT_EQ(ml_reason("LinearRegressor", 1, r, {tensor<float>({1, 2}, {1, 2})}),
            "the input has 2 features, the coefficients are for 3");
}

// One tree: x0 <= 0.5 (NaN goes to true) ? leaf 1 : (x1 > 2 ? leaf 3 : leaf 4).
Attributes tree(const std::string& votes) {
  return attributes({{"nodes_treeids", Ints{0, 0, 0, 0, 0}},
                     {"nodes_nodeids", Ints{0, 1, 2, 3, 4}},
                     {"nodes_featureids", Ints{0, 0, 1, 0, 0}},
                     {"nodes_values", Floats{0.5f, 0, 2, 0, 0}},
                     {"nodes_modes", Strings{"BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"}},
                     {"nodes_truenodeids", Ints{1, 0, 3, 0, 0}},
                     {"nodes_falsenodeids", Ints{2, 0, 4, 0, 0}},
                     {"nodes_missing_value_tracks_true", Ints{1, 0, 0, 0, 0}},
                     {votes + "_treeids", Ints{0, 0, 0}},
                     {votes + "_nodeids", Ints{1, 3, 4}},
                     {votes + "_weights", Floats{0.25f, 0.75f, 1}}});
}

const Tensor kRows = tensor<float>({4, 2}, {0, 0, 1, 3, 1, 1, std::nanf(""), 5});

TEST(MlTrees, Regressor) {
  Attributes a = tree("target");
  a.add("target_ids", Ints{0, 0, 0});
  a.add("n_targets", int64_t{1});
  a.add("base_values", Floats{10});
  EXPECT_EQ(doubles(ml("TreeEnsembleRegressor", 3, a, {kRows})[0].tensor()),
            (std::vector<double>{10.25, 10.75, 11, 10.25}));
  EXPECT_EQ(ml("TreeEnsembleRegressor", 1, a, {Tensor::allocate(DType::float32, {0, 2})})[0].tensor().count(), 0);
  EXPECT_EQ(ml_reason("TreeEnsembleRegressor", 1, a, {kX.reshaped({6, 1})}),
            "the trees look at feature 1, the input has 1");
}

TEST(MlTrees, ClassifierWithOneScore) {
  Attributes a = tree("class");
  a.add("class_ids", Ints{0, 0, 0});
  a.add("classlabels_strings", Strings{"no", "yes"});
  const auto y = ml("TreeEnsembleClassifier", 1, a, {kRows}, 2);
  EXPECT_EQ(strings(y[0]), (Strings{"no", "yes", "yes", "no"}));
  EXPECT_EQ(doubles(y[1].tensor()), (std::vector<double>{0.75, 0.25, 0.25, 0.75, 0, 1, 0.75, 0.25}));
}

TEST(MlTrees, BadTrees) {
  const auto reason = [](const std::string& name, AttributeValue value) {
    Attributes a, good = tree("target");
    good.add("target_ids", Ints{0, 0, 0});
    for (const Attribute& old : good.all()) a.add(old.name, old.name == name ? value : old.value);
    return ml_reason("TreeEnsembleRegressor", 3, a, {kRows});
  };
  EXPECT_EQ(reason("nodes_falsenodeids", Ints{2, 0, 0, 0, 0}), "a tree is a circle");
  EXPECT_EQ(reason("nodes_falsenodeids", Ints{9, 0, 4, 0, 0}), "tree 0 has no node 9");
  EXPECT_EQ(reason("nodes_values", Floats{1}), "attribute \"nodes_values\" has 1 values, not 5");
  EXPECT_EQ(reason("target_ids", Ints{0, 1, 0}), "a leaf is for target 1 of 1");
  EXPECT_EQ(reason("target_nodeids", Ints{0, 3, 4}), "node 0 of tree 0 has a weight and is no leaf");
  EXPECT_EQ(reason("nodes_modes", Strings{"BRANCH_X", "LEAF", "BRANCH_GT", "LEAF", "LEAF"}),
            "attribute \"nodes_modes\" has \"BRANCH_X\"");
  EXPECT_EQ(reason("nodes_featureids", Ints{0, 0, -1, 0, 0}), "a tree has the number -1");
}

TEST(MlTrees, MembersAndHalfFloats) {
  Attributes a = attributes({{"tree_roots", Ints{0}},
                             {"nodes_featureids", Ints{0}},
                             {"nodes_splits", tensor<float>({1}, {0})},
                             {"nodes_modes", tensor<uint8_t>({1}, {6})},
                             {"nodes_truenodeids", Ints{0}},
                             {"nodes_falsenodeids", Ints{1}},
                             {"nodes_trueleafs", Ints{1}},
                             {"nodes_falseleafs", Ints{1}},
                             {"leaf_targetids", Ints{0, 1}},
                             {"leaf_weights", tensor<float>({2}, {2, 3})},
                             {"membership_values", tensor<float>({3}, {4, 1.5f, std::nanf("")})},
                             {"n_targets", int64_t{2}}});
  const Tensor x = tensor<Float16>({3, 1}, {Float16(1.5f), Float16(2), Float16(4)});
  const Tensor y = ml("TreeEnsemble", 5, a, {x})[0].tensor();
  EXPECT_EQ(y.dtype(), DType::float16);
  EXPECT_EQ(doubles(y), (std::vector<double>{2, 0, 0, 3, 2, 0}));
}

TEST(MlSvm, RegressorAndClassifier) {
  const Tensor x = tensor<float>({2, 2}, {1, 2, -1, 0.5f});
  Attributes r = attributes({{"kernel_type", std::string("POLY")},
                             {"kernel_params", Floats{0.5f, 1, 2}},
                             {"n_supports", int64_t{2}},
                             {"support_vectors", Floats{1, 0, 0, 1}},
                             {"coefficients", Floats{2, -1}},
                             {"rho", Floats{0.25f}}});
  // (0.5 x0 + 1)^2 * 2 - (0.5 x1 + 1)^2 + 0.25
  expect_near(ml("SVMRegressor", 1, r, {x})[0].tensor(), {4.5 - 4 + 0.25, 0.5 - 1.5625 + 0.25});
  r.add("one_class", int64_t{1});
  EXPECT_EQ(doubles(ml("SVMRegressor", 1, r, {x})[0].tensor()), (std::vector<double>{1, -1}));
  const Attributes c = attributes({{"kernel_type", std::string("RBF")},
                                   {"kernel_params", Floats{1, 0, 0}},
                                   {"vectors_per_class", Ints{1, 1}},
                                   {"support_vectors", Floats{1, 2, -1, 0}},
                                   {"coefficients", Floats{1, -1}},
                                   {"rho", Floats{0}},
                                   {"classlabels_ints", Ints{5, 7}}});
  const auto y = ml("SVMClassifier", 1, c, {x}, 2);
  EXPECT_EQ(ints(y[0]), (Ints{5, 7}));
  const double near = std::exp(-8.0), first = 1 - near, second = std::exp(-6.25) - std::exp(-0.25);
  expect_near(y[1].tensor(), {-first, first, -second, second});
  EXPECT_EQ(ml_reason("SVMClassifier", 1, c, {kX}, 2), "the input has 3 features, the vectors have 2");
  EXPECT_EQ(ml_reason("SVMRegressor", 1, attribute("rho", Floats{0}), {x}),
            "attribute \"coefficients\" is missing or empty");
}

}  // namespace
}  // namespace sardonyx
