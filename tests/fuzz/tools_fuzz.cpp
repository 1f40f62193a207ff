// Fuzz target: whatever the bytes are, every tool ends in an answer or in an Error. Half of the changes are of messages
// (other operators, names, sizes), so that most inputs are models.
//
//   tools_fuzz -max_total_time=60 -timeout=10 -rss_limit_mb=2048 FOLDER
#include <random>

#include "tests/cpp/tools_bench.h"
#include "tests/fuzz/seed_folder.h"
#include "tests/fuzz/seeds.h"

using namespace sardonyx;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace {

constexpr const char* kTypes[] = {"Identity", "Cast",   "Transpose", "Reshape",  "Squeeze",   "Unsqueeze",
                                  "Flatten",  "Expand", "Slice",     "Pad",      "Conv",      "MatMul",
                                  "Gemm",     "Add",    "Mul",       "Sub",      "Div",       "Dropout",
                                  "Concat",   "Split",  "Shape",     "Gather",   "Constant",  "BatchNormalization",
                                  "If",       "Loop",   "Clip",      "Softmax",  "ReduceSum", "ConstantOfShape",
                                  "Range",    "Where",  "Equal",     "Size",     "Upsample",  "ReduceMax",
                                  "NonZero",  "OneHot", "TopK",      "RoiAlign", "Compress",  "Unique",
                                  "Tile",     "Resize", "GatherND",  "CumSum",   "ScatterND", "ReduceProd"};
constexpr const char* kAttributes[] = {"axis", "axes", "perm", "pads", "to", "kernel_shape", "value", "start", "end"};

// Changes of a model's message.
class Changer {
 public:
  Changer(pb::ModelProto& model, unsigned seed) : model_(model), random_(seed) {}

  void run() {
    for (int times = below(4) + 1; times > 0; times--) change(*model_.mutable_graph());
  }

 private:
  int below(int n) { return n <= 0 ? 0 : static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int64_t size() {
    constexpr int64_t kSizes[] = {0, 1, 2, 3, -1, -2, 7, 64, 1 << 20, int64_t{1} << 59, INT64_MAX, INT64_MIN};
    return kSizes[below(std::size(kSizes))];
  }

  // Any name of the graph, or none.
  std::string name(const pb::GraphProto& g) {
    std::vector<std::string> names{"", "new"};
    for (const auto& v : g.input()) names.push_back(v.name());
    for (const auto& t : g.initializer()) names.push_back(t.name());
    for (const auto& n : g.node()) names.insert(names.end(), n.output().begin(), n.output().end());
    return names[static_cast<size_t>(below(static_cast<int>(names.size())))];
  }

  void change(pb::GraphProto& g) {
    if (g.node().empty() || below(8) == 0) return add(g);
    pb::NodeProto& n = *g.mutable_node(below(g.node_size()));
    for (auto& a : *n.mutable_attribute())
      if (a.has_g() && below(2)) return change(*a.mutable_g());
    switch (below(10)) {
      case 0:
        return n.set_op_type(kTypes[below(std::size(kTypes))]);
      case 1:
        if (n.input_size() > 0) n.set_input(below(n.input_size()), name(g));
        return;
      case 2:
        return n.add_input(name(g));
      case 3:
        if (n.input_size() > 0) n.mutable_input()->RemoveLast();
        return;
      case 4:
        if (g.output_size() > 0) g.mutable_output(below(g.output_size()))->set_name(name(g));
        return;
      case 5:
        if (g.initializer_size() > 0) sizes(*g.mutable_initializer(below(g.initializer_size()))->mutable_dims());
        return;
      case 6:
        if (g.input_size() > 0) {
          auto& type = *g.mutable_input(below(g.input_size()))->mutable_type()->mutable_tensor_type();
          if (type.shape().dim().empty() || below(3) == 0) type.mutable_shape()->add_dim();
          auto& dim = *type.mutable_shape()->mutable_dim(below(type.shape().dim_size()));
          below(2) ? dim.set_dim_value(size()) : dim.set_dim_param(below(2) ? "n" : "m");
        }
        return;
      case 7:
        return g.mutable_node()->SwapElements(below(g.node_size()), below(g.node_size()));
      default:
        return attribute(n);
    }
  }

  void sizes(google::protobuf::RepeatedField<int64_t>& list) {
    if (list.empty() || below(3) == 0) list.Add(0);
    list.Set(below(list.size()), size());
  }

  void attribute(pb::NodeProto& n) {
    if (n.attribute().empty() || below(4) == 0) n.add_attribute()->set_name(kAttributes[below(std::size(kAttributes))]);
    auto& a = *n.mutable_attribute(below(n.attribute_size()));
    if (below(2)) {
      a.set_type(pb::AttributeProto::INT);
      a.set_i(size());
    } else {
      a.set_type(pb::AttributeProto::INTS);
      sizes(*a.mutable_ints());
    }
  }

  void add(pb::GraphProto& g) {
    pb::NodeProto& n = *g.add_node();
    n.set_op_type(kTypes[below(std::size(kTypes))]);
    for (int inputs = below(4); inputs > 0; inputs--) n.add_input(name(g));
    n.add_output(below(4) ? cat("v", below(1000)) : name(g));
    if (g.output_size() > 0 && below(2)) g.mutable_output(0)->set_name(n.output(0));
  }

  pb::ModelProto& model_;
  std::mt19937 random_;
};

template <class Job>
void tolerant(const Job& job) {
  try {
    job();
  } catch (const Error& e) {
    if (e.message().empty()) __builtin_trap();
  }
}

void use_all(std::string_view bytes, size_t size) {
  testing::ToolsBench bench(bytes);
  tolerant([&] { bench.call({"describe"}); });
  tolerant([&] { bench.check(); });
  tolerant([&] { bench.call({"infer"}, bench.report()); });
  tolerant([&] { bench.call({"print", size % 2 ? "exact" : "short"}); });
  const pb::ModelProto model = bench.model();
  const pb::GraphProto& g = model.graph();
  tolerant([&] {
    testing::ToolsBench other(bench.call({"bytes"}));
    const pb::NodeProto middle = g.node().empty() ? pb::NodeProto() : g.node(g.node_size() / 2);
    if (middle.input_size() > 0 && middle.output_size() > 0)
      other.call({"extract", "1", middle.input(0), middle.output(0)});
  });
  tolerant([&] { testing::ToolsBench(bytes).call({"convert", size % 2 ? "25" : "18"}); });
  tolerant([&] {
    testing::ToolsBench other(bytes);
    other.call({"move_out", "w.bin", "4"});
    other.call({"externals"});
    other.call({"inline", "0"}, "1234");
    other.call({"inlined"});
  });
  tolerant([&] {
    if (g.input_size() > 0) bench.call({"fix_input", g.input(0).name(), "2", "3"});
  });
  tolerant([&] { bench.simplify(); });
  tolerant([&] { bench.call({"constant_part", "1000"}, bench.report()); });
  tolerant([&] { bench.call({"computed"}, bytes); });
  tolerant([&] { bench.call({"simplify", "1", "1", "1"}, bytes); });  // whatever stands for the engine's report
  tolerant([&] { bench.call({"count"}); });
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  testing::write_seeds(*argc, *argv, testing::fuzz_seeds());
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  pb::ModelProto model;
  if (seed % 2 || !model.ParsePartialFromArray(data, static_cast<int>(size))) return LLVMFuzzerMutate(data, size, most);
  Changer(model, seed).run();
  const std::string bytes = model.SerializePartialAsString();
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tolerant([&] { use_all({reinterpret_cast<const char*>(data), size}, size); });
  return 0;
}
