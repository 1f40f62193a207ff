// Pass: of nodes that compute the same from the same, one remains.
#include <cstring>
#include <unordered_map>

#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

// Constants up to this size are compared too; two equal weights are left as two.
constexpr size_t kMostCompared = 1024;
// So many of one hash are compared; more than that are made by someone who wants this pass to be slow.
constexpr size_t kMostAlike = 16;

class Hash {
 public:
  void add(const void* data, size_t size) noexcept {
    const auto* p = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; i++) value_ = (value_ ^ p[i]) * 0x100000001b3u;
  }
  template <class T>
  void add(const T& v) noexcept
    requires std::is_arithmetic_v<T>
  {
    add(&v, sizeof v);
  }
  void add(const std::string& s) noexcept { add(s.data(), s.size()); }
  template <class T>
  void add(const std::vector<T>& list) noexcept
    requires std::is_arithmetic_v<T>
  {
    if (!list.empty()) add(list.data(), list.size() * sizeof(T));
  }
  void add(const Attribute& a) noexcept {
    add(a.name);
    std::visit(
        [&]<class T>(const T& v) {
          if constexpr (requires { add(v); }) add(v);
        },
        a.value);
  }
  uint64_t value() const noexcept { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

bool is_comparable(const Tensor& t) {
  return t.has_data() && t.dtype() != DType::string && t.byte_size() <= kMostCompared;
}

bool equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()) || !is_comparable(a) || !is_comparable(b)) return false;
  return a.byte_size() == 0 || memcmp(a.bytes(), b.bytes(), a.byte_size()) == 0;
}

template <class T>
bool equal_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Attributes of kinds that are rare here (graphs, types, lists of tensors) count as different.
bool equal(const AttributeValue& a, const AttributeValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&]<class T>(const T& x) {
        const T& y = std::get<T>(b);
        if constexpr (std::is_same_v<T, float>)
          return memcmp(&x, &y, sizeof x) == 0;
        else if constexpr (std::is_same_v<T, std::vector<float>>)
          return equal_bits(x, y);
        else if constexpr (std::is_same_v<T, Tensor>)
          return equal(x, y);
        else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, std::string> ||
                           std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<std::string>>)
          return x == y;
        else
          return false;
      },
      a);
}

class Deduplication {
 public:
  explicit Deduplication(Rewriter& r) : r_(r), same_(r.graph.values.size(), kNoValue) {
    for (ValueId id : r.graph.outputs) keep_.emplace(id, 1);
  }

  void run() {
    for (size_t id = 0; id < same_.size(); id++) visit_constant(static_cast<ValueId>(id));
    for (size_t n = 0; n < r_.size(); n++) visit(n);
  }

 private:
  ValueId resolved(ValueId id) const {
    return id != kNoValue && same_[static_cast<size_t>(id)] != kNoValue ? same_[static_cast<size_t>(id)] : id;
  }
  bool is_result(ValueId id) const { return keep_.contains(id); }

  void unite(ValueId from, ValueId to) {
    same_[static_cast<size_t>(from)] = to;
    r_.forward(from, to);
  }

  void visit_constant(ValueId id) {
    const Tensor* t = r_.constant(id);
    if (!t || !is_comparable(*t) || is_result(id)) return;
    Hash h;
    h.add(static_cast<int>(t->dtype()));
    for (int64_t d : t->shape()) h.add(d);
    if (t->byte_size() > 0) h.add(t->bytes(), t->byte_size());
    auto& list = constants_[h.value()];
    if (list.size() > kMostAlike) return;
    for (ValueId other : list) {
      if (equal(*r_.constant(other), *t)) return unite(id, other);
    }
    list.push_back(id);
  }

  void visit(size_t n) {
    const Node& node = r_.node(n);
    if (node.op->is_random() || !subgraphs(node).empty() || node.inputs.empty()) return;
    Hash h;
    h.add(node.op_type);
    h.add(node.opset);
    for (ValueId id : node.inputs) h.add(resolved(id));
    for (const Attribute& a : node.attributes.all()) h.add(a);
    auto& list = nodes_[h.value()];
    if (list.size() > kMostAlike) return;
    for (size_t other : list) {
      if (!is_same(r_.node(other), node)) continue;
      for (size_t o = 0; o < node.outputs.size(); o++) {
        if (node.outputs[o] != kNoValue && !is_result(node.outputs[o]))
          unite(node.outputs[o], r_.node(other).outputs[o]);
      }
      return;  // it is dead now, unless it makes a result
    }
    list.push_back(n);
  }

  bool is_same(const Node& a, const Node& b) const {
    if (a.op_type != b.op_type || a.domain != b.domain || a.opset != b.opset) return false;
    if (a.inputs.size() != b.inputs.size() || a.outputs.size() != b.outputs.size()) return false;
    for (size_t i = 0; i < a.inputs.size(); i++) {
      if (resolved(a.inputs[i]) != resolved(b.inputs[i])) return false;
    }
    for (size_t o = 0; o < a.outputs.size(); o++) {  // b may not want more than a makes
      if (a.outputs[o] == kNoValue && b.outputs[o] != kNoValue) return false;
    }
    const auto &x = a.attributes.all(), &y = b.attributes.all();
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); i++) {
      if (x[i].name != y[i].name || !equal(x[i].value, y[i].value)) return false;
    }
    return true;
  }

  Rewriter& r_;
  std::vector<ValueId> same_;
  std::unordered_map<ValueId, char> keep_;  // results
  std::unordered_map<uint64_t, std::vector<ValueId>> constants_;
  std::unordered_map<uint64_t, std::vector<size_t>> nodes_;
};

}  // namespace

void merge_common_subexpressions(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  Deduplication(r).run();
}

}  // namespace sardonyx
