// NonMaxSuppression: the best boxes of each class that do not overlap too much.
#include <algorithm>
#include <array>

#include "kernels/boxes/overlap.h"
#include "ops/selection.h"

namespace sardonyx {
namespace {

using Box = std::array<float, kernels::kBoxFields>;

Box box_of(float x0, float y0, float x1, float y1) noexcept { return {x0, y0, x1, y1, (x1 - x0) * (y1 - y0)}; }

// The boxes that are kept, field by field, as the kernel reads them.
class Kept {
 public:
  std::vector<int64_t> indices;

  void push(const Box& box, int64_t index) {
    const size_t at = indices.size();
    for (size_t f = 0; f < box.size(); f++) {
      if (at % 4 == 0) fields_[f].resize(at + 4, 0.0f);
      fields_[f][at] = box[f];
    }
    indices.push_back(index);
  }

  bool overlapped_by(const Box& box, float threshold) const noexcept {
    const float* others[kernels::kBoxFields];
    for (size_t f = 0; f < box.size(); f++) others[f] = fields_[f].data();
    return kernels::overlaps_any_f32(box.data(), others, indices.size(), threshold);
  }

 private:
  std::vector<float> fields_[kernels::kBoxFields];
};

// ONNX NonMaxSuppression. Inputs: boxes [batches, n, 4], scores [batches, classes, n], then optional scalars: most
// boxes per class (0 by default), overlap above which a box is dropped, score below which it is.
class NonMaxSuppression final : public Operator {
 public:
  explicit NonMaxSuppression(const Attributes& a) : centered_(a.flag("center_point_box", false)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 5);
    for (int i = 0; i < c.input_count(); i++) {
      if (i >= 2 && !c.has_input(i)) continue;
      c.require_dtype(i, {i == 2 ? DType::int64 : DType::float32});
      check(i < 2 || c.shape(i).count() == 1, ErrorCode::invalid_model, "input ", i, " must be one number, not ",
            c.shape(i));
    }
    c.require_rank(0, 3, 3);
    c.require_rank(1, 3, 3);
    const Shape &boxes = c.shape(0), &scores = c.shape(1);
    check(boxes[2] == 4 && boxes[0] == scores[0] && boxes[1] == scores[2], ErrorCode::invalid_model, "boxes are ",
          boxes, ", scores ", scores);
    c.set_output_deferred(0);
  }

  void run(RunContext& c) const override {
    const Tensor &boxes = c.input(0), &scores = c.input(1);
    const int64_t batches = boxes.dim(0), n = boxes.dim(1), classes = scores.dim(1);
    const int64_t most = c.has_input(2) ? std::max<int64_t>(*c.input(2).data<int64_t>(), 0) : 0;
    const float overlap = c.has_input(3) ? *c.input(3).data<float>() : 0.0f;
    const float* least = c.has_input(4) ? c.input(4).data<float>() : nullptr;
    std::vector<int64_t> selected;
    std::vector<Box> list(static_cast<size_t>(n));
    for (int64_t b = 0; b < batches && most > 0; b++) {
      for (int64_t i = 0; i < n; i++) list[static_cast<size_t>(i)] = read(boxes.data<float>() + (b * n + i) * 4);
      for (int64_t k = 0; k < classes; k++) {
        const float* score = scores.data<float>() + (b * classes + k) * n;
        for (int64_t i : best(c, list, {score, static_cast<size_t>(n)}, least, most, overlap)) {
          selected.insert(selected.end(), {b, k, i});
        }
      }
    }
    c.set(0, Tensor::of(selected).reshaped(Shape{static_cast<int64_t>(selected.size() / 3), 3}));
  }

 private:
  Box read(const float* v) const noexcept {
    if (centered_) return box_of(v[0] - v[2] / 2, v[1] - v[3] / 2, v[0] + v[2] / 2, v[1] + v[3] / 2);
    return box_of(std::min(v[1], v[3]), std::min(v[0], v[2]), std::max(v[1], v[3]), std::max(v[0], v[2]));
  }

  static std::vector<int64_t> best(RunContext& c, std::span<const Box> boxes, std::span<const float> scores,
                                   const float* least, int64_t most, float overlap) {
    constexpr size_t kBetweenChecks = 256;
    c.services().check_abort();
    std::vector<int64_t> order;
    for (size_t i = 0; i < scores.size(); i++) {
      // NaN never enters: it has no place in the order.
      if (least ? scores[i] > *least : scores[i] == scores[i]) order.push_back(static_cast<int64_t>(i));
    }
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const float sa = scores[static_cast<size_t>(a)], sb = scores[static_cast<size_t>(b)];
      return sa > sb || (sa == sb && a < b);
    });
    Kept kept;
    for (size_t i = 0; i < order.size() && static_cast<int64_t>(kept.indices.size()) < most; i++) {
      if (i % kBetweenChecks == kBetweenChecks - 1) c.services().check_abort();
      const Box& box = boxes[static_cast<size_t>(order[i])];
      if (!kept.overlapped_by(box, overlap)) kept.push(box, order[i]);
    }
    return std::move(kept.indices);
  }

  bool centered_;
};

}  // namespace

std::unique_ptr<Operator> make_non_max_suppression(const Attributes& a) {
  return std::make_unique<NonMaxSuppression>(a);
}

}  // namespace sardonyx
