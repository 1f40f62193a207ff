// DFT and STFT.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/axes.h"
#include "ops/util/fft.h"

namespace sardonyx {
namespace {

void require_signal(const InferContext& c) {
  c.require_dtype(0, kFloat);
  c.require_rank(0, 2);
  const int64_t parts = c.shape(0).back();
  check(parts == 1 || parts == 2, ErrorCode::invalid_model, "the last dimension must be 1 (real) or 2 (complex), not ",
        parts);
}

// Input i where it is there: one integer.
void require_integer(const InferContext& c, int i, std::string_view name, DTypeSet types = kIndex) {
  if (!c.has_input(i)) return;
  c.require_dtype(i, types);
  check(c.shape(i).count() == 1, ErrorCode::invalid_model, name, " must be one number, not ", c.shape(i));
}

int64_t checked_length(int64_t n) {
  check(n >= 1 && n <= Fft::kMost, ErrorCode::runtime_error, "no transform has the length ", n);
  return n;
}

// Element j of a line of `parts` numbers each that starts at `at` and steps by `step` numbers.
Complex element(const Tensor& x, int64_t at, int64_t j, int64_t step, int64_t parts) noexcept {
  const int64_t i = at + j * step;
  return {float_at(x, i), parts == 2 ? float_at(x, i + 1) : 0};
}

// Calls body(line, buffer, work) for each line, with n elements for it alone and the plan's scratch.
template <class Body>
void each_line(ThreadPool& pool, const Fft& fft, int64_t lines, Body&& body) {
  const int64_t grain = std::max<int64_t>(8, (lines + 31) / 32), size = fft.size() + fft.scratch();
  std::vector<Complex> buffers(static_cast<size_t>((lines + grain - 1) / grain * size));
  pool.parallel_for(lines, grain, [&](int64_t from, int64_t to) {
    Complex* buffer = buffers.data() + from / grain * size;
    for (; from < to; from++) body(from, buffer, buffer + fft.size());
  });
}

// ONNX DFT. One-sided: forward the first half of the result is kept, inverse the first half is given.
class Dft final : public Operator {
 public:
  explicit Dft(const Attributes& a)
      : axis_input_(a.since >= 20),
        axis_(axis_input_ ? -2 : a.integer("axis", 1)),
        inverse_(a.flag("inverse", false)),
        onesided_(a.flag("onesided", false)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, axis_input_ ? 3 : 2);
    require_signal(c);
    require_integer(c, 1, "dft_length");
    require_integer(c, 2, "axis", {DType::int64});
    check(!onesided_ || c.shape(0).back() == (inverse_ ? 2 : 1), ErrorCode::invalid_model,
          inverse_ ? "a one-sided inverse transform takes complex input" : "a one-sided transform takes real input");
    const Tensor* length = c.has_input(1) ? c.value(1) : nullptr;
    const Tensor* axis = c.has_input(2) ? c.value(2) : nullptr;
    if ((c.has_input(1) && !length) || (c.has_input(2) && !axis)) return c.defer();
    Shape y = c.shape(0);
    const int at = axis_of(axis, y.rank());
    const int64_t n = length_of(length, y[at]);
    y[at] = onesided_ && !inverse_ ? n / 2 + 1 : n;
    y[y.rank() - 1] = onesided_ && inverse_ ? 1 : 2;
    c.set_output(0, c.dtype(0), y);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const int axis = axis_of(c.has_input(2) ? &c.input(2) : nullptr, x.rank());
    const int64_t count = x.dim(axis);
    const Fft fft(length_of(c.has_input(1) ? &c.input(1) : nullptr, count));
    const int64_t n = fft.size(), inner = x.shape().count(axis + 1, x.rank() - 1);
    const int64_t x_parts = x.shape().back(), y_parts = y.shape().back(), shown = y.dim(axis);
    const int64_t given = std::min(count, onesided_ && inverse_ ? n / 2 + 1 : n);
    const double scale = inverse_ ? 1 / static_cast<double>(n) : 1;
    each_line(c.pool(), fft, x.shape().count(0, axis) * inner, [&](int64_t line, Complex* v, Complex* work) {
      const int64_t outer = line / inner, at = line % inner;
      for (int64_t j = 0; j < n; j++) {
        v[j] = j < given ? element(x, (outer * count * inner + at) * x_parts, j, inner * x_parts, x_parts) : Complex{};
      }
      if (onesided_ && inverse_) mirror(v, n);
      fft.transform(v, work, inverse_);
      for (int64_t j = 0; j < shown; j++) {
        const int64_t to = ((outer * shown + j) * inner + at) * y_parts;
        put_float(y, to, v[j].re * scale);
        if (y_parts == 2) put_float(y, to + 1, v[j].im * scale);
      }
    });
  }

 private:
  // The other half of the spectrum of a real signal; its element 0, and n / 2 of an even n, are real.
  static void mirror(Complex* v, int64_t n) noexcept {
    v[0].im = 0;
    if (n % 2 == 0) v[n / 2].im = 0;
    for (int64_t j = n / 2 + 1; j < n; j++) v[j] = {v[n - j].re, -v[n - j].im};
  }
  int axis_of(const Tensor* input, int rank) const {
    const int axis = normalize_axis(input ? input->to_int64()[0] : axis_, rank);
    check(axis < rank - 1, ErrorCode::invalid_model, "axis ", axis, " is that of real and imaginary parts");
    return axis;
  }
  int64_t length_of(const Tensor* input, int64_t dim) const {
    return checked_length(input ? input->to_int64()[0] : onesided_ && inverse_ ? 2 * (dim - 1) : dim);
  }
  bool axis_input_;
  int64_t axis_;
  bool inverse_, onesided_;
};

// ONNX STFT: transforms of windows [frame_length] that step over the signal [batch, length, 1 or 2].
class Stft final : public Operator {
 public:
  explicit Stft(const Attributes& a) : onesided_(a.flag("onesided", true)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 4);
    require_signal(c);
    c.require_rank(0, 3, 3);
    c.require_input(1);
    require_integer(c, 1, "frame_step");
    require_integer(c, 3, "frame_length");
    if (c.has_input(2)) {
      c.require_same_dtype(2, 0);
      c.require_rank(2, 1, 1);
    }
    const Tensor *step = c.value(1), *length = c.has_input(3) ? c.value(3) : nullptr;
    if (!step || (c.has_input(3) && !length)) return c.defer();
    const int64_t hop = step->to_int64()[0], signal = c.shape(0)[1];
    check(hop > 0, ErrorCode::runtime_error, "frame_step is ", hop);
    const int64_t n = checked_length(length ? length->to_int64()[0] : c.has_input(2) ? c.shape(2)[0] : signal);
    if (c.has_input(2)) {
      check(c.shape(2)[0] == n, ErrorCode::invalid_model, "the window has ", c.shape(2)[0], " elements, frames have ",
            n);
    }
    check(n <= signal, ErrorCode::invalid_model, "frames of ", n, " in a signal of ", signal);
    c.set_output(0, c.dtype(0), Shape{c.shape(0)[0], (signal - n) / hop + 1, onesided_ ? n / 2 + 1 : n, 2});
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const Tensor* window = c.has_input(2) ? &c.input(2) : nullptr;
    const int64_t hop = c.input(1).to_int64()[0], signal = x.dim(1), parts = x.dim(2);
    const Fft fft(c.has_input(3) ? c.input(3).to_int64()[0] : window ? window->count() : signal);
    const int64_t frames = y.dim(1), shown = y.dim(2);
    each_line(c.pool(), fft, y.dim(0) * frames, [&](int64_t line, Complex* v, Complex* work) {
      const int64_t at = (line / frames * signal + line % frames * hop) * parts;
      for (int64_t j = 0; j < fft.size(); j++) {
        v[j] = element(x, at, j, parts, parts);
        const double w = window ? float_at(*window, j) : 1;
        v[j] = {v[j].re * w, v[j].im * w};
      }
      fft.transform(v, work, false);
      for (int64_t j = 0; j < shown; j++) {
        put_float(y, (line * shown + j) * 2, v[j].re);
        put_float(y, (line * shown + j) * 2 + 1, v[j].im);
      }
    });
  }

 private:
  bool onesided_;
};

constexpr OpEntry kOps[] = {
    {"DFT", 17, make_operator<Dft>},
    {"DFT", 20, make_operator<Dft>},
    {"STFT", 17, make_operator<Stft>},
};

}  // namespace

std::span<const OpEntry> fourier_ops() { return kOps; }

}  // namespace sardonyx
