// Checking and walking decision trees.
#include "ops/ml/forest.h"

#include <algorithm>
#include <cmath>

namespace sardonyx {
namespace {

bool holds(const TreeNode& node, double x) noexcept {
  if (std::isnan(x)) [[unlikely]]
    return node.missing_is_true;
  switch (node.branch) {
    case Branch::leq:
      return x <= node.split;
    case Branch::lt:
      return x < node.split;
    case Branch::gte:
      return x >= node.split;
    case Branch::gt:
      return x > node.split;
    case Branch::eq:
      return x == node.split;
    case Branch::neq:
      return x != node.split;
    case Branch::member:
      break;
  }
  return std::binary_search(node.members.begin(), node.members.end(), x);
}

}  // namespace

const std::vector<Vote>& Forest::leaf_of(int32_t at, const double* row) const noexcept {
  while (at >= 0) {
    const TreeNode& node = nodes[static_cast<size_t>(at)];
    at = holds(node, row[node.feature]) ? node.on_true : node.on_false;
  }
  return leaves[static_cast<size_t>(~at)];
}

void Forest::evaluate(const double* row, double* sums, bool* voted) const noexcept {
  std::fill_n(sums, targets, 0.0);
  std::fill_n(voted, targets, false);
  for (int32_t root : roots) {
    for (const Vote& vote : leaf_of(root, row)) {
      double& sum = sums[vote.target];
      if (!voted[vote.target]) {
        sum = vote.weight;
      } else if (aggregate == Aggregate::min) {
        sum = std::min(sum, vote.weight);
      } else if (aggregate == Aggregate::max) {
        sum = std::max(sum, vote.weight);
      } else {
        sum += vote.weight;
      }
      voted[vote.target] = true;
    }
  }
  if (aggregate != Aggregate::average) return;
  for (int64_t t = 0; t < targets; t++) sums[t] /= static_cast<double>(roots.size());
}

int64_t Forest::features() const noexcept {
  int64_t most = 0;
  for (const TreeNode& node : nodes) most = std::max<int64_t>(most, int64_t{node.feature} + 1);
  return most;
}

int64_t Forest::infer_rows(const InferContext& c, DTypeSet types) const {
  c.require_inputs(1, 1);
  c.require_dtype(0, types);
  c.require_rank(0, 1, 2);
  check(c.shape(0).back() >= features(), ErrorCode::invalid_model, "the trees look at feature ", features() - 1,
        ", the input has ", c.shape(0).back());
  return c.rank(0) == 1 ? 1 : c.shape(0)[0];
}

void Forest::validate() const {
  constexpr int64_t kMost = int64_t{1} << 24;
  check(targets > 0 && targets <= kMost, ErrorCode::invalid_model, "there are ", targets, " targets");
  for (const auto& leaf : leaves) {
    for (const Vote& v : leaf) {
      check(v.target >= 0 && v.target < targets, ErrorCode::invalid_model, "a leaf is for target ", v.target, " of ",
            targets);
    }
  }
  const auto exists = [&](int32_t at) {
    return at >= 0 ? static_cast<size_t>(at) < nodes.size() : static_cast<size_t>(~at) < leaves.size();
  };
  for (const TreeNode& n : nodes) {
    check(n.feature >= 0, ErrorCode::invalid_model, "a tree looks at feature ", n.feature);
    check(exists(n.on_true) && exists(n.on_false), ErrorCode::invalid_model, "a branch of a tree leads nowhere");
  }
  enum : uint8_t { fresh, open, done };
  std::vector<uint8_t> state(nodes.size(), fresh);
  std::vector<int32_t> path;
  for (int32_t root : roots) {
    check(exists(root), ErrorCode::invalid_model, "there is no root ", root);
    if (root >= 0) path.push_back(root);
    while (!path.empty()) {
      const auto at = static_cast<size_t>(path.back());
      if (state[at] != fresh) {
        state[at] = done;
        path.pop_back();
        continue;
      }
      state[at] = open;
      for (int32_t next : {nodes[at].on_true, nodes[at].on_false}) {
        if (next < 0 || state[static_cast<size_t>(next)] == done) continue;
        check(state[static_cast<size_t>(next)] == fresh, ErrorCode::invalid_model, "a tree is a circle");
        path.push_back(next);
      }
    }
  }
}

}  // namespace sardonyx
