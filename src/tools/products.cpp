// Products of one value with several constant matrices, as those of an attention's query, key and value.
#include <algorithm>
#include <map>

#include "tools/elements.h"
#include "tools/simplify.h"

namespace sardonyx::tools {
namespace {

constexpr size_t kFewest = 3;  // two products and their results in one are no fewer nodes

// A constant's elements as raw_data has them; null where they are elsewhere.
const std::string* packed(const pb::TensorProto* tensor) {
  return tensor && Elements(*tensor).readable() && tensor->has_raw_data() ? &tensor->raw_data() : nullptr;
}

struct Product {
  int node;
  int sum = -1;  // the Add of a row that is all that uses it
  const pb::TensorProto* matrix = nullptr;
  const pb::TensorProto* row = nullptr;
};

// The Adds of a row that have a product as their only other input, by that product's name.
std::map<std::string, Product> sums_of(const Editor& graph, const pb::GraphProto& g) {
  std::map<std::string, Product> sums;
  for (int i = 0; i < g.node_size(); i++) {
    const pb::NodeProto& n = g.node(i);
    if (graph.is_removed(i) || !is_op(n, "Add") || n.input_size() != 2) continue;
    for (const int k : {0, 1}) {
      const auto* row = graph.constant(n.input(k));
      if (packed(row) && row->dims_size() == 1) sums[n.input(1 - k)] = {-1, i, nullptr, row};
    }
  }
  return sums;
}

// Rows of several matrices side by side; of vectors, one after the other.
pb::TensorProto side_by_side(const std::vector<const pb::TensorProto*>& parts) {
  pb::TensorProto all;
  all.set_data_type(parts[0]->data_type());
  const bool is_matrix = parts[0]->dims_size() == 2;
  const int64_t rows = is_matrix ? parts[0]->dims(0) : 1;
  int64_t columns = 0;
  for (const auto* part : parts) columns += part->dims(part->dims_size() - 1);
  if (is_matrix) all.add_dims(rows);
  all.add_dims(columns);
  std::string& bytes = *all.mutable_raw_data();
  for (int64_t r = 0; r < rows; r++) {
    for (const auto* part : parts) {
      const size_t width = part->raw_data().size() / static_cast<size_t>(rows);
      bytes.append(part->raw_data(), static_cast<size_t>(r) * width, width);
    }
  }
  return all;
}

void join(Editor& graph, const Facts& facts, const std::vector<Product>& products) {
  std::vector<const pb::TensorProto*> matrices, rows;
  std::vector<int64_t> widths;
  pb::NodeProto split;
  for (const Product& p : products) {
    matrices.push_back(p.matrix);
    widths.push_back(p.matrix->dims(1));
    if (p.row) rows.push_back(p.row);
    split.add_output(graph.node(p.sum < 0 ? p.node : p.sum).output(0));
  }
  const int first = products[0].node;
  pb::NodeProto product = graph.node(first);
  std::string made = graph.fresh_name(product.output(0) + "_all");
  product.set_output(0, made);
  product.set_input(1, graph.add_constant(product.input(1) + "_all", side_by_side(matrices)));
  pb::NodeProto sum;
  if (!rows.empty()) {
    sum = graph.node(products[0].sum);
    sum.clear_input();
    sum.add_input(made);
    sum.add_input(graph.add_constant(made + "_row", side_by_side(rows)));
    made = graph.fresh_name(sum.output(0) + "_all");
    sum.set_output(0, made);
  }
  split.set_op_type("Split");
  split.set_name(made + "_split");
  split.add_input(made);
  auto* axis = split.add_attribute();
  axis->set_name("axis");
  axis->set_type(pb::AttributeProto::INT);
  axis->set_i(-1);
  if (facts.opset < 13) {
    set_ints(split, "split", widths);
  } else {
    auto sizes = int_tensor(pb::TensorProto::INT64, widths, {std::ssize(widths)});
    split.add_input(graph.add_constant(made + "_sizes", std::move(sizes)));
  }
  for (const Product& p : products) {
    graph.remove(p.node);
    if (p.sum >= 0) graph.remove(p.sum);
  }
  graph.add_node(std::move(product), first);
  if (!rows.empty()) graph.add_node(std::move(sum), first);
  graph.add_node(std::move(split), first);
}

}  // namespace

bool merge_products(Editor& graph, const Facts& facts) {
  if (facts.opset < 11) return false;  // Split of a last axis whose number is not known
  const auto sums = sums_of(graph, facts.graph);
  // By what makes them fit: the input, the type, the rows, whether a row is added.
  std::map<std::tuple<std::string, int32_t, int64_t, bool>, std::vector<Product>> groups;
  for (int i = 0; i < graph.size(); i++) {
    const pb::NodeProto& n = graph.node(i);
    if (graph.is_removed(i) || !is_op(n, "MatMul") || n.input_size() != 2 || graph.constant(n.input(0))) continue;
    Product product{i, -1, graph.constant(n.input(1)), nullptr};
    if (!packed(product.matrix) || product.matrix->dims_size() != 2 || graph.uses(n.input(1)) != 1) continue;
    if (product.matrix->dims(0) < 1 || product.matrix->dims(1) < 1) continue;
    const auto sum = sums.find(n.output(0));
    if (sum != sums.end() && graph.uses(n.output(0)) == 1 && sum->second.row->dims(0) == product.matrix->dims(1)) {
      product.sum = sum->second.sum;
      product.row = sum->second.row;
    }
    groups[{n.input(0), product.matrix->data_type(), product.matrix->dims(0), product.sum >= 0}].push_back(product);
  }
  bool changed = false;
  for (const auto& [key, products] : groups) {
    if (products.size() < kFewest) continue;
    join(graph, facts, products);
    changed = true;
  }
  return changed;
}

}  // namespace sardonyx::tools
