// Values as JavaScript sees them, both ways; each way copies the elements once.
#include "js_values.h"

#include <string>
#include <utility>

#include "base/error.h"

namespace sardonyx {
namespace {

using emscripten::typed_memory_view;
using emscripten::val;

constexpr int kMaxDepth = 16;  // of sequences and maps in each other
constexpr double kMostDim = 9223372036854775808.0;

bool is_absent(const val& v) { return v.isUndefined() || v.isNull(); }

val dims_to_js(const Shape& shape) {
  val dims = val::array();
  for (int i = 0; i < shape.rank(); ++i) dims.set(i, static_cast<double>(shape[i]));
  return dims;
}

Shape shape_from_js(const val& js) {
  std::vector<int64_t> dims;
  for (double d : emscripten::convertJSArrayToNumberVector<double>(js)) {
    const bool whole = d >= 0 && d < kMostDim && d == static_cast<double>(static_cast<int64_t>(d));
    check(whole, ErrorCode::invalid_input, "a dimension of a tensor is ", d, ", not a whole number from 0 on");
    dims.push_back(static_cast<int64_t>(d));
  }
  check(dims.size() <= Shape::kMaxRank, ErrorCode::invalid_input, "a tensor has ", dims.size(), " dimensions; at most ",
        Shape::kMaxRank, " are supported");
  return Shape(dims);
}

DType dtype_from_js(const val& js) {
  const int number = js.as<int>();
  check(is_dtype(number), ErrorCode::invalid_input, "there is no element type number ", number);
  return static_cast<DType>(number);
}

void strings_from_js(const val& data, Tensor& tensor) {
  std::string* to = tensor.data<std::string>();
  for (int64_t i = 0; i < tensor.count(); ++i) to[i] = data[static_cast<unsigned>(i)].as<std::string>();
}

Tensor tensor_from_js(const val& js) {
  const DType dtype = dtype_from_js(js["dtype"]);
  const Shape shape = shape_from_js(js["dims"]);
  const val data = js["data"];
  const bool strings = dtype == DType::string;
  const uint64_t wanted = strings ? static_cast<uint64_t>(shape.count()) : dtype_bytes(dtype, shape.count());
  const auto given = data["length"].as<double>();
  check(given == static_cast<double>(wanted), ErrorCode::invalid_input, dtype, "(", shape, ") takes ", wanted,
        strings ? " strings, not " : " bytes, not ", given);
  Tensor tensor = Tensor::allocate(dtype, shape);
  if (strings) {
    strings_from_js(data, tensor);
  } else if (wanted > 0) {
    view_of(tensor.bytes(), tensor.byte_size()).call<void>("set", data);
  }
  // Any byte but 0 is true in JavaScript's arrays; in C++ a bool is 0 or 1.
  if (dtype == DType::boolean) {
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.data<uint8_t>()[i] = tensor.data<uint8_t>()[i] != 0;
  }
  return tensor;
}

Value from_js(const val& js, int depth);

std::vector<Value> list_from_js(const val& list, int depth) {
  std::vector<Value> values;
  const auto count = list["length"].as<unsigned>();
  for (unsigned i = 0; i < count; ++i) values.push_back(from_js(list[i], depth));
  return values;
}

Value from_js(const val& js, int depth) {
  if (is_absent(js)) return {};
  check(depth < kMaxDepth, ErrorCode::invalid_input, "sequences and maps are nested more than ", kMaxDepth, " deep");
  if (const val items = js["items"]; !items.isUndefined()) {
    const DType dtype = js["dtype"].as<int>() == 0 ? DType::undefined : dtype_from_js(js["dtype"]);
    return Sequence{dtype, list_from_js(items, depth + 1)};
  }
  if (const val keys = js["keys"]; !keys.isUndefined()) {
    Map map{tensor_from_js(keys), list_from_js(js["values"], depth + 1)};
    check(map.keys.count() == static_cast<int64_t>(map.values.size()), ErrorCode::invalid_input, "a map has ",
          map.keys.count(), " keys and ", map.values.size(), " values");
    return map;
  }
  return tensor_from_js(js);
}

}  // namespace

void check_target(const Tensor& tensor, const val& target) {
  const DType dtype = dtype_from_js(target["dtype"]);
  const Shape shape = shape_from_js(target["dims"]);
  check(dtype == tensor.dtype() && shape == tensor.shape(), ErrorCode::invalid_input, "the result is ",
        tensor.describe(), ", but the tensor given for it is ", dtype, "(", shape, ")");
}

namespace {

val tensor_to_js(const Tensor& tensor, const val& target) {
  const bool into = !is_absent(target);
  if (into) check_target(tensor, target);
  val data = into ? target["data"] : val::undefined();
  if (tensor.dtype() == DType::string) {
    if (!into) data = val::array();
    for (int64_t i = 0; i < tensor.count(); ++i) data.set(static_cast<unsigned>(i), tensor.data<std::string>()[i]);
  } else if (into) {
    data.call<void>("set", view_of(tensor.bytes(), tensor.byte_size()));
  } else {
    data = val::global("Uint8Array").new_(view_of(tensor.bytes(), tensor.byte_size()));
  }
  val js = type_to_js(tensor.dtype(), tensor.shape());
  js.set("data", data);
  return js;
}

val list_to_js(const std::vector<Value>& values) {
  val list = val::array();
  for (unsigned i = 0; i < values.size(); ++i) list.set(i, value_to_js(values[i]));
  return list;
}

}  // namespace

val view_of(std::byte* bytes, size_t size) { return val(typed_memory_view(size, reinterpret_cast<uint8_t*>(bytes))); }

Value value_from_js(const val& js) { return from_js(js, 0); }

std::pair<DType, Shape> type_from_js(const val& js) { return {dtype_from_js(js["dtype"]), shape_from_js(js["dims"])}; }

val type_to_js(DType dtype, const Shape& shape) {
  val js = val::object();
  js.set("dtype", static_cast<int>(dtype));
  js.set("dims", dims_to_js(shape));
  return js;
}

val value_to_js(const Value& value, const val& target) {
  if (value.is_tensor()) return tensor_to_js(value.tensor(), target);
  check(is_absent(target), ErrorCode::invalid_input, "the result is ", value.describe(),
        ", but a tensor is given for it");
  if (value.is_none()) return val::null();
  val js = val::object();
  if (value.is_sequence()) {
    js.set("dtype", static_cast<int>(value.sequence().dtype));
    js.set("items", list_to_js(value.sequence().items));
  } else {
    js.set("keys", tensor_to_js(value.map().keys, val::undefined()));
    js.set("values", list_to_js(value.map().values));
  }
  return js;
}

}  // namespace sardonyx
