// Every operator of the registry on inputs of every kind: an answer or an Error, never a crash; the same answer twice;
// the same answer when the output is written over an input.
#include <cstring>
#include <random>
#include <set>

#include "op_runner.h"
#include "ops/subgraph_runs.h"

namespace sardonyx::testing {
namespace {

struct Name {
  std::string domain, type;
  int since;
};

std::vector<Name> all_operators() {
  std::vector<Name> names;
  for (const std::string& full : implemented_operators()) {
    const size_t dash = full.rfind('-'), dot = full.rfind('.', dash);
    const bool has_domain = dot != std::string::npos;
    names.push_back({has_domain ? full.substr(0, dot) : "",
                     full.substr(has_domain ? dot + 1 : 0, dash - (has_domain ? dot + 1 : 0)),
                     std::stoi(full.substr(dash + 1))});
  }
  return names;
}

using Random = std::mt19937;

template <class T>
const T& pick(Random& random, const std::vector<T>& from) {
  return from[random() % from.size()];
}

// Attributes that many operators have, and values that some of them take.
const std::vector<std::pair<std::string, std::vector<AttributeValue>>>& attributes() {
  using Ints = std::vector<int64_t>;
  using Floats = std::vector<float>;
  static const auto* list = new std::vector<std::pair<std::string, std::vector<AttributeValue>>>{
      {"axis", {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{-2}, int64_t{7}, int64_t{-9}}},
      {"axes", {Ints{0}, Ints{-1}, Ints{0, 1}, Ints{}, Ints{1, 1}, Ints{9}}},
      {"keepdims", {int64_t{0}, int64_t{1}}},
      {"to", {int64_t{1}, int64_t{7}, int64_t{10}, int64_t{9}, int64_t{8}, int64_t{3}, int64_t{17}, int64_t{99}}},
      {"kernel_shape", {Ints{2, 2}, Ints{1}, Ints{3, 1}, Ints{0, 1}, Ints{1, 1, 1}}},
      {"pads", {Ints{0, 0, 0, 0}, Ints{1, 1, 1, 1}, Ints{1, 0}, Ints{-1, 0, 0, 0}}},
      {"strides", {Ints{1}, Ints{2, 2}, Ints{0, 1}}},
      {"dilations", {Ints{2}, Ints{1, 2}}},
      {"auto_pad", {std::string("SAME_UPPER"), std::string("VALID")}},
      {"group", {int64_t{1}, int64_t{2}, int64_t{0}}},
      {"blocksize", {int64_t{2}, int64_t{0}, int64_t{1}}},
      {"size", {int64_t{1}, int64_t{3}}},
      {"perm", {Ints{0}, Ints{1, 0}, Ints{0, 2, 1, 3}, Ints{0, 0}}},
      {"shape", {Ints{2, 3}, Ints{0}, Ints{-1, 2}, Ints{}}},
      {"split", {Ints{1, 1}, Ints{2, 1}, Ints{0, 0}}},
      {"num_outputs", {int64_t{1}, int64_t{2}}},
      {"starts", {Ints{0}, Ints{-5, 1}}},
      {"ends", {Ints{1}, Ints{99, 2}}},
      {"mode", {std::string("nearest"), std::string("linear"), std::string("reflect"), std::string("edge")}},
      {"scales", {Floats{1, 1, 2, 2}, Floats{2}, Floats{}, Floats{0, -1}}},
      {"num_groups", {int64_t{1}, int64_t{2}, int64_t{0}}},
      {"hidden_size", {int64_t{1}, int64_t{2}, int64_t{0}}},
      {"broadcast", {int64_t{1}}},
      {"direction", {std::string("LEFT"), std::string("RIGHT"), std::string("bidirectional")}},
      {"alpha", {0.5f, -1.0f, NAN}},
      {"beta", {0.5f, 0.0f}},
      {"epsilon", {1e-3f, 0.0f}},
      {"exclusive", {int64_t{1}}},
      {"reverse", {int64_t{1}}},
      {"p", {int64_t{1}, int64_t{2}, int64_t{0}}},
      {"k", {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{-1}}},
      {"largest", {int64_t{0}}},
      {"sorted", {int64_t{0}, int64_t{1}}},
      {"upper", {int64_t{0}}},
      {"ceil_mode", {int64_t{1}}},
      {"batch_dims", {int64_t{1}, int64_t{5}}},
      {"batch_axis", {int64_t{0}, int64_t{1}, int64_t{4}}},
      {"time_axis", {int64_t{0}, int64_t{1}, int64_t{4}}},
      {"reduction", {std::string("add"), std::string("none"), std::string("sum")}},
      {"equation", {std::string("ij,jk->ik"), std::string("...i"), std::string("ii->i"), std::string("a,,b->")}},
      {"fmod", {int64_t{1}}},
      {"block_size", {int64_t{0}, int64_t{2}}},
      {"transA", {int64_t{1}}},
      {"transB", {int64_t{1}}},
      {"value", {Tensor::scalar<float>(1), Tensor::of(Ints{2})}},
      {"detect_negative", {int64_t{0}}},
      {"norm", {std::string("L1"), std::string("MAX")}},
      {"output_height", {int64_t{2}, int64_t{0}}},
      {"pooled_shape", {Ints{2, 2}, Ints{0}}},
      {"q_num_heads", {int64_t{1}, int64_t{2}}},
      {"kv_num_heads", {int64_t{1}, int64_t{2}}},
      {"num_heads", {int64_t{1}, int64_t{2}}},
      {"output_size", {int64_t{2}}},
      {"onesided", {int64_t{0}, int64_t{1}}},
      {"inverse", {int64_t{1}}},
      {"output_shape", {Ints{2, 2}, Ints{-1}}},
      {"output_padding", {Ints{1, 1}, Ints{0}}},
      {"classlabels_ints", {Ints{0, 1, 2}}},
      {"coefficients", {Floats{1, 2, 3}}},
      {"inputdimensions", {Ints{1, 2}}},
  };
  return *list;
}

Tensor random_input(Random& random, DType type, const Shape& shape) {
  Tensor t = Tensor::allocate(type, shape);
  if (type == DType::string) {
    for (int64_t i = 0; i < t.count(); i++)
      t.data<std::string>()[i] = pick<std::string>(random, {"", "a", "b c", "-1"});
    return t;
  }
  if (t.byte_size()) memset(t.bytes(), 0, t.byte_size());
  const std::vector<float> values = random() % 4 == 0
                                        ? std::vector<float>{NAN, INFINITY, -INFINITY, 0, -0.0f, 3e38f, -1e-40f}
                                        : std::vector<float>{-2, -1, 0, 1, 2, 3, 0.5f};
  const auto fill = [&]<class T>(T* p) {
    for (int64_t i = 0; i < t.count(); i++) {
      if constexpr (std::is_integral_v<T>) {
        const bool extreme = random() % 16 == 0;
        p[i] = extreme ? (random() % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min())
                       : static_cast<T>(static_cast<int>(random() % 6) - (std::is_signed_v<T> ? 2 : 0));
      } else {
        p[i] = T(pick(random, values));
      }
    }
  };
  switch (type) {
    case DType::float32:
      fill(t.data<float>());
      break;
    case DType::float64:
      fill(t.data<double>());
      break;
    case DType::float16:
      fill(t.data<Float16>());
      break;
    case DType::bfloat16:
      fill(t.data<BFloat16>());
      break;
    case DType::int32:
      fill(t.data<int32_t>());
      break;
    case DType::int64:
      fill(t.data<int64_t>());
      break;
    case DType::boolean:
      for (int64_t i = 0; i < t.count(); i++) t.data<uint8_t>()[i] = random() % 2;
      break;
    default:
      for (size_t i = 0; i < t.byte_size(); i++) t.data<uint8_t>()[i] = static_cast<uint8_t>(random() % 8);
  }
  return t;
}

const std::vector<DType> kTypes{DType::float32, DType::float32,     DType::float64, DType::float16, DType::bfloat16,
                                DType::int8,    DType::uint8,       DType::int16,   DType::int32,   DType::int64,
                                DType::uint32,  DType::uint64,      DType::boolean, DType::string,  DType::complex64,
                                DType::int4,    DType::float8e4m3fn};

std::vector<Value> random_inputs(Random& random) {
  const std::vector<Shape> shapes{{},        {1},          {3},          {0},          {2, 3},
                                  {3, 2},    {2, 0, 3},    {1, 2, 4},    {1, 2, 3, 4}, {2, 4, 3, 3},
                                  {2, 2, 1}, {2, 2, 2, 2}, {1, 0, 3, 3}, {0, 0},       {1, 2, 1, 2, 1, 2, 1, 3}};
  const DType type = pick(random, kTypes);
  const Shape shape = pick(random, shapes);
  std::vector<Value> inputs;
  if (random() % 4 == 0) {
    // An image, and vectors with a number per channel.
    const DType real = pick(random, std::vector{DType::float32, DType::float64, DType::float16, DType::uint8});
    inputs.emplace_back(random_input(random, real, {2, 4, 3, 3}));
    for (size_t n = random() % 6; n > 0; n--) inputs.emplace_back(random_input(random, real, {4}));
    return inputs;
  }
  for (size_t n = random() % 8 == 0 ? random() % 8 : 1 + random() % 4; n > 0; n--) {
    const unsigned kind = random() % 10;
    if (kind == 0 && !inputs.empty()) {
      inputs.emplace_back();
      continue;
    }
    const DType of = kind < 6 ? type : kind < 8 ? DType::int64 : pick(random, kTypes);
    inputs.emplace_back(random_input(random, of, random() % 2 ? shape : pick(random, shapes)));
  }
  return inputs;
}

// What one run gave: the outputs' descriptions and bytes, or the reason of its Error.
std::string print(const std::vector<Value>& results) {
  std::string text;
  for (const Value& v : results) {
    if (!v.is_tensor()) {
      text += "(no tensor)";
      continue;
    }
    const Tensor& t = v.tensor();
    text += t.describe();
    if (t.dtype() == DType::string) {
      for (const std::string& s : t.values<std::string>()) text += s + "|";
    } else if (t.byte_size()) {
      text.append(reinterpret_cast<const char*>(t.bytes()), t.byte_size());
    }
  }
  return text;
}

std::vector<const Value*> pointers(const std::vector<Value>& inputs) {
  std::vector<const Value*> list;
  for (const Value& v : inputs) list.push_back(v.is_none() ? nullptr : &v);
  return list;
}

class Services final : public SubgraphServices {
 public:
  ThreadPool& pool() override { return *pool_; }
  std::byte* scratch(uint64_t bytes) override {
    scratch_ = Buffer::bytes(bytes);
    return scratch_->data();
  }
  void take_over(std::unique_ptr<SubgraphRuns>) override {}
  void check_abort() override {}

 private:
  std::unique_ptr<ThreadPool> pool_ = ThreadPool::create(1);
  std::shared_ptr<Buffer> scratch_;
};

// The same with output 0 in the memory of each input that the operator says it may be written over.
void expect_in_place(const Operator& op, const std::vector<Value>& inputs, const std::vector<Value>& results,
                     const std::string& what) {
  for (size_t i = 0; i < inputs.size(); i++) {
    if (!(op.in_place() >> i & 1) || !inputs[i].is_tensor() || !results[0].is_tensor()) continue;
    const Tensor &x = inputs[i].tensor(), &y = results[0].tensor();
    if (x.dtype() != y.dtype() || !(x.shape() == y.shape()) || x.count() == 0) continue;
    std::vector<Value> own = inputs;
    Tensor shared = x.clone();
    own[i] = shared;
    Value out = shared;
    std::vector<Value*> outputs{&out};
    std::vector<const Value*> given = pointers(own);
    Services services;
    RunContext run(services, given, outputs);
    op.run(run);
    EXPECT_EQ(print({out}), print({results[0]})) << what << " over input " << i;
  }
}

struct Counts {
  int answers = 0, errors = 0;
};

void sweep(const Name& name, int rounds, Counts& counts) {
  uint32_t seed = static_cast<uint32_t>(name.since);
  for (char letter : name.type) seed = seed * 31 + static_cast<unsigned char>(letter);
  Random random(seed);
  const auto make = [&](const Attributes& a, size_t inputs, size_t outputs) {
    Graph graph;
    Node node;
    node.op_type = name.type, node.domain = name.domain, node.opset = name.since, node.attributes = a;
    for (size_t i = 0; i < inputs; i++) node.inputs.push_back(graph.add_value(cat("in", i)));
    for (size_t i = 0; i < outputs; i++) node.outputs.push_back(graph.add_value(cat("out", i)));
    bind_operator(node, graph);
    return std::move(node.op);
  };
  std::vector<size_t> known;
  for (size_t i = 0; i < attributes().size(); i++) {
    Attributes a;
    a.add(attributes()[i].first, attributes()[i].second[0]);
    try {
      make(a, 1, 1);
      known.push_back(i);
    } catch (const Error& e) {
      if (e.reason.find("is not one of") == std::string::npos) known.push_back(i);
    }
  }
  for (int round = 0; round < rounds; round++) {
    Attributes a;
    for (size_t i : known) {
      const auto& [attribute, values] = attributes()[i];
      if (random() % 2) a.add(attribute, random() % 2 ? values[0] : pick(random, values));
    }
    const std::vector<Value> inputs = random_inputs(random);
    const std::vector<char> wanted(1 + random() % 2, 1);
    std::string what = cat(name.type, "-", name.since, " round ", round);
    for (const Value& v : inputs) what += v.is_tensor() ? " " + v.tensor().describe() : " none";
    SCOPED_TRACE(what);
    try {
      const auto op = make(a, inputs.size(), wanted.size());
      const std::vector<Value> results = evaluate(*op, pointers(inputs), wanted);
      counts.answers++;
      if (op->is_random() || op->view_of() >= 0) continue;
      EXPECT_EQ(print(results), print(evaluate(*op, pointers(inputs), wanted)));
      expect_in_place(*op, inputs, results, what);
    } catch (const Error& e) {
      counts.errors++;
      EXPECT_FALSE(e.reason.empty());
    }
  }
}

TEST(Sweep, EveryOperatorAnswersOrExplains) {
  const std::set<std::string> with_subgraphs{"If", "Loop", "Scan", "SequenceMap"};
  // More of them find more: for use by hand.
  const char* given = std::getenv("SWEEP_ROUNDS");
  const int rounds = given ? std::atoi(given) : 60;
  int without = 0, all = 0;
  for (const Name& name : all_operators()) {
    if (with_subgraphs.count(name.type)) continue;
    Counts counts;
    sweep(name, rounds, counts);
    all++;
    if (counts.answers == 0) without++;
    if (given && counts.answers == 0) printf("no answer: %s-%d\n", name.type.c_str(), name.since);
  }
  EXPECT_LT(without, all * 3 / 5) << "inputs are too odd to tell anything";
}

}  // namespace
}  // namespace sardonyx::testing
