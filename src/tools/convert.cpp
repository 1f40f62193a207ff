// The versions of operators that moved attributes to inputs, and those that changed what they mean.
#include "tools/convert.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "tools/check.h"
#include "tools/editor.h"
#include "tools/model_file.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

using Ints = std::vector<int64_t>;

// An attribute that became an input in `version`.
struct Move {
  std::string_view op, attribute;
  int version;
  int input;
};
constexpr Move kMoves[] = {
    {"Squeeze", "axes", 13, 1},
    {"Unsqueeze", "axes", 13, 1},
    {"Split", "split", 13, 1},
    {"ReduceSum", "axes", 13, 1},
    {"ReduceMax", "axes", 18, 1},
    {"ReduceMin", "axes", 18, 1},
    {"ReduceMean", "axes", 18, 1},
    {"ReduceProd", "axes", 18, 1},
    {"ReduceL1", "axes", 18, 1},
    {"ReduceL2", "axes", 18, 1},
    {"ReduceLogSum", "axes", 18, 1},
    {"ReduceLogSumExp", "axes", 18, 1},
    {"ReduceSumSquare", "axes", 18, 1},
    {"Pad", "pads", 11, 1},
    {"Pad", "value", 11, 2},
    {"Clip", "min", 11, 1},
    {"Clip", "max", 11, 2},
    {"Slice", "starts", 10, 1},
    {"Slice", "ends", 10, 2},
    {"Slice", "axes", 10, 3},
    {"TopK", "k", 10, 1},
    {"Dropout", "ratio", 12, 1},
};

// Versions with the same form that mean something else, and those that say nothing of a form before.
struct Break {
  std::string_view op;
  int version;
};
constexpr Break kBreaks[] = {
    {"Softmax", 13},
    {"LogSoftmax", 13},
    {"Hardmax", 13},
    {"Resize", 11},
    {"Resize", 19},
    {"Upsample", 9},
    {"BatchNormalization", 7},
    {"BatchNormalization", 9},
    {"BatchNormalization", 14},
    {"Dropout", 7},
    {"Gemm", 7},
    {"Add", 7},
    {"Sub", 7},
    {"Mul", 7},
    {"Div", 7},
    {"Pow", 7},
    {"And", 7},
    {"Or", 7},
    {"Xor", 7},
    {"Equal", 7},
    {"Greater", 7},
    {"Less", 7},
    {"PRelu", 7},
    {"PRelu", 9},
    {"Scan", 9},
    {"OneHot", 11},
    {"Loop", 11},
    {"TopK", 11},
    {"GroupNormalization", 21},
    {"RNN", 7},
    {"GRU", 7},
    {"LSTM", 7},
    {"AveragePool", 7},
    {"Reshape", 5},
    {"Concat", 4},
    {"Cast", 6},
    {"Tile", 6},
    {"Sum", 8},
    {"Max", 8},
    {"Min", 8},
    {"Mean", 8},
    {"DepthToSpace", 11},
    {"NonMaxSuppression", 11},
    {"Gather", 11},
    {"GatherElements", 13},
    {"RoiAlign", 16},
    {"GridSample", 20},
    {"AffineGrid", 20},
    {"Attention", 24},
    {"CumSum", 14},
};

class Converter {
 public:
  Converter(pb::ModelProto& model, int64_t from, int64_t to) : model_(model), from_(from), to_(to) {
    for (const auto& f : model.functions()) functions_.insert(function_key(f.domain(), f.name(), f.overload()));
  }

  void run() {
    graph(*model_.mutable_graph());
    check(problems_.empty(), ErrorCode::invalid_argument, "version ", to_, " of ai.onnx means something else for ",
          problems_);
    for (auto& o : *model_.mutable_opset_import())
      if (short_domain(o.domain()).empty()) o.set_version(to_);
  }

 private:
  void graph(pb::GraphProto& g) {
    for (const auto* list : {&g.output(), &g.input(), &g.value_info()})
      for (const auto& v : *list) types_[v.name()] = v.type().tensor_type().elem_type();
    const int nodes = g.node_size();
    for (int i = 0; i < nodes; i++) {
      pb::NodeProto& n = *g.mutable_node(i);
      for_each_subgraph(n, [&](pb::GraphProto& inner) { graph(inner); });
      if (short_domain(n.domain()).empty() && !is_function(n)) node(n, g);
    }
  }

  bool is_function(const pb::NodeProto& n) const {
    return functions_.contains(function_key(n.domain(), n.op_type(), n.overload()));
  }

  void refuse(const pb::NodeProto& n) {
    const std::string name = n.name().empty() && !n.output().empty() ? n.output(0) : n.name();
    problems_ += cat(problems_.empty() ? "" : ", ", n.op_type(), " \"", name, "\"");
  }

  void node(pb::NodeProto& n, pb::GraphProto& g) {
    const OperatorSchema* old_form = schemas_.find("", n.op_type(), from_);
    const OperatorSchema* new_form = schemas_.find("", n.op_type(), to_);
    if (!old_form || !new_form || new_form->deprecated) return refuse(n);
    if (old_form->since == new_form->since) return;
    for (const Break& b : kBreaks)
      if (b.op == n.op_type() && b.version > from_ && b.version <= to_ && !still_means(n, b)) return refuse(n);
    for (const Move& m : kMoves)
      if (m.op == n.op_type() && m.version > from_ && m.version <= to_ && !move(n, m, g)) return refuse(n);
    if (n.op_type() == "Split" && to_ >= 18 && from_ < 18) split_parts(n);
    while (n.input_size() > 0 && n.input(n.input_size() - 1).empty()) n.mutable_input()->RemoveLast();
    for (const auto& a : n.attribute())
      if (!new_form->attribute(a.name())) return refuse(n);
    const Arity inputs = arity_of(new_form->inputs);
    if (n.input_size() < inputs.least || (inputs.most >= 0 && n.input_size() > inputs.most)) refuse(n);
  }

  // Breaks that do not touch this node.
  static bool still_means(const pb::NodeProto& n, const Break& b) {
    if (b.op == "Softmax" || b.op == "LogSoftmax" || b.op == "Hardmax") return int_attribute(n, "axis", 1) == -1;
    if (b.op == "TopK" || b.op == "Gather" || b.op == "GatherElements" || b.op == "CumSum" || b.op == "Loop")
      return true;
    if (b.op == "DepthToSpace" || b.op == "NonMaxSuppression") return true;
    return false;
  }

  // Split into equal parts had no attribute; now their number is said.
  static void split_parts(pb::NodeProto& n) {
    if (n.input_size() > 1 && !n.input(1).empty()) return;
    auto& a = *n.add_attribute();
    a.set_name("num_outputs");
    a.set_type(pb::AttributeProto::INT);
    a.set_i(n.output_size());
  }

  bool move(pb::NodeProto& n, const Move& m, pb::GraphProto& g) {
    const auto* a = attribute(n, m.attribute);
    if (!a && m.op == "Clip") return true;
    if (!a) return m.attribute != "starts" && m.attribute != "ends" && m.attribute != "k" && m.attribute != "pads";
    if (n.input_size() > m.input && !n.input(m.input).empty()) return false;
    if (n.output().empty() || (m.op == "Clip" && !is_float32(n))) return false;
    pb::TensorProto t;
    if (a->type() == pb::AttributeProto::INTS)
      t = int_tensor(pb::TensorProto::INT64, {a->ints().begin(), a->ints().end()}, {a->ints_size()});
    else if (a->type() == pb::AttributeProto::INT)
      t = int_tensor(pb::TensorProto::INT64, {a->i()}, {1});
    else
      t = float_tensor({a->f()}, {});
    if (a->type() == pb::AttributeProto::FLOAT && m.op == "Pad" && !is_float32(n)) return false;
    t.set_name(cat(n.output(0), "_", m.attribute, "_of_", n.op_type()));
    while (n.input_size() <= m.input) n.add_input();
    n.set_input(m.input, t.name());
    *g.add_initializer() = std::move(t);
    for (int k = 0; k < n.attribute_size(); k++) {
      if (n.attribute(k).name() != m.attribute) continue;
      n.mutable_attribute()->DeleteSubrange(k, 1);
      break;
    }
    return true;
  }

  // Float attributes become inputs of the type of the data: is it float32, as far as the model says?
  bool is_float32(const pb::NodeProto& n) const {
    auto found = n.input().empty() ? types_.end() : types_.find(n.input(0));
    if (found == types_.end()) found = types_.find(n.output(0));
    return found != types_.end() && found->second == pb::TensorProto::FLOAT;
  }

  pb::ModelProto& model_;
  int64_t from_, to_;
  Schemas schemas_;
  std::unordered_set<std::string> functions_;
  std::unordered_map<std::string, int> types_;  // element types, as the model states them
  std::string problems_;
};

}  // namespace

void convert_opset(pb::ModelProto& model, int64_t version) {
  const Schemas schemas;
  int64_t from = 0;
  for (const auto& o : model.opset_import())
    if (short_domain(o.domain()).empty()) from = o.version();
  check(from > 0, ErrorCode::invalid_argument, "the model imports no version of ai.onnx");
  check(version >= from, ErrorCode::invalid_argument, "the model has version ", from, " of ai.onnx; ", version,
        " is older, and the way is upwards only");
  check(version <= schemas.newest(""), ErrorCode::invalid_argument, "there is no version ", version, " of ai.onnx");
  pb::ModelProto changed = model;
  Converter(changed, from, version).run();
  if (changed.ir_version() < 4) changed.set_ir_version(4);  // constants are no inputs
  model = std::move(changed);
}

}  // namespace sardonyx::tools
