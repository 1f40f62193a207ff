// Cutting tensors.
#include "ops/util/parts.h"

#include "ops/util/elements.h"

namespace sardonyx {

// Kernels may take several elements for one large one.
constexpr size_t kAlign = 16;

void cut(ThreadPool& pool, const Tensor& x, int axis, int64_t from, int64_t count, Tensor& y) {
  if (y.count() == 0) return;
  const Tensor source = unpacked(x);
  Tensor target = unpacked_like(y);
  const RunCopier copy(source.dtype());
  const int64_t outer = x.shape().count(0, axis), inner = x.shape().count(axis + 1, x.rank());
  const int64_t stride = inner * x.dim(axis), run = inner * count;
  const std::byte* in = source.bytes();
  std::byte* out = target.bytes();
  // The part is the input's bytes already (runtime/plan_parts.h).
  if (outer == 1 && out == in + from * inner * static_cast<int64_t>(copy.size())) return;
  pool.parallel_for(outer, grain_of_bytes(run * static_cast<int64_t>(copy.size())), [&](int64_t first, int64_t last) {
    for (int64_t o = first; o < last; o++) copy(out, o * run, in, o * stride + from * inner, run);
  });
  pack(target, y);
}

Tensor element_at(ThreadPool& pool, const Tensor& x, int axis, int64_t index) {
  Shape shape = x.shape();
  shape.erase(axis);
  if (x.shape().count(0, axis) == 1 && !kSubByte.has(x.dtype()) && x.buffer()) {
    const bool strings = x.dtype() == DType::string;
    const auto* base = strings ? reinterpret_cast<const std::byte*>(x.buffer()->string_data()) : x.buffer()->data();
    const size_t at =
        static_cast<size_t>(x.bytes() - base) + static_cast<size_t>(index * shape.count()) * element_size(x.dtype());
    if (strings) return Tensor::view(x.dtype(), shape, x.buffer(), at / sizeof(std::string));
    if (at % kAlign == 0) return Tensor::view(x.dtype(), shape, x.buffer(), at);
  }
  Tensor y = Tensor::allocate(x.dtype(), shape);
  cut(pool, x, axis, index, 1, y);
  return y;
}

void require_sizes(std::span<const int64_t> sizes, int64_t dim, int axis) {
  int64_t sum = 0;
  for (int64_t size : sizes) {
    check(size >= 0 && size <= dim, ErrorCode::invalid_model, "a part of ", size, " is not within dimension ", axis,
          " of ", dim);
    sum += size;
    check(sum <= dim, ErrorCode::invalid_model, "the parts sum up to more than dimension ", axis, " of ", dim);
  }
  check(sum == dim, ErrorCode::invalid_model, "the parts sum up to ", sum, ", dimension ", axis, " is ", dim);
}

std::vector<int64_t> even_sizes(int64_t dim, int64_t chunk) {
  // An empty tensor's dimensions are not bound by memory.
  check(dim / chunk < int64_t{1} << 28, ErrorCode::out_of_memory, "dimension ", dim, " would give too many parts");
  std::vector<int64_t> sizes;
  for (int64_t left = dim; left > 0; left -= chunk) sizes.push_back(std::min(left, chunk));
  return sizes;
}

}  // namespace sardonyx
