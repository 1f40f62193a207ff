// Pad: grows or crops a tensor at its borders.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

enum class Mode : uint8_t { constant, reflect, edge, wrap };

// How one axis grows: first [skip, skip + kept) of the input is taken (negative pads), then it is padded.
struct Border {
  int64_t skip, kept, begin, end;
  int64_t size() const noexcept { return begin + kept + end; }
};

Border border(int64_t dim, int64_t begin, int64_t end, Mode mode, int axis) {
  // What no memory can hold ends here, so that the sums below cannot overflow.
  const int64_t limit = int64_t{1} << 60;
  check(begin <= limit && end <= limit && dim <= limit, ErrorCode::out_of_memory, "pads ", begin, " and ", end,
        " make axis ", axis, " of ", dim, " too large");
  check(begin >= -limit && end >= -limit, ErrorCode::invalid_model, "pads ", begin, " and ", end,
        " take more than dimension ", axis, " of ", dim);
  const int64_t skip = std::max<int64_t>(-begin, 0), drop = std::max<int64_t>(-end, 0);
  Border b{skip, dim - skip - drop, std::max<int64_t>(begin, 0), std::max<int64_t>(end, 0)};
  if (mode == Mode::constant) {
    // What one side crops may reach into what the other adds.
    check(b.size() >= 0, ErrorCode::invalid_model, "pads ", begin, " and ", end, " take more than dimension ", axis,
          " of ", dim);
    if (b.kept < 0) {
      b = {0, 0, b.size(), 0};
    }
    return b;
  }
  check(b.kept >= 0, ErrorCode::invalid_model, "pads ", begin, " and ", end, " take more than dimension ", axis, " of ",
        dim);
  const bool grows = b.begin > 0 || b.end > 0;
  check(!grows || b.kept > 0, ErrorCode::invalid_model, "dimension ", axis, " is empty: nothing to pad with");
  check(mode != Mode::reflect || (b.begin < std::max<int64_t>(b.kept, 1) && b.end < std::max<int64_t>(b.kept, 1)),
        ErrorCode::invalid_model, "pads ", begin, " and ", end, " reflect more than dimension ", axis, " of ", dim);
  return b;
}

// The element of [0, kept) that stands at i, which is in [-begin, kept + end).
int64_t source(const Border& b, Mode mode, int64_t i) noexcept {
  if (mode == Mode::edge) return std::clamp<int64_t>(i, 0, b.kept - 1);
  if (mode == Mode::reflect) return i < 0 ? -i : i >= b.kept ? 2 * (b.kept - 1) - i : i;
  return (i % b.kept + b.kept) % b.kept;
}

// ONNX Pad: pads as attribute `paddings` (1), `pads` (2), or inputs with the value and, since 18, the axes.
class Pad final : public Operator {
 public:
  explicit Pad(const Attributes& a) : by_attribute_(a.since < 11), has_axes_(a.since >= 18) {
    // The standard has "wrap" since 19; PyTorch writes it into models of opset 18.
    mode_ = static_cast<Mode>(a.since >= 18 ? a.choice("mode", {"constant", "reflect", "edge", "wrap"}, 0)
                                            : a.choice("mode", {"constant", "reflect", "edge"}, 0));
    if (!by_attribute_) return;
    const std::string_view name = a.since < 2 ? "paddings" : "pads";
    check(a.has(name), ErrorCode::invalid_model, "attribute \"", name, "\" is missing");
    pads_ = a.ints(name);
    value_ = a.number("value", 0.0f);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(by_attribute_ ? 1 : 2, by_attribute_ ? 1 : has_axes_ ? 4 : 3);
    c.require_dtype(0, by_attribute_ ? kFloat : kAll);
    const Shape& x = c.shape(0);
    if (!by_attribute_ && c.has_input(2)) {
      c.require_same_dtype(0, 2);
      check(c.shape(2).count() <= 1, ErrorCode::invalid_model, "constant_value must be one element, not ", c.shape(2));
    }
    KnownInts pads{true, pads_}, axes;
    if (!by_attribute_) pads = known_ints(c, 1);
    if (has_axes_ && c.has_input(3)) {
      axes = known_ints(c, 3);
      if (!axes.known) return c.defer();
    }
    if (!pads.known) return c.defer();
    Shape y;
    for (const Border& b : borders(x, pads.values, axes.known ? &axes.values : nullptr)) y.push_back(b.size());
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Tensor x = unpacked(c.input(0));
    Tensor y = unpacked_like(c.output(0));
    std::vector<int64_t> axes;
    const bool axes_given = has_axes_ && c.has_input(3);
    if (axes_given) axes = c.input(3).to_int64();
    const std::vector<int64_t> pads = by_attribute_ ? pads_ : c.input(1).to_int64();
    const std::vector<Border> list = borders(x.shape(), pads, axes_given ? &axes : nullptr);
    with_element(x.dtype(), [&]<class T>(T) {
      if (mode_ == Mode::constant) fill<T>(c, list, y);
      copy_inside(x, y, list);
      if (mode_ != Mode::constant) mirror<T>(y, list);
    });
    pack(y, c.output(0));
  }

 private:
  std::vector<Border> borders(const Shape& x, std::span<const int64_t> pads, const std::vector<int64_t>* axes) const {
    const size_t n = axes ? axes->size() : static_cast<size_t>(x.rank());
    check(pads.size() == 2 * n, ErrorCode::invalid_model, "there are ", pads.size(), " pads for ", n, " axes");
    if (axes) axis_bits(*axes, x.rank());
    std::vector<Border> list;
    for (int64_t d : x.dims()) list.push_back({0, d, 0, 0});
    for (size_t i = 0; i < n; i++) {
      const int axis = axes ? normalize_axis((*axes)[i], x.rank()) : static_cast<int>(i);
      list[static_cast<size_t>(axis)] = border(x[axis], pads[i], pads[n + i], mode_, axis);
    }
    return list;
  }

  // The constant's bytes as T; the borders are filled with it.
  template <class T>
  void fill(RunContext& c, const std::vector<Border>& list, Tensor& y) const {
    T value{};
    if (!by_attribute_ && c.has_input(2) && c.input(2).count() == 1) {
      value = *unpacked(c.input(2)).data<T>();
    } else if (by_attribute_) {
      Tensor bits = Tensor::allocate(c.output(0).dtype(), Shape{});
      store(bits);
      value = *bits.data<T>();
    }
    int64_t inner = 1;
    int i = y.rank() - 1;
    // Whole rows are filled at once: trailing axes without borders belong to the row.
    while (i >= 0 && list[static_cast<size_t>(i)].begin == 0 && list[static_cast<size_t>(i)].end == 0)
      inner *= y.dim(i--);
    if (i < 0) return;
    fill_axis(y.data<T>(), list, y.shape(), i, inner, value);
  }

  template <class T>
  static void fill_axis(T* y, const std::vector<Border>& list, const Shape& shape, int last, int64_t inner,
                        const T& value) {
    const int64_t rows = shape.count(0, last);
    const Border& b = list[static_cast<size_t>(last)];
    for (int64_t row = 0; row < rows; row++, y += shape[last] * inner) {
      bool outside = b.kept == 0;
      for (int64_t i = last - 1, at = row; i >= 0 && !outside; i--) {
        const Border& o = list[static_cast<size_t>(i)];
        const int64_t k = at % shape[static_cast<int>(i)] - o.begin;
        at /= shape[static_cast<int>(i)];
        outside = k < 0 || k >= o.kept;
      }
      if (outside) {
        std::fill_n(y, shape[last] * inner, value);
      } else {
        std::fill_n(y, b.begin * inner, value);
        std::fill_n(y + (b.begin + b.kept) * inner, b.end * inner, value);
      }
    }
  }

  void store(Tensor& to) const {
    if (to.dtype() == DType::float32) *to.data<float>() = value_;
    if (to.dtype() == DType::float64) *to.data<double>() = static_cast<double>(value_);
    if (to.dtype() == DType::float16) *to.data<Float16>() = Float16(value_);
    if (to.dtype() == DType::bfloat16) *to.data<BFloat16>() = BFloat16(value_);
  }

  static void copy_inside(const Tensor& x, Tensor& y, const std::vector<Border>& list) {
    const auto xs = x.shape().strides(), ys = y.shape().strides();
    StridedBox box;
    int64_t from = 0, to = 0;
    for (size_t i = 0; i < list.size(); i++) {
      from += list[i].skip * xs[i];
      to += list[i].begin * ys[i];
      box.add(list[i].kept, xs[i], ys[i]);
    }
    box.copy(x.dtype(), x.bytes(), from, y.bytes(), to);
  }

  // Fills the borders from the inside, innermost axis first: once an axis is done, its rows are whole.
  template <class T>
  void mirror(Tensor& y, const std::vector<Border>& list) const {
    const auto strides = y.shape().strides();
    for (int axis = y.rank() - 1; axis >= 0; axis--) {
      const Border& b = list[static_cast<size_t>(axis)];
      if (b.begin == 0 && b.end == 0) continue;
      const int64_t inner = strides[static_cast<size_t>(axis)];
      const int64_t outer = y.shape().count(0, axis);
      for (int64_t o = 0; o < outer; o++) {
        if (!inside(o, list, y.shape(), axis)) continue;
        T* rows = y.data<T>() + (o * b.size() + b.begin) * inner;
        for (int64_t i = -b.begin; i < b.kept + b.end; i++) {
          if (i == 0) i = b.kept;
          if (i < b.kept + b.end) std::copy_n(rows + source(b, mode_, i) * inner, inner, rows + i * inner);
        }
      }
    }
  }

  // Does row `o` of the axes before `axis` come from the input?
  static bool inside(int64_t o, const std::vector<Border>& list, const Shape& shape, int axis) {
    for (int i = axis - 1; i >= 0; i--) {
      const Border& b = list[static_cast<size_t>(i)];
      const int64_t k = o % shape[i] - b.begin;
      o /= shape[i];
      if (k < 0 || k >= b.kept) return false;
    }
    return true;
  }

  bool by_attribute_, has_axes_;
  Mode mode_ = Mode::constant;
  float value_ = 0;
  std::vector<int64_t> pads_;
};

constexpr OpEntry kOps[] = {
    {"Pad", 1, make_operator<Pad>},  {"Pad", 2, make_operator<Pad>},  {"Pad", 11, make_operator<Pad>},
    {"Pad", 18, make_operator<Pad>}, {"Pad", 19, make_operator<Pad>},
};

}  // namespace

std::span<const OpEntry> pad_ops() { return kOps; }

}  // namespace sardonyx
