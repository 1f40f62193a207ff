// DepthToSpace and SpaceToDepth: blocks of pixels to channels and back.
#include "ops/families.h"
#include "ops/util/elements.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

class DepthSpace final : public Operator {
 public:
  DepthSpace(const Attributes& a, bool to_space) : block_(a.integer("blocksize")), to_space_(to_space) {
    check(block_ >= 1 && block_ < 1 << 20, ErrorCode::invalid_model, "blocksize is ", block_);
    if (a.since >= (to_space ? 11 : 28)) column_row_depth_ = a.choice("mode", {"DCR", "CRD"}, 0) == 1;
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kAddressable);
    c.require_rank(0, 4, 4);
    const Shape& x = c.shape(0);
    const int64_t area = block_ * block_;
    if (to_space_) {
      check(x[1] % area == 0, ErrorCode::invalid_input, x[1], " channels are no multiple of ", area);
      c.set_output(0, c.dtype(0), {x[0], x[1] / area, x[2] * block_, x[3] * block_});
    } else {
      check(x[2] % block_ == 0 && x[3] % block_ == 0, ErrorCode::invalid_input, "a plane of ", x[2], "x", x[3],
            " does not divide into blocks of ", block_);
      c.set_output(0, c.dtype(0), {x[0], x[1] * area, x[2] / block_, x[3] / block_});
    }
  }

  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &y = c.output(0);
    if (x.count() == 0) return;
    // `deep` has the blocks in its channels: channel (c, by, bx) in mode CRD, (by, bx, c) in mode DCR.
    const Shape& deep = to_space_ ? x.shape() : y.shape();
    const int64_t channels = deep[1] / (block_ * block_), h = deep[2], w = deep[3], plane = h * w;
    const int64_t channel = column_row_depth_ ? block_ * block_ * plane : plane;
    const int64_t block_column = column_row_depth_ ? plane : channels * plane;
    const int64_t wide_row = w * block_, wide_plane = plane * block_ * block_;
    StridedBox box;
    const auto add = [&](int64_t count, int64_t deep_stride, int64_t wide_stride) {
      box.add(count, to_space_ ? deep_stride : wide_stride, to_space_ ? wide_stride : deep_stride);
    };
    add(deep[0], deep[1] * plane, deep[1] * plane);
    add(channels, channel, wide_plane);
    add(h, w, wide_row * block_);
    add(block_, block_column * block_, wide_row);
    add(w, 1, block_);
    add(block_, block_column, 1);
    box.copy(x.dtype(), x.bytes(), 0, y.bytes(), 0);
  }

 private:
  int64_t block_;
  bool to_space_, column_row_depth_ = false;
};

std::unique_ptr<Operator> make_to_space(const Attributes& a) { return std::make_unique<DepthSpace>(a, true); }
std::unique_ptr<Operator> make_to_depth(const Attributes& a) { return std::make_unique<DepthSpace>(a, false); }

constexpr OpEntry kOps[] = {
    {"DepthToSpace", 1, make_to_space}, {"DepthToSpace", 11, make_to_space}, {"DepthToSpace", 13, make_to_space},
    {"SpaceToDepth", 1, make_to_depth}, {"SpaceToDepth", 13, make_to_depth},
};

}  // namespace

std::span<const OpEntry> depth_space_ops() { return kOps; }

}  // namespace sardonyx
