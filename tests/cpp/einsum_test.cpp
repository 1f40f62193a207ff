// Einsum beyond the ONNX suite: against a loop over all indices; types, many operands, empty sums, bad equations.
#include <gtest/gtest.h>

#include <map>

#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::error_of;
using testing::expect_near;
using testing::random_tensor;
using testing::run_op;
using testing::tensor;

Tensor einsum(const char* equation, const std::vector<Tensor>& inputs) {
  Attributes a;
  a.add("equation", std::string(equation));
  return run_op("Einsum", 12, std::move(a), {inputs.begin(), inputs.end()})[0].tensor();
}

// terms and output: letters only. Sums over every assignment of the indices.
std::vector<double> by_loops(const std::vector<std::string>& terms, const std::string& output,
                             const std::vector<Tensor>& inputs) {
  std::map<char, int64_t> length;
  std::vector<std::vector<double>> values;
  for (size_t i = 0; i < terms.size(); i++) {
    values.push_back(doubles(inputs[i]));
    for (size_t k = 0; k < terms[i].size(); k++) {
      int64_t& l = length[terms[i][k]];
      l = std::max(l, inputs[i].dim(static_cast<int>(k)));
    }
  }
  int64_t all = 1, size = 1;
  for (auto [letter, l] : length) all *= l;
  for (char letter : output) size *= length[letter];
  std::vector<double> sums(static_cast<size_t>(size));
  for (int64_t n = 0; n < all; n++) {
    std::map<char, int64_t> at;
    int64_t rest = n;
    for (auto [letter, l] : length) at[letter] = rest % l, rest /= l;
    double product = 1;
    for (size_t i = 0; i < terms.size(); i++) {
      int64_t p = 0;
      for (size_t k = 0; k < terms[i].size(); k++) {
        const int64_t dim = inputs[i].dim(static_cast<int>(k));
        p = p * dim + (dim == 1 ? 0 : at[terms[i][k]]);
      }
      product *= values[i][static_cast<size_t>(p)];
    }
    int64_t to = 0;
    for (char letter : output) to = to * length[letter] + at[letter];
    sums[static_cast<size_t>(to)] += product;
  }
  return sums;
}

void expect_einsum(const char* equation, const std::vector<std::string>& terms, const std::string& output,
                   const std::vector<Shape>& shapes) {
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    std::vector<Tensor> inputs;
    for (const Shape& s : shapes) inputs.push_back(random_tensor(s, static_cast<uint32_t>(inputs.size() + 1), type));
    expect_near(einsum(equation, inputs), by_loops(terms, output, inputs), cat(equation, " ", type));
  }
}

TEST(Einsum, OneOperand) {
  expect_einsum("ij->ji", {"ij"}, "ji", {{3, 4}});
  expect_einsum("ij->", {"ij"}, "", {{3, 4}});
  expect_einsum("ijk->j", {"ijk"}, "j", {{3, 4, 5}});
  expect_einsum("ii", {"ii"}, "", {{4, 4}});
  expect_einsum("ii->i", {"ii"}, "i", {{4, 4}});
  expect_einsum("iijj->ji", {"iijj"}, "ji", {{3, 3, 2, 2}});
  expect_einsum(" b A ", {"bA"}, "Ab", {{2, 3}});
  expect_einsum("...ii->...i", {"abii"}, "abi", {{2, 3, 4, 4}});
  expect_einsum("i...->i", {"iab"}, "i", {{2, 3, 4}});
  expect_einsum("->", {""}, "", {{}});
}

TEST(Einsum, TwoOperands) {
  expect_einsum("ij,jk->ik", {"ij", "jk"}, "ik", {{5, 7}, {7, 9}});
  expect_einsum("ij,jk", {"ij", "jk"}, "ik", {{5, 7}, {7, 9}});
  expect_einsum("ji,kj->ki", {"ji", "kj"}, "ki", {{7, 5}, {9, 7}});
  expect_einsum("bhqd,bhkd->bhqk", {"bhqd", "bhkd"}, "bhqk", {{2, 3, 5, 4}, {2, 3, 6, 4}});
  expect_einsum("bqhd,bkhd->bhqk", {"bqhd", "bkhd"}, "bhqk", {{2, 5, 3, 4}, {2, 6, 3, 4}});
  expect_einsum("i,j->ij", {"i", "j"}, "ij", {{3}, {4}});
  expect_einsum("i,i->", {"i", "i"}, "", {{300}, {300}});
  expect_einsum("ij,ij->ij", {"ij", "ij"}, "ij", {{3, 4}, {3, 4}});
  expect_einsum("ij,j->i", {"ij", "j"}, "i", {{17, 13}, {13}});
  expect_einsum("i,ij->j", {"i", "ij"}, "j", {{17}, {17, 13}});
  expect_einsum("ab,cd->ac", {"ab", "cd"}, "ac", {{2, 3}, {4, 5}});
  expect_einsum("iij,jk->ki", {"iij", "jk"}, "ki", {{3, 3, 2}, {2, 4}});
  expect_einsum("xyzw,wzya->ax", {"xyzw", "wzya"}, "ax", {{2, 3, 4, 5}, {5, 4, 3, 2}});
}

TEST(Einsum, EllipsesAndLengthsOfOneAreBroadcast) {
  expect_einsum("...ij,...jk->...ik", {"abij", "bjk"}, "abik", {{2, 3, 4, 5}, {3, 5, 6}});
  expect_einsum("...ij,...jk", {"abij", "abjk"}, "abik", {{2, 1, 4, 5}, {1, 3, 5, 6}});
  expect_einsum("i...,...i->...", {"iab", "bi"}, "ab", {{4, 2, 3}, {3, 4}});
  expect_einsum("ij,ij->ij", {"ij", "ij"}, "ij", {{1, 4}, {3, 1}});
  expect_einsum("ij,ij->", {"ij", "ij"}, "", {{1, 4}, {3, 1}});
  expect_einsum("ij,jk->ik", {"ij", "jk"}, "ik", {{1, 1}, {1, 1}});
}

TEST(Einsum, ManyOperands) {
  expect_einsum("ab,cd,bd->ac", {"ab", "cd", "bd"}, "ac", {{2, 3}, {4, 5}, {3, 5}});
  expect_einsum("a,b,c,d->", {"a", "b", "c", "d"}, "", {{2}, {3}, {4}, {5}});
  expect_einsum("a,ab,abc->cba", {"a", "ab", "abc"}, "cba", {{2}, {2, 3}, {2, 3, 4}});
  const Tensor x = random_tensor({3}, 4);
  std::vector<double> power(3, 1);
  for (size_t i = 0; i < 3; i++) power[i] = std::pow(doubles(x)[i], 12);
  expect_near(einsum("i,i,i,i,i,i,i,i,i,i,i,i->i", std::vector<Tensor>(12, x)), power);
}

TEST(Einsum, IntegersWrap) {
  EXPECT_EQ(doubles(einsum("i,i->", {tensor<int8_t>({2}, {100, -3}), tensor<int8_t>({2}, {3, 2})})),
            std::vector<double>{static_cast<int8_t>(294)});
  EXPECT_EQ(doubles(einsum("i->", {tensor<uint8_t>({2}, {200, 100})})), std::vector<double>{44});
  EXPECT_EQ(doubles(einsum("i,i->i", {tensor<int64_t>({2}, {INT64_MIN, -3}), tensor<int64_t>({2}, {-1, 2})})),
            (std::vector<double>{-0x1p63, -6}));
}

TEST(Einsum, NothingToSumIsZero) {
  EXPECT_EQ(doubles(einsum("ij,jk->ik",
                           {Tensor::allocate(DType::float32, {2, 0}), Tensor::allocate(DType::float32, {0, 2})})),
            (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(einsum("ij->ji", {Tensor::allocate(DType::float32, {2, 0})}).shape(), (Shape{0, 2}));
  EXPECT_EQ(doubles(einsum("i,i->", {random_tensor({1}, 1), Tensor::allocate(DType::float32, {0})})),
            std::vector<double>{0});
}

TEST(Einsum, BadEquationsAreNamed) {
  const Tensor x = random_tensor({2, 3}, 1);
  const auto message = [&](const char* equation, std::vector<Tensor> inputs,
                           ErrorCode code = ErrorCode::invalid_model) {
    return error_of([&] { einsum(equation, inputs); }, code);
  };
  EXPECT_NE(message("i1->i", {x}).find("equation has \"1\" where an index"), std::string::npos);
  EXPECT_NE(message("ij->ijk", {x}).find("no operand the output's index k"), std::string::npos);
  EXPECT_NE(message("ij->ii", {x}).find("index i twice"), std::string::npos);
  EXPECT_NE(message("ij,jk->ik", {x}).find("equation has 2 terms for 1 inputs"), std::string::npos);
  EXPECT_NE(message("ijk->i", {x}, ErrorCode::invalid_input).find("input 0 of shape 2x3"), std::string::npos);
  EXPECT_NE(message("ij,jk->ik", {x, x}, ErrorCode::invalid_input).find("dimension 0 of input 1 is 2 where"),
            std::string::npos);
  message("ii->i", {x}, ErrorCode::invalid_input);
  message("i..j->i", {x});
  message("......->", {x});
  message("ij->i->j", {x});
  message("ij,", {x});
  message("i...jk->i", {x}, ErrorCode::invalid_input);
  message("ij,jk->ik", {x, Tensor::allocate(DType::float64, {3, 2})});
  message("ij->i", {Tensor::allocate(DType::boolean, {2, 3})});
}

}  // namespace
}  // namespace sardonyx
