// Trees as the attributes of the three operators encode them.
#include <algorithm>
#include <cmath>
#include <map>

#include "ops/ml/forest.h"
#include "ops/util/convert.h"

namespace sardonyx {
namespace {

// Element i; where the list is empty, `otherwise`.
template <class T>
T at_or(const std::vector<T>& list, size_t i, T otherwise) {
  return list.empty() ? otherwise : list[i];
}

int32_t narrow(int64_t value) {
  check(value >= 0 && value <= INT32_MAX, ErrorCode::invalid_model, "a tree has the number ", value);
  return static_cast<int32_t>(value);
}

void require_length(std::string_view name, size_t length, size_t wanted, bool optional = false) {
  if (optional && length == 0) return;
  check(length == wanted, ErrorCode::invalid_model, "attribute \"", name, "\" has ", length, " values, not ", wanted);
}

std::vector<double> doubles_of(const Attributes& a, std::string_view name) {
  const Tensor& t = a.tensor(name);
  check((kFloat - DTypeSet{DType::bfloat16}).has(t.dtype()), ErrorCode::invalid_model, "attribute \"", name,
        "\" is of ", t.dtype());
  const Tensor d = convert(t, DType::float64);
  const auto values = d.values<double>();
  return {values.begin(), values.end()};
}

// What (tree, node) pairs stand for: nodes (>= 0), or ~leaf.
using Places = std::map<std::pair<int64_t, int64_t>, int32_t>;

int32_t place_of(const Places& places, int64_t tree, int64_t node) {
  const auto it = places.find({tree, node});
  check(it != places.end(), ErrorCode::invalid_model, "tree ", tree, " has no node ", node);
  return it->second;
}

Branch branch_of(const std::string& name) {
  constexpr std::string_view kNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",   "BRANCH_GT",
                                         "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER"};
  const auto it = std::find(std::begin(kNames), std::end(kNames), name);
  check(it != std::end(kNames), ErrorCode::invalid_model, "attribute \"nodes_modes\" has \"", name, "\"");
  return static_cast<Branch>(it - kNames);
}

// The nodes and roots; returns where each (tree, node) is. Each tree's first node is its root.
Places read_nodes(const Attributes& a, Forest& forest) {
  const auto trees = a.ints("nodes_treeids"), ids = a.ints("nodes_nodeids"), features = a.ints("nodes_featureids");
  const auto on_true = a.ints("nodes_truenodeids"), on_false = a.ints("nodes_falsenodeids");
  const auto missing = a.ints("nodes_missing_value_tracks_true");
  const auto modes = a.strings("nodes_modes");
  const auto values = reals_of(a, "nodes_values");
  a.ignore("nodes_hitrates");
  if (a.since >= 3) a.ignore("nodes_hitrates_as_tensor");
  const size_t count = ids.size();
  require_length("nodes_treeids", trees.size(), count);
  require_length("nodes_featureids", features.size(), count);
  require_length("nodes_truenodeids", on_true.size(), count);
  require_length("nodes_falsenodeids", on_false.size(), count);
  require_length("nodes_modes", modes.size(), count);
  require_length("nodes_values", values.size(), count);
  require_length("nodes_missing_value_tracks_true", missing.size(), count, true);

  Places places;
  std::map<int64_t, int32_t> roots;
  int32_t nodes = 0;
  for (size_t i = 0; i < count; i++) {
    const bool leaf = modes[i] == "LEAF";
    const int32_t place = leaf ? ~static_cast<int32_t>(forest.leaves.size()) : nodes++;
    if (leaf) forest.leaves.emplace_back();
    check(places.emplace(std::pair(trees[i], ids[i]), place).second, ErrorCode::invalid_model, "tree ", trees[i],
          " has two nodes ", ids[i]);
    roots.emplace(trees[i], place);
  }
  for (size_t i = 0; i < count; i++) {
    if (modes[i] == "LEAF") continue;
    TreeNode node;
    node.branch = branch_of(modes[i]);
    check(node.branch != Branch::member, ErrorCode::invalid_model, "BRANCH_MEMBER came with TreeEnsemble-5");
    node.missing_is_true = at_or<int64_t>(missing, i, 0) != 0;
    node.feature = narrow(features[i]);
    node.split = values[i];
    node.on_true = place_of(places, trees[i], on_true[i]);
    node.on_false = place_of(places, trees[i], on_false[i]);
    forest.nodes.push_back(std::move(node));
  }
  for (const auto& [tree, root] : roots) forest.roots.push_back(root);
  return places;
}

// The members of each set, delimited by NaN.
void read_members(const Attributes& a, Forest& forest) {
  const auto members = a.has("membership_values") ? doubles_of(a, "membership_values") : std::vector<double>();
  auto at = members.begin();
  for (TreeNode& node : forest.nodes) {
    if (node.branch != Branch::member) continue;
    check(at != members.end(), ErrorCode::invalid_model, "attribute \"membership_values\" has too few sets");
    const auto end = std::find_if(at, members.end(), [](double v) { return std::isnan(v); });
    node.members.assign(at, end);
    std::sort(node.members.begin(), node.members.end());
    at = end == members.end() ? end : end + 1;
  }
}

}  // namespace

std::vector<double> reals_of(const Attributes& a, const std::string& name) {
  const std::string tensor = name + "_as_tensor";
  if (a.since >= 3 && a.has(tensor)) return doubles_of(a, tensor);
  const auto floats = a.floats(name);
  return {floats.begin(), floats.end()};
}

Forest forest_of(const Attributes& a, const std::string& votes) {
  Forest forest;
  const Places places = read_nodes(a, forest);
  const auto trees = a.ints(votes + "_treeids"), nodes = a.ints(votes + "_nodeids"), ids = a.ints(votes + "_ids");
  const auto weights = reals_of(a, votes + "_weights");
  require_length(votes + "_treeids", trees.size(), ids.size());
  require_length(votes + "_nodeids", nodes.size(), ids.size());
  require_length(votes + "_weights", weights.size(), ids.size());
  for (size_t i = 0; i < ids.size(); i++) {
    const int32_t leaf = place_of(places, trees[i], nodes[i]);
    check(leaf < 0, ErrorCode::invalid_model, "node ", nodes[i], " of tree ", trees[i], " has a weight and is no leaf");
    forest.leaves[static_cast<size_t>(~leaf)].push_back({narrow(ids[i]), weights[i]});
  }
  return forest;
}

Forest forest5_of(const Attributes& a) {
  Forest forest;
  const auto features = a.ints("nodes_featureids"), missing = a.ints("nodes_missing_value_tracks_true");
  const auto on_true = a.ints("nodes_truenodeids"), on_false = a.ints("nodes_falsenodeids");
  const auto true_leaf = a.ints("nodes_trueleafs"), false_leaf = a.ints("nodes_falseleafs");
  const auto splits = doubles_of(a, "nodes_splits"), weights = doubles_of(a, "leaf_weights");
  const auto targets = a.ints("leaf_targetids");
  const Tensor& modes = a.tensor("nodes_modes");
  a.ignore("nodes_hitrates");
  const size_t count = features.size();
  check(modes.dtype() == DType::uint8, ErrorCode::invalid_model, "attribute \"nodes_modes\" is of ", modes.dtype());
  require_length("nodes_modes", static_cast<size_t>(modes.count()), count);
  require_length("nodes_splits", splits.size(), count);
  require_length("nodes_truenodeids", on_true.size(), count);
  require_length("nodes_falsenodeids", on_false.size(), count);
  require_length("nodes_trueleafs", true_leaf.size(), count);
  require_length("nodes_falseleafs", false_leaf.size(), count);
  require_length("nodes_missing_value_tracks_true", missing.size(), count, true);
  require_length("leaf_targetids", targets.size(), weights.size());

  for (size_t i = 0; i < count; i++) {
    TreeNode node;
    const uint8_t mode = modes.data<uint8_t>()[i];
    check(mode <= static_cast<uint8_t>(Branch::member), ErrorCode::invalid_model, "attribute \"nodes_modes\" has ",
          int{mode});
    node.branch = static_cast<Branch>(mode);
    node.missing_is_true = at_or<int64_t>(missing, i, 0) != 0;
    node.feature = narrow(features[i]);
    node.split = splits[i];
    node.on_true = true_leaf[i] ? ~narrow(on_true[i]) : narrow(on_true[i]);
    node.on_false = false_leaf[i] ? ~narrow(on_false[i]) : narrow(on_false[i]);
    forest.nodes.push_back(std::move(node));
  }
  read_members(a, forest);
  for (size_t i = 0; i < weights.size(); i++) forest.leaves.push_back({{narrow(targets[i]), weights[i]}});
  for (int64_t root : a.ints("tree_roots")) forest.roots.push_back(narrow(root));
  return forest;
}

}  // namespace sardonyx
