// From an element type at run time to a C++ type: one branch per type, once per run.
#pragma once
#include <type_traits>

#include "base/tensor.h"

namespace sardonyx {

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f(TypeTag<T>{}) for the T among Ts that `type` is stored as. False where it is none of them.
template <class... Ts, class F>
bool dispatch(DType type, F&& f) {
  return ((type == dtype_of<Ts>() && (f(TypeTag<Ts>{}), true)) || ...);
}

template <class F>
bool dispatch_signed(DType type, F&& f) {
  return dispatch<int8_t, int16_t, int32_t, int64_t>(type, f);
}

template <class F>
bool dispatch_int(DType type, F&& f) {
  return dispatch<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(type, f);
}

// Calls f(TypeTag<T>{}) for the unsigned integer of `bytes` bytes: 1, 2, 4 or 8.
template <class F>
bool dispatch_width(int bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(TypeTag<uint8_t>{}), true;
    case 2:
      return f(TypeTag<uint16_t>{}), true;
    case 4:
      return f(TypeTag<uint32_t>{}), true;
    case 8:
      return f(TypeTag<uint64_t>{}), true;
    default:
      return false;
  }
}

// Bytes of one element; 0 for strings and types below a byte.
inline int element_bytes(DType type) noexcept { return dtype_bits(type) / 8; }

}  // namespace sardonyx
