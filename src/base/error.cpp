// How errors are put into words.
#include "base/error.h"

#include <cstdio>

#include "base/shape.h"

namespace sardonyx {

std::string_view error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_model:
      return "invalid_model";
    case ErrorCode::unsupported_operator:
      return "unsupported_operator";
    case ErrorCode::invalid_input:
      return "invalid_input";
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::aborted:
      return "aborted";
    case ErrorCode::runtime_error:
      return "runtime_error";
  }
  return "runtime_error";
}

std::string Error::message() const {
  std::string text;
  if (!op_type.empty()) {
    text += op_type;
    if (!node.empty()) text += " \"" + node + "\"";
    text += ": ";
  }
  text += reason;
  if (!values.empty()) text += " [" + values + "]";
  return text;
}

void fail(ErrorCode code, std::string reason) { throw Error(code, std::move(reason)); }

namespace detail {
void append(std::string& to, std::string_view text) { to.append(text); }
void append(std::string& to, long long number) {
  char text[24];
  to.append(text, static_cast<size_t>(snprintf(text, sizeof text, "%lld", number)));
}
void append(std::string& to, unsigned long long number) {
  char text[24];
  to.append(text, static_cast<size_t>(snprintf(text, sizeof text, "%llu", number)));
}
void append(std::string& to, double number) {
  char text[32];
  to.append(text, static_cast<size_t>(snprintf(text, sizeof text, "%g", number)));
}
void append(std::string& to, const Shape& shape) { to += shape.to_string(); }
}  // namespace detail

}  // namespace sardonyx
