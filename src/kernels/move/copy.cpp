// Strided copies and fills.
#include "kernels/move/copy.h"

#include <cstring>

#include "kernels/move/elements.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kMaxRank = 32;

// The box without axes of size 1 and with axes merged that are dense in both x and y.
struct Box {
  size_t rank = 0;
  size_t dims[kMaxRank];
  ptrdiff_t from[kMaxRank], to[kMaxRank];
};

Box merge(const ptrdiff_t* from, const ptrdiff_t* to, const size_t* dims, size_t rank) noexcept {
  Box out;
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] == 1) continue;
    auto d = static_cast<ptrdiff_t>(dims[i]);
    size_t last = out.rank - 1;
    if (out.rank > 0 && out.from[last] == from[i] * d && out.to[last] == to[i] * d) {
      out.dims[last] *= dims[i];
      out.from[last] = from[i];
      out.to[last] = to[i];
    } else {
      out.dims[out.rank] = dims[i];
      out.from[out.rank] = from[i];
      out.to[out.rank++] = to[i];
    }
  }
  return out;
}

template <class T>
void copy_row(const T* x, ptrdiff_t from, T* y, ptrdiff_t to, size_t n) noexcept {
  if (from == 1 && to == 1) {
    std::memcpy(y, x, n * sizeof(T));
    return;
  }
  auto count = static_cast<ptrdiff_t>(n);
  if (from == 0 && to == 1) {
    T value = *x;
    for (ptrdiff_t i = 0; i < count; i++) y[i] = value;
  } else if (to == 1) {
    for (ptrdiff_t i = 0; i < count; i++) y[i] = x[i * from];
  } else {
    for (ptrdiff_t i = 0; i < count; i++) y[i * to] = x[i * from];
  }
}

template <class T>
void copy_box(const T* x, T* y, const Box& box) noexcept {
  size_t last = box.rank - 1, index[kMaxRank] = {};
  for (;;) {
    copy_row(x, box.from[last], y, box.to[last], box.dims[last]);
    size_t axis = last;
    while (axis-- > 0) {
      x += box.from[axis];
      y += box.to[axis];
      if (++index[axis] < box.dims[axis]) break;
      x -= box.from[axis] * static_cast<ptrdiff_t>(box.dims[axis]);
      y -= box.to[axis] * static_cast<ptrdiff_t>(box.dims[axis]);
      index[axis] = 0;
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
}

}  // namespace

void copy_strided(const void* x, const ptrdiff_t* x_strides, void* y, const ptrdiff_t* y_strides, const size_t* dims,
                  size_t rank, size_t element_size) noexcept {
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] == 0) return;
  }
  Box box = merge(x_strides, y_strides, dims, rank);
  if (box.rank == 0) {
    std::memcpy(y, x, element_size);
    return;
  }
  with_element(element_size, [&](auto zero) {
    using T = decltype(zero);
    copy_box(static_cast<const T*>(x), static_cast<T*>(y), box);
  });
}

void fill(void* y, const void* value, size_t n, size_t element_size) noexcept {
  with_element(element_size, [&](auto v) {
    std::memcpy(&v, value, sizeof v);
    auto* out = static_cast<decltype(v)*>(y);
    for (size_t i = 0; i < n; i++) out[i] = v;
  });
}

}  // namespace sardonyx::kernels
