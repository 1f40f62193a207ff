// Operators that are written in JavaScript: values are copied out and in.
#include "js_operator.h"

#include <cstring>
#include <string>
#include <utility>

#include "js_values.h"

namespace sardonyx {
namespace {

using emscripten::val;

template <class T>
val numbers_to_js(const std::vector<T>& list) {
  val js = val::array();
  for (unsigned i = 0; i < list.size(); ++i) js.set(i, static_cast<double>(list[i]));
  return js;
}

// Numbers, strings, tensors, and lists of these; Error (unsupported_operator) for graphs and types.
val attribute_to_js(const Attribute& attribute) {
  const auto& value = attribute.value;
  if (const auto* n = std::get_if<int64_t>(&value)) return val(static_cast<double>(*n));
  if (const auto* n = std::get_if<float>(&value)) return val(static_cast<double>(*n));
  if (const auto* text = std::get_if<std::string>(&value)) return val(*text);
  if (const auto* tensor = std::get_if<Tensor>(&value)) return value_to_js(*tensor);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return numbers_to_js(*list);
  if (const auto* list = std::get_if<std::vector<float>>(&value)) return numbers_to_js(*list);
  val js = val::array();
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    for (unsigned i = 0; i < list->size(); ++i) js.set(i, (*list)[i]);
  } else if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    for (unsigned i = 0; i < list->size(); ++i) js.set(i, value_to_js((*list)[i]));
  } else {
    fail(ErrorCode::unsupported_operator,
         cat("attribute \"", attribute.name, "\" is a graph or a type: no operator in JavaScript can read it"));
  }
  return js;
}

void check_answer(const val& answer) {
  if (answer.typeOf().as<std::string>() != "object" || answer.isNull()) return;
  const val error = answer["error"];
  if (!error.isUndefined()) fail(ErrorCode::runtime_error, error.as<std::string>());
}

class JsOperator final : public Operator {
 public:
  JsOperator(val definition, const Node& node) : definition_(std::move(definition)), attributes_(val::object()) {
    for (const Attribute& attribute : node.attributes.all()) {
      attribute.read = true;
      attributes_.set(attribute.name, attribute_to_js(attribute));
    }
    outputs_ = static_cast<int>(node.outputs.size());
  }

  void infer(InferContext& c) const override {
    c.require_inputs(0, InferContext::kAnyCount);
    val answer = val::undefined();
    if (const val infer = definition_["infer"]; !infer.isUndefined()) {
      val inputs = val::array();
      for (int i = 0; i < c.input_count(); ++i) inputs.set(i, seen_input(c, i));
      answer = infer(inputs, attributes_);
      check_answer(answer);
    }
    for (int o = 0; o < c.output_count(); ++o) {
      if (!c.has_output(o)) continue;
      const val stated = answer.isUndefined() ? val::undefined() : answer[o];
      if (stated.isUndefined() || stated.isNull()) {
        c.set_output_deferred(o);
      } else {
        const auto [dtype, shape] = type_from_js(stated);
        c.set_output(o, dtype, shape);
      }
    }
  }

  void run(RunContext& c) const override {
    val inputs = val::array(), wanted = val::array();
    for (int i = 0; i < c.input_count(); ++i) inputs.set(i, c.has_input(i) ? value_to_js(c.value(i)) : val::null());
    for (int o = 0; o < outputs_; ++o) wanted.set(o, c.has_output(o));
    const val answer = definition_["run"](inputs, attributes_, wanted);
    check_answer(answer);
    for (int o = 0; o < outputs_; ++o) {
      if (c.has_output(o)) take(c, o, value_from_js(answer[o]));
    }
  }

  // Nothing is known of what it does: it runs each time.
  bool is_random() const override { return true; }

 private:
  static val seen_input(const InferContext& c, int i) {
    if (!c.has_input(i)) return val::null();
    check(c.is_tensor(i), ErrorCode::unsupported_operator, "input ", i,
          " is no tensor: leave infer() out for sequences and maps");
    return type_to_js(c.dtype(i), c.shape(i));
  }

  static void take(RunContext& c, int o, Value value) {
    if (!c.has_tensor(o)) return c.set(o, std::move(value));
    Tensor& to = c.output(o);
    const bool fits = value.is_tensor() && value.tensor().dtype() == to.dtype() && value.tensor().shape() == to.shape();
    check(fits, ErrorCode::runtime_error, "run() gave ", value.describe(), " for output ", o, "; infer() said ",
          to.describe());
    const Tensor& from = value.tensor();
    if (to.dtype() == DType::string) {
      for (int64_t i = 0; i < to.count(); ++i) to.data<std::string>()[i] = from.data<std::string>()[i];
    } else if (to.byte_size() > 0) {
      std::memcpy(to.bytes(), from.bytes(), to.byte_size());
    }
  }

  val definition_, attributes_;
  int outputs_ = 0;
};

}  // namespace

CustomOperators custom_operators_of(const val& find) {
  if (find.isUndefined()) return {};
  return [find](const Node& node) -> std::unique_ptr<Operator> {
    val definition = find(node.domain, node.op_type);
    if (definition.isUndefined()) return nullptr;
    return std::make_unique<JsOperator>(std::move(definition), node);
  };
}

}  // namespace sardonyx
