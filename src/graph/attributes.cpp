// Reading attributes.
#include "graph/attributes.h"

#include "base/error.h"

namespace sardonyx {
namespace {
constexpr std::string_view kKinds[] = {"an int", "a float", "a string", "a tensor", "a graph", "a type",
                                       "ints",   "floats",  "strings",  "tensors",  "graphs",  "types"};

[[noreturn]] void missing(std::string_view name) {
  fail(ErrorCode::invalid_model, cat("attribute \"", name, "\" is missing"));
}
}  // namespace

void Attributes::add(std::string name, AttributeValue value) {
  check(!find(name), ErrorCode::invalid_model, "attribute \"", name, "\" is given twice");
  list_.push_back({std::move(name), std::move(value)});
}

const Attribute* Attributes::find(std::string_view name) const {
  for (const Attribute& a : list_) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

bool Attributes::has(std::string_view name) const { return find(name) != nullptr; }

void Attributes::ignore(std::string_view name) const {
  if (const Attribute* a = find(name)) a->read = true;
}

template <class T>
const T* Attributes::get(std::string_view name) const {
  const Attribute* a = find(name);
  if (!a) return nullptr;
  a->read = true;
  if (const T* value = std::get_if<T>(&a->value)) return value;
  const size_t wanted = AttributeValue(T{}).index();
  fail(ErrorCode::invalid_model,
       cat("attribute \"", name, "\" must be ", kKinds[wanted], ", not ", kKinds[a->value.index()]));
}

int64_t Attributes::integer(std::string_view name) const {
  const auto* v = get<int64_t>(name);
  return v ? *v : (missing(name), 0);
}

int64_t Attributes::integer(std::string_view name, int64_t otherwise) const {
  const auto* v = get<int64_t>(name);
  return v ? *v : otherwise;
}

float Attributes::number(std::string_view name) const {
  const auto* v = get<float>(name);
  return v ? *v : (missing(name), 0.0f);
}

float Attributes::number(std::string_view name, float otherwise) const {
  const auto* v = get<float>(name);
  return v ? *v : otherwise;
}

const std::string& Attributes::string(std::string_view name) const {
  const auto* v = get<std::string>(name);
  if (!v) missing(name);
  return *v;
}

std::string Attributes::string(std::string_view name, std::string_view otherwise) const {
  const auto* v = get<std::string>(name);
  return v ? *v : std::string(otherwise);
}

const Tensor& Attributes::tensor(std::string_view name) const {
  const auto* v = get<Tensor>(name);
  if (!v) missing(name);
  return *v;
}

std::shared_ptr<Graph> Attributes::graph(std::string_view name) const {
  const auto* v = get<std::shared_ptr<Graph>>(name);
  if (!v) missing(name);
  return *v;
}

const Type& Attributes::type(std::string_view name) const {
  const auto* v = get<Type>(name);
  if (!v) missing(name);
  return *v;
}

DType Attributes::dtype(std::string_view name) const {
  if (!has(name)) missing(name);
  return dtype(name, DType::undefined);
}

DType Attributes::dtype(std::string_view name, DType otherwise) const {
  const auto* v = get<int64_t>(name);
  if (!v) return otherwise;
  check(*v > 0 && *v < kDTypeCount, ErrorCode::invalid_model, "attribute \"", name,
        "\" names the unknown element type ", *v);
  return static_cast<DType>(*v);
}

std::vector<int64_t> Attributes::ints(std::string_view name) const {
  const auto* v = get<std::vector<int64_t>>(name);
  return v ? *v : std::vector<int64_t>{};
}

std::vector<float> Attributes::floats(std::string_view name) const {
  const auto* v = get<std::vector<float>>(name);
  return v ? *v : std::vector<float>{};
}

std::vector<std::string> Attributes::strings(std::string_view name) const {
  const auto* v = get<std::vector<std::string>>(name);
  return v ? *v : std::vector<std::string>{};
}

std::vector<Tensor> Attributes::tensors(std::string_view name) const {
  const auto* v = get<std::vector<Tensor>>(name);
  return v ? *v : std::vector<Tensor>{};
}

int Attributes::choice(std::string_view name, std::initializer_list<std::string_view> names, int otherwise) const {
  const auto* v = get<std::string>(name);
  if (!v) return otherwise;
  int i = 0;
  std::string known;
  for (std::string_view n : names) {
    if (n == *v) return i;
    if (i++) known += ", ";
    known += n;
  }
  fail(ErrorCode::invalid_model, cat("attribute \"", name, "\" is \"", *v, "\"; known are ", known));
}

}  // namespace sardonyx
