// Transpose: permutes dimensions.
#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

// ONNX Transpose: dimension i of the output is dimension perm[i] of the input; without `perm` they are reversed.
class Transpose final : public Operator {
 public:
  explicit Transpose(const Attributes& a) : given_(a.has("perm")), perm_(a.ints("perm")) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kAll);
    const Shape& x = c.shape(0);
    if (given_) {
      check(perm_.size() == static_cast<size_t>(x.rank()), ErrorCode::invalid_model, "perm has ", perm_.size(),
            " axes, the input's rank is ", x.rank());
      axis_bits(perm_, x.rank());
    }
    Shape y;
    for (int i = 0; i < x.rank(); i++) y.push_back(x[source(i, x.rank())]);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor x = unpacked(c.input(0));
    Tensor y = unpacked_like(c.output(0));
    if (x.count() == 0) return;
    if (x.dtype() == DType::string) return permute_strings(x, y);
    std::vector<int64_t> perm;
    for (int i = 0; i < x.rank(); i++) perm.push_back(source(i, x.rank()));
    permute(x, perm, y);
    pack(y, c.output(0));
  }

 private:
  void permute_strings(const Tensor& x, Tensor& y) const {
    const auto xs = x.shape().strides(), ys = y.shape().strides();
    StridedBox box;
    for (int i = 0; i < x.rank(); i++) {
      box.add(y.dim(i), xs[static_cast<size_t>(source(i, x.rank()))], ys[static_cast<size_t>(i)]);
    }
    box.copy(DType::string, x.bytes(), 0, y.bytes(), 0);
  }
  int source(int i, int rank) const {
    return given_ ? normalize_axis(perm_[static_cast<size_t>(i)], rank) : rank - 1 - i;
  }
  bool given_;
  std::vector<int64_t> perm_;
};

constexpr OpEntry kOps[] = {{"Transpose", 1, make_operator<Transpose>}};

}  // namespace

std::span<const OpEntry> transpose_ops() { return kOps; }

}  // namespace sardonyx
