// Calls that must fail, and what they say.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace sardonyx::testing {

template <class Body>
Error thrown_by(Body&& body) {
  try {
    body();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::runtime_error, "");
}

// The message of the Error that `body` throws, which has this code.
template <class Body>
std::string error_of(Body&& body, ErrorCode code = ErrorCode::invalid_model) {
  const Error e = thrown_by(body);
  EXPECT_EQ(e.code, code) << e.message();
  return e.message();
}

// The reason of the Error that `body` throws; "" if it throws none.
template <class Body>
std::string reason_of(Body&& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.reason;
  }
  return "";
}

}  // namespace sardonyx::testing
