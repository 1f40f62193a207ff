// Sums of products of tensors over shared indices: the pair with the smallest product first, each as a batch of matrix
// products.
#include "ops/util/contraction.h"

#include <algorithm>
#include <bitset>

#include "ops/util/dispatch.h"
#include "ops/util/product.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

using IndexSet = std::bitset<Equation::kIndices>;

struct IndexAxis {
  int index;
  int64_t length, stride;
};

// A view of a tensor; axes of length 1 are left out, an index that was repeated is one axis (a diagonal).
struct Operand {
  Tensor data;
  std::vector<IndexAxis> axes;

  const IndexAxis* find(int index) const noexcept {
    for (const IndexAxis& axis : axes) {
      if (axis.index == index) return &axis;
    }
    return nullptr;
  }
  IndexSet set() const noexcept {
    IndexSet s;
    for (const IndexAxis& axis : axes) s.set(static_cast<size_t>(axis.index));
    return s;
  }
};

Operand operand_of(Tensor tensor, const std::vector<int>& indices) {
  Operand o;
  const auto strides = tensor.shape().strides();
  for (size_t i = 0; i < indices.size(); i++) {
    const int64_t length = tensor.dim(static_cast<int>(i));
    if (length == 1) continue;
    auto at = std::find_if(o.axes.begin(), o.axes.end(), [&](const IndexAxis& a) { return a.index == indices[i]; });
    if (at == o.axes.end()) {
      o.axes.push_back({indices[i], length, strides[i]});
    } else {
      at->stride += strides[i];
    }
  }
  o.data = std::move(tensor);
  return o;
}

// Axes in an order that the output's wins: what is not in it comes last.
struct Group {
  std::vector<IndexAxis> axes;
  int64_t count = 1;

  void add(const IndexAxis& axis) {
    axes.push_back(axis);
    check(!__builtin_mul_overflow(count, axis.length, &count), ErrorCode::out_of_memory,
          "an intermediate product is too large");
  }
  void sort(const std::vector<int>& output) {
    const auto key = [&](const IndexAxis& axis) {
      return std::pair(std::find(output.begin(), output.end(), axis.index), axis.index);
    };
    std::sort(axes.begin(), axes.end(), [&](const IndexAxis& a, const IndexAxis& b) { return key(a) < key(b); });
  }
};

// The axes of the groups in this order as if they were dense.
std::vector<IndexAxis> dense_axes(std::initializer_list<const Group*> groups) {
  std::vector<IndexAxis> axes;
  for (const Group* g : groups) axes.insert(axes.end(), g->axes.begin(), g->axes.end());
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    axes[i].stride = stride;
    stride *= axes[i].length;
  }
  return axes;
}

bool lies_as(const Operand& o, const std::vector<IndexAxis>& wanted) noexcept {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const IndexAxis& axis) { return o.find(axis.index)->stride == axis.stride; });
}

// to [axes] = o; every axis of o is one of them, and they are dense.
void copy_as(const Operand& o, const std::vector<IndexAxis>& axes, Tensor& to) {
  StridedBox box;
  for (const IndexAxis& axis : axes) box.add(axis.length, o.find(axis.index)->stride, axis.stride);
  box.copy(to.dtype(), o.data.bytes(), 0, to.bytes(), 0);
}

// The elements in the order of the axes; the operand's own bytes where they lie so.
Tensor arranged(const Operand& o, const std::vector<IndexAxis>& axes, int64_t count) {
  if (lies_as(o, axes)) return o.data;
  Tensor dense = Tensor::allocate(o.data.dtype(), {count});
  copy_as(o, axes, dense);
  return dense;
}

// y[i] = the sum of row i of x [rows][n].
template <class T>
void sum_rows(ThreadPool& pool, const T* x, int64_t rows, int64_t n, T* y) {
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
  pool.parallel_for(rows, std::max<int64_t>(1, (1 << 14) / n), [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
      Sum sum = 0;
      for (int64_t k = 0; k < n; k++) sum += static_cast<Sum>(x[i * n + k]);
      y[i] = static_cast<T>(sum);
    }
  });
}

template <class F>
void with_type(DType type, F&& f) {
  dispatch<float, double, uint64_t>(type, f);
}

// o summed over the indices that are not in `keep`.
void sum_out(RunContext& c, Operand& o, const IndexSet& keep) {
  Group kept, summed;
  for (const IndexAxis& axis : o.axes) (keep[static_cast<size_t>(axis.index)] ? kept : summed).add(axis);
  if (summed.axes.empty()) return;
  const Tensor x = arranged(o, dense_axes({&kept, &summed}), kept.count * summed.count);
  o.data = Tensor::allocate(x.dtype(), {kept.count});
  with_type(x.dtype(),
            [&]<class T>(TypeTag<T>) { sum_rows(c.pool(), x.data<T>(), kept.count, summed.count, o.data.data<T>()); });
  o.axes = dense_axes({&kept});
}

struct Sizes {
  int64_t batch, m, k, n;
};

// a [batch][m][k] and b [batch][k][n], or with the last two axes exchanged, as the strides say.
template <class T>
struct Factor {
  const T* data;
  int64_t row_stride, col_stride;
};

struct Source final : ProductSource {
  const Sizes& s;
  Factor<float> a, b;
  float* y;

  Source(const Sizes& sizes, const Factor<float>& left, const Factor<float>& right, float* out)
      : s(sizes), a(left), b(right), y(out) {}
  ProductF32 product(int64_t i) const override {
    const auto matrix = [](const Factor<float>& f, int64_t at) {
      return kernels::MatrixF32{f.data + at, static_cast<size_t>(f.row_stride), static_cast<size_t>(f.col_stride)};
    };
    return {matrix(a, i * s.m * s.k), {matrix(b, i * s.k * s.n), false}, y + i * s.m * s.n, {}};
  }
};

template <class T>
void multiply(RunContext& c, const Sizes& s, const Factor<T>& a, const Factor<T>& b, T* y) {
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / (s.k * s.n));
  if (s.k > 1 && (s.m > 1 || s.n > 1)) {
    if constexpr (std::is_same_v<T, float>) {
      const Source source(s, a, b, y);
      return multiply_f32(c, s.batch, {static_cast<size_t>(s.m), static_cast<size_t>(s.k), static_cast<size_t>(s.n)},
                          source);
    }
  }
  // Rows of all batches: k is 1, or the rows are short, or the type has no kernel.
  c.pool().parallel_for(s.batch * s.m, grain, [&](int64_t from, int64_t to) {
    for (int64_t row = from; row < to; row++) {
      const int64_t batch = row / s.m;
      const T* left = a.data + batch * s.m * s.k + row % s.m * a.row_stride;
      const T* right = b.data + batch * s.k * s.n;
      T* out = y + row * s.n;
      for (int64_t j = 0; j < s.n; j++) out[j] = left[0] * right[j * b.col_stride];
      for (int64_t p = 1; p < s.k; p++) {
        const T x = left[p * a.col_stride];
        for (int64_t j = 0; j < s.n; j++) out[j] += x * right[p * b.row_stride + j * b.col_stride];
      }
    }
  });
}

// a times b, summed over what is not in `keep`; written into `out` where that has the result's order (then true).
bool multiply_pair(RunContext& c, Operand& a, Operand& b, const IndexSet& keep, const std::vector<int>& output,
                   Tensor* out) {
  sum_out(c, a, keep | b.set());
  sum_out(c, b, keep | a.set());
  Group batch, sum, left, right;
  for (const IndexAxis& axis : a.axes) {
    (!b.find(axis.index) ? left : keep[static_cast<size_t>(axis.index)] ? batch : sum).add(axis);
  }
  for (const IndexAxis& axis : b.axes) {
    if (!a.find(axis.index)) right.add(axis);
  }
  for (Group* g : {&batch, &left, &right}) g->sort(output);
  const Sizes s{batch.count, left.count, sum.count, right.count};
  const Tensor for_size = Tensor::without_data(a.data.dtype(), {s.batch, s.m, s.n});  // checks the product of sizes
  const std::vector<IndexAxis> a_exchanged = dense_axes({&batch, &sum, &left});
  const std::vector<IndexAxis> b_exchanged = dense_axes({&batch, &right, &sum});
  const bool turn_a = lies_as(a, a_exchanged), turn_b = lies_as(b, b_exchanged);
  const Tensor x = turn_a ? a.data : arranged(a, dense_axes({&batch, &left, &sum}), s.batch * s.m * s.k);
  const Tensor y = turn_b ? b.data : arranged(b, dense_axes({&batch, &sum, &right}), s.batch * s.k * s.n);
  const std::vector<IndexAxis> axes = dense_axes({&batch, &left, &right});
  const auto order = [&](const IndexAxis& axis) { return std::find(output.begin(), output.end(), axis.index); };
  const bool direct = out && std::is_sorted(axes.begin(), axes.end(), [&](const IndexAxis& p, const IndexAxis& q) {
                        return order(p) < order(q);
                      });
  Tensor product = direct ? *out : Tensor::allocate(a.data.dtype(), for_size.shape());
  with_type(product.dtype(), [&]<class T>(TypeTag<T>) {
    multiply<T>(c, s, {x.data<T>(), turn_a ? 1 : s.k, turn_a ? s.m : 1},
                {y.data<T>(), turn_b ? 1 : s.n, turn_b ? s.k : 1}, product.data<T>());
  });
  a = {product, axes};
  return direct;
}

// The indices that are needed once operands i and j are one.
IndexSet needed(const std::vector<IndexSet>& list, size_t i, size_t j, IndexSet output) {
  for (size_t k = 0; k < list.size(); k++) {
    if (k != i && k != j) output |= list[k];
  }
  return output;
}

double size_of(const IndexSet& set, const std::vector<int64_t>& lengths) noexcept {
  double size = 1;
  for (size_t k = 0; k < set.size(); k++) size *= set[k] ? static_cast<double>(lengths[k]) : 1;
  return size;
}

// The pair whose product is the smallest, among the first few.
std::pair<size_t, size_t> cheapest(const std::vector<IndexSet>& list, const IndexSet& output,
                                   const std::vector<int64_t>& lengths) {
  std::pair<size_t, size_t> best{0, 1};
  const size_t count = std::min<size_t>(list.size(), 8);
  double least = -1;
  for (size_t i = 0; count > 2 && i < count; i++) {
    for (size_t j = i + 1; j < count; j++) {
      const double size = size_of((list[i] | list[j]) & needed(list, i, j, output), lengths);
      if (least < 0 || size < least) least = size, best = {i, j};
    }
  }
  return best;
}

IndexSet set_of(const std::vector<int>& indices) noexcept {
  IndexSet set;
  for (int index : indices) set.set(static_cast<size_t>(index));
  return set;
}

}  // namespace

double contraction_macs(const Equation::Indices& indices, std::span<const Shape> shapes) {
  std::vector<IndexSet> list;
  for (size_t o = 0; o < shapes.size(); o++) {
    IndexSet& set = list.emplace_back();
    for (int i = 0; i < shapes[o].rank(); i++)
      if (shapes[o][i] != 1) set.set(static_cast<size_t>(indices.operands[o][static_cast<size_t>(i)]));
  }
  const IndexSet output = set_of(indices.output);
  double macs = 0;
  while (list.size() > 1) {
    const auto [i, j] = cheapest(list, output, indices.lengths);
    const IndexSet keep = needed(list, i, j, output), a = list[i] & (keep | list[j]), b = list[j] & (keep | list[i]);
    macs += size_of(a | b, indices.lengths);
    list[i] = (a | b) & keep;
    list.erase(list.begin() + static_cast<ptrdiff_t>(j));
  }
  return macs;
}

void contract(RunContext& c, const Equation::Indices& indices, std::vector<Tensor> operands, Tensor& out) {
  // An index that runs over nothing makes every sum an empty one.
  if (std::find(indices.lengths.begin(), indices.lengths.end(), 0) != indices.lengths.end()) {
    std::fill_n(out.bytes(), out.byte_size(), std::byte{0});
    return;
  }
  std::vector<Operand> list;
  for (size_t i = 0; i < operands.size(); i++) {
    list.push_back(operand_of(std::move(operands[i]), indices.operands[i]));
  }
  const IndexSet output = set_of(indices.output);
  while (list.size() > 1) {
    c.services().check_abort();
    std::vector<IndexSet> sets;
    for (const Operand& o : list) sets.push_back(o.set());
    const auto [i, j] = cheapest(sets, output, indices.lengths);
    const IndexSet keep = needed(sets, i, j, output);
    if (multiply_pair(c, list[i], list[j], keep, indices.output, list.size() == 2 ? &out : nullptr)) return;
    list.erase(list.begin() + static_cast<ptrdiff_t>(j));
  }
  sum_out(c, list[0], output);
  Group all;
  for (const IndexAxis& axis : list[0].axes) all.add(axis);
  all.sort(indices.output);
  copy_as(list[0], dense_axes({&all}), out);
}

}  // namespace sardonyx
