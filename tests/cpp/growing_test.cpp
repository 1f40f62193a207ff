// Results that are a feed with more rows: they get room, and later runs append to them.
#include <gtest/gtest.h>

#include <numeric>

#include "graph_maker.h"
#include "op_runner.h"
#include "op_values.h"
#include "runtime/session.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::GraphMaker;
using testing::random_tensor;
using testing::tensor;

std::vector<Value> run(Session& session, const std::vector<Value>& feeds, std::vector<int> kept) {
  std::vector<int> wanted(session.outputs().size());
  std::iota(wanted.begin(), wanted.end(), 0);
  RunOptions options;
  options.kept = std::move(kept);
  return session.run(feeds, wanted, options);
}

std::unique_ptr<Session> session_of(GraphMaker& maker) { return Session::create(maker.model(), {}); }

std::vector<double> elements(const Value& v) { return testing::doubles(v.tensor().dense()); }

// [1][2][n][3] with x behind it.
std::vector<double> joined(const std::vector<double>& past, const Tensor& x) {
  std::vector<double> y;
  const size_t rows = past.size() / 6, more = static_cast<size_t>(x.dim(2));
  for (size_t m = 0; m < 2; m++) {
    y.insert(y.end(), past.begin() + static_cast<ptrdiff_t>(m * rows * 3),
             past.begin() + static_cast<ptrdiff_t>((m + 1) * rows * 3));
    for (size_t i = 0; i < more * 3; i++) y.push_back(static_cast<double>(x.data<float>()[m * more * 3 + i]));
  }
  return y;
}

// present = Concat(past, x) along the rows, and something that reads no more than the shape of present.
GraphMaker cache(int64_t axis = 2) {
  GraphMaker g;
  g.input("past", DType::float32, {1, 2, -1, 3}).input("x", DType::float32, {1, 2, -1, 3});
  g.node("Concat", {"past", "x"}, {"present"}, attribute("axis", axis)).node("Shape", {"present"}, {"sizes"});
  g.output("present").output("sizes");
  return g;
}

TEST(GrowingResults, RowsAreAppendedWhereTheyAre) {
  for (int64_t axis : {2, -2}) {
    GraphMaker g = cache(axis);
    auto session = session_of(g);
    Tensor past = Tensor::allocate(DType::float32, {1, 2, 0, 3});
    std::vector<double> expected;
    std::vector<std::pair<Tensor, std::vector<double>>> before;
    int moved = 0;
    for (uint32_t step = 0; step < 300; step++) {
      const Tensor x = random_tensor({1, 2, step == 0 ? 5 : 1 + step % 3 / 2, 3}, step);
      const auto results = run(*session, {past, x}, {0});
      const Tensor& present = results[0].tensor();
      expected = joined(expected, x);
      ASSERT_TRUE(present.has_room());
      EXPECT_EQ(elements(present), expected);
      EXPECT_EQ(results[1].tensor().data<int64_t>()[2], present.dim(2));
      moved += present.bytes() != past.bytes();
      before.emplace_back(present, expected);
      past = present;
    }
    EXPECT_LT(moved, 12);  // 37, 78, ...
    for (const auto& [tensor, values] : before) EXPECT_EQ(elements(tensor), values);
  }
}

// A past that has had a successor gets another one: a search that goes back, or follows several ways.
TEST(GrowingResults, TwoSuccessorsAreApart) {
  GraphMaker g = cache();
  auto session = session_of(g);
  const Tensor a = random_tensor({1, 2, 4, 3}, 1), b = random_tensor({1, 2, 1, 3}, 2),
               c = random_tensor({1, 2, 1, 3}, 3);
  const Tensor past = run(*session, {Tensor::allocate(DType::float32, {1, 2, 0, 3}), a}, {0})[0].tensor();
  const Tensor one = run(*session, {past, b}, {0})[0].tensor();
  const Tensor other = run(*session, {past, c}, {0})[0].tensor();
  EXPECT_EQ(one.bytes(), past.bytes());
  EXPECT_NE(other.bytes(), past.bytes());
  const std::vector<double> start = joined({}, a);
  EXPECT_EQ(elements(past), start);
  EXPECT_EQ(elements(one), joined(start, b));
  EXPECT_EQ(elements(other), joined(start, c));
  // Not kept, it is dense, and leaves the room alone.
  const Tensor dense = run(*session, {one, c}, {})[0].tensor();
  EXPECT_FALSE(dense.has_room());
  EXPECT_EQ(elements(dense), joined(joined(start, b), c));
  EXPECT_EQ(run(*session, {one, b}, {0})[0].tensor().bytes(), one.bytes());
}

// One tensor for two caches: only one of them may have what is behind it.
TEST(GrowingResults, AFeedThatIsFedTwice) {
  GraphMaker g;
  for (const char* name : {"p", "q", "x"}) g.input(name, DType::float32, {1, 2, -1, 3});
  g.node("Concat", {"p", "x"}, {"np"}, attribute("axis", int64_t{2})).node("Neg", {"x"}, {"z"});
  g.node("Concat", {"q", "z"}, {"nq"}, attribute("axis", int64_t{2})).output("np").output("nq");
  auto session = session_of(g);
  const Tensor none = Tensor::allocate(DType::float32, {1, 2, 0, 3}), x = random_tensor({1, 2, 2, 3}, 1);
  Tensor minus = x.clone();
  for (int64_t i = 0; i < minus.count(); i++) minus.data<float>()[i] *= -1;
  const Tensor past = run(*session, {none, none, x}, {0, 1})[0].tensor();
  const auto results = run(*session, {past, past, x}, {0, 1});
  EXPECT_EQ(elements(results[0]), joined(joined({}, x), x));
  EXPECT_EQ(elements(results[1]), joined(joined({}, x), minus));
}

// Readers that know nothing of room: of the past, which they get dense, and of the result, which then has none.
TEST(GrowingResults, ReadersThatTakeNoRoom) {
  for (const char* reader : {"past", "present"}) {
    GraphMaker g = cache();
    g.node("Neg", {reader}, {"y"}).output("y");
    auto session = session_of(g);
    GraphMaker plain = cache();
    auto maker = session_of(plain);
    const Tensor a = random_tensor({1, 2, 4, 3}, 1), b = random_tensor({1, 2, 1, 3}, 2);
    const Tensor past = run(*maker, {Tensor::allocate(DType::float32, {1, 2, 0, 3}), a}, {0})[0].tensor();
    ASSERT_TRUE(past.has_room());
    const auto results = run(*session, {past, b}, {0, 2});
    const std::vector<double> all = joined(joined({}, a), b);
    EXPECT_EQ(elements(results[0]), all);
    EXPECT_EQ(results[0].tensor().has_room(), std::string(reader) == "past");
    std::vector<double> minus = std::string(reader) == "past" ? joined({}, a) : all;
    for (double& v : minus) v = -v;
    EXPECT_EQ(elements(results[2]), minus);
    EXPECT_EQ(elements(past), joined({}, a));
  }
}

TEST(GrowingResults, OtherAxesTypesAndResultsHaveNoRoom) {
  GraphMaker g;
  g.input("p", DType::float32, {1, 2, -1, 3}).input("x", DType::float32, {1, -1, -1, -1});
  g.input("w", DType::float16, {1, 2, -1, 3}).input("z", DType::float16, {1, 2, -1, 3});
  g.node("Concat", {"p", "x"}, {"wide"}, attribute("axis", int64_t{3}));
  g.node("Concat", {"x", "p"}, {"before"}, attribute("axis", int64_t{1}));
  g.node("Concat", {"w", "z"}, {"half"}, attribute("axis", int64_t{2}));
  g.output("wide").output("before").output("half").output("p");
  auto session = session_of(g);
  const Tensor x = random_tensor({1, 2, 4, 3}, 1), h = random_tensor({1, 2, 4, 3}, 1, DType::float16);
  for (const Value& v : run(*session, {x, x, h, h}, {0, 1, 2, 3})) EXPECT_FALSE(v.tensor().has_room());
}

TEST(GrowingResults, MemoryOfTheCallersIsNotWrittenBehindOthers) {
  GraphMaker g;
  g.input("past", DType::float32, {1, 2, -1, 3}).input("x", DType::float32, {1, 2, -1, 3});
  g.node("Concat", {"past", "x"}, {"present"}, attribute("axis", int64_t{2})).node("Neg", {"x"}, {"y"});
  g.output("present").output("y");
  auto session = session_of(g);
  const Tensor a = random_tensor({1, 2, 4, 3}, 1);
  const Tensor past = run(*session, {Tensor::allocate(DType::float32, {1, 2, 0, 3}), a}, {0})[0].tensor();
  RunOptions options;
  options.into = {{1, past}};
  const std::vector<Value> results = session->run(std::vector<Value>{past, a}, std::vector<int>{0, 1}, options);
  EXPECT_NE(results[1].tensor().bytes(), past.bytes());
  EXPECT_EQ(elements(past), joined({}, a));
}

}  // namespace
}  // namespace sardonyx
