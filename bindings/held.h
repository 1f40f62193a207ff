// Results that stay in the heap, by number: what JavaScript feeds again, or has written in place.
#pragma once
#include <emscripten/val.h>

#include <map>
#include <utility>

#include "base/error.h"
#include "base/tensor.h"
#include "js_values.h"

namespace sardonyx {

// Every tensor in it is the only owner of its bytes, or has room behind its rows, into which no one writes what another
// tensor sees. In JavaScript: {dtype, dims, held: number}.
class Held {
 public:
  static bool is(const emscripten::val& js) { return !js.isNull() && !js.isUndefined() && !js["held"].isUndefined(); }

  // Throws Error (invalid_input) for one that is not there.
  const Tensor& at(const emscripten::val& js) const { return at(js["held"].as<int>()); }
  const Tensor& at(int number) const {
    const auto found = tensors_.find(number);
    check(found != tensors_.end(), ErrorCode::invalid_input, "the tensor is disposed");
    return found->second;
  }

  emscripten::val add(Tensor tensor) {
    const int number = next_++;
    emscripten::val js = type_to_js(tensor.dtype(), tensor.shape());
    js.set("held", number);
    tensors_.emplace(number, alone(std::move(tensor)));
    return js;
  }

  // The tensor takes the place of the one that is held. Throws Error (invalid_input) where it is of another type or
  // shape.
  void replace(const emscripten::val& js, Tensor tensor) {
    check_target(tensor, js);
    const int number = js["held"].as<int>();
    at(number);
    tensors_.erase(number);
    tensors_.emplace(number, alone(std::move(tensor)));
  }

  void drop(int number) { tensors_.erase(number); }

 private:
  static Tensor alone(Tensor tensor) {
    return tensor.buffer().use_count() > 1 && !tensor.has_room() ? tensor.clone() : tensor;
  }

  std::map<int, Tensor> tensors_;
  int next_ = 1;
};

}  // namespace sardonyx
