// Decision trees: from a row of features to the leaves that it ends in.
#pragma once
#include <vector>

#include "ops/operator.h"

namespace sardonyx {

// Numbered as TreeEnsemble's nodes_modes: how a feature is compared with the node's split.
enum class Branch : uint8_t { leq, lt, gte, gt, eq, neq, member };

struct TreeNode {
  Branch branch = Branch::leq;
  bool missing_is_true = false;  // where NaN goes
  int32_t feature = 0;
  double split = 0;
  std::vector<double> members;  // of Branch::member, ascending
  // The next node, or ~leaf.
  int32_t on_true = -1, on_false = -1;
};

// What a leaf adds to a target.
struct Vote {
  int32_t target = 0;
  double weight = 0;
};

enum class Aggregate : uint8_t { average, sum, min, max };

class Forest {
 public:
  std::vector<TreeNode> nodes;
  std::vector<int32_t> roots;  // nodes, or ~leaf
  std::vector<std::vector<Vote>> leaves;
  int64_t targets = 0;
  Aggregate aggregate = Aggregate::sum;

  // Throws Error (invalid_model) for references that lead nowhere or in circles, features and targets out of range.
  void validate() const;
  // Features that a row must have.
  int64_t features() const noexcept;
  // The number of rows of input 0, [N, F] or [F] of one of `types`, which infer checks.
  int64_t infer_rows(const InferContext& c, DTypeSet types) const;

  // sums[target] = what the leaves of a row's trees give together; voted[target]: did any give something?
  void evaluate(const double* row, double* sums, bool* voted) const noexcept;

 private:
  const std::vector<Vote>& leaf_of(int32_t root, const double* row) const noexcept;
};

// Calls body(row, sums, voted) for each of the rows of x, a numeric tensor.
template <class Body>
void each_row_of(const Forest& forest, ThreadPool& pool, const Tensor& x, int64_t rows, Body&& body) {
  constexpr int64_t kGrain = 32;
  const auto targets = static_cast<size_t>(forest.targets);
  const int64_t columns = rows > 0 ? x.count() / rows : 0;
  const auto blocks = static_cast<size_t>((rows + kGrain - 1) / kGrain);
  std::vector<double> sums(blocks * targets);
  const std::unique_ptr<bool[]> voted(new bool[blocks * targets]);
  pool.parallel_for(rows, kGrain, [&](int64_t from, int64_t to) {
    const size_t at = static_cast<size_t>(from / kGrain) * targets;
    for (; from < to; from++) {
      forest.evaluate(x.data<double>() + from * columns, sums.data() + at, voted.get() + at);
      body(from, sums.data() + at, voted.get() + at);
    }
  });
}

// The forest of a TreeEnsembleRegressor or -Classifier; `votes` is "target" or "class", the prefix of the leaves'
// attributes.
Forest forest_of(const Attributes& attributes, const std::string& votes);
// The forest of TreeEnsemble-5.
Forest forest5_of(const Attributes& attributes);

// A list of floats, which from version 3 on may be a tensor of float32 or float64 instead (`name`_as_tensor).
std::vector<double> reals_of(const Attributes& attributes, const std::string& name);

}  // namespace sardonyx
