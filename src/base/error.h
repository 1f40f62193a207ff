// The one error type of the library: a code for programs, a reason for people, and the place once the executor knows
// it.
#pragma once
#include <concepts>
#include <exception>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "base/shape_fwd.h"

namespace sardonyx {

enum class ErrorCode : uint8_t {
  invalid_model,         // the bytes are no model, or the model breaks the standard
  unsupported_operator,  // an operator, version or function that is not implemented
  invalid_input,         // a feed or a fetch that does not fit the model
  invalid_argument,      // an option or a call that makes no sense
  out_of_memory,         // with the bytes asked for
  aborted,               // the caller asked to stop
  runtime_error,         // data that an operator cannot work on (an index out of range...)
};

// "invalid_model"...
std::string_view error_code_name(ErrorCode code) noexcept;

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string reason) : code(code), reason(std::move(reason)) {}
  // The whole message: `Softmax "attn/probs": axis 5 is out of range for rank 3 [float32(1x12x64)]`.
  std::string message() const;
  const char* what() const noexcept override { return reason.c_str(); }

  ErrorCode code;
  std::string reason;
  std::string op_type;  // empty where no node is to blame
  std::string node;     // the node's name, or that of its first output
  std::string values;   // types and shapes of the node's inputs, for the reader
};

namespace detail {
void append(std::string& to, std::string_view text);
void append(std::string& to, long long number);
void append(std::string& to, unsigned long long number);
void append(std::string& to, double number);
void append(std::string& to, const Shape& shape);
inline void append(std::string& to, char c) { to += c; }
inline void append(std::string& to, DType type) { append(to, dtype_name(type)); }
template <std::signed_integral T>
void append(std::string& to, T number) {
  append(to, static_cast<long long>(number));
}
template <std::unsigned_integral T>
void append(std::string& to, T number) {
  append(to, static_cast<unsigned long long>(number));
}
// Types, tensors and values say themselves what they are, and only where the text is wanted.
template <class T>
  requires requires(const T& part) { std::string(part.describe()); }
void append(std::string& to, const T& part) {
  to += part.describe();
}
template <class T>
  requires requires(const T& part) { std::string(part.to_string()); }
void append(std::string& to, const T& part) {
  to += part.to_string();
}
}  // namespace detail

// Strings, numbers, element types, shapes, types, tensors and values in one string.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

[[noreturn]] void fail(ErrorCode code, std::string reason);

// `fail(code, cat(parts...))` unless `ok`. Pass objects, not their texts: those would be made in every call.
template <class... Parts>
void check(bool ok, ErrorCode code, const Parts&... parts) {
  if (!ok) [[unlikely]]
    fail(code, cat(parts...));
}

}  // namespace sardonyx
