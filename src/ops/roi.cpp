// RoiAlign and MaxRoiPool: parts of feature maps, pooled to one size.
#include <cmath>
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

// A sample on one axis: between two pixels that weigh `near` and `far`.
struct RoiSample {
  int64_t low, high;
  double near, far;
};

// One axis of a region: the samples of every bin that lie on the map (bin i has those from first[i] to first[i + 1]),
// and how many all bins have each.
struct RoiAxis {
  std::vector<RoiSample> samples;
  std::vector<size_t> first{0};
  int64_t count = 0;

  RoiAxis(double start, double length, int64_t bins, int64_t ratio, int64_t pixels) {
    const double bin = length / static_cast<double>(bins);
    count = ratio > 0 ? ratio : std::max<int64_t>(0, saturate<int64_t>(std::ceil(bin)));
    const double step = bin / static_cast<double>(count), end = static_cast<double>(pixels);
    for (int64_t i = 0; i < bins; i++) {
      const double from = start + static_cast<double>(i) * bin;
      // A sample lies on the map where its position is in [-1, end]; huge regions have few such samples of many.
      int64_t at = 0, last = count;
      if (ratio == 0 && count > 0) {
        at = std::clamp<int64_t>(saturate<int64_t>((-1 - from) / step - 1), 0, count);
        last = std::clamp<int64_t>(saturate<int64_t>(std::min((end - from) / step + 1, 0x1p62)), at, count);
      }
      for (; at < last; at++) {
        const double p = from + (static_cast<double>(at) + 0.5) * step;
        if (p >= -1 && p <= end) add(std::max(p, 0.0), pixels);
      }
      first.push_back(samples.size());
    }
  }

  void add(double p, int64_t pixels) {
    const int64_t low = std::min(static_cast<int64_t>(p), pixels - 1);
    const double far = low == pixels - 1 ? 0 : p - static_cast<double>(low);
    samples.push_back({low, std::min(low + 1, pixels - 1), 1 - far, far});
  }
  // Has bin i a sample outside the map?
  bool leaves(size_t i) const noexcept { return first[i + 1] - first[i] < static_cast<size_t>(count); }
};

// The mean over the samples; those outside the map count as zeros.
double mean_of_bin(const float* plane, int64_t width, const RoiAxis& y, size_t row, const RoiAxis& x, size_t column) {
  double sum = 0;
  for (size_t i = y.first[row]; i < y.first[row + 1]; i++) {
    const RoiSample& v = y.samples[i];
    const float *low = plane + v.low * width, *high = plane + v.high * width;
    for (size_t k = x.first[column]; k < x.first[column + 1]; k++) {
      const RoiSample& h = x.samples[k];
      sum += v.near * (h.near * static_cast<double>(low[h.low]) + h.far * static_cast<double>(low[h.high])) +
             v.far * (h.near * static_cast<double>(high[h.low]) + h.far * static_cast<double>(high[h.high]));
    }
  }
  return sum / std::max(1.0, static_cast<double>(y.count) * static_cast<double>(x.count));
}

// The largest weighted pixel of all samples; those outside the map count as zeros.
double max_of_bin(const float* plane, int64_t width, const RoiAxis& y, size_t row, const RoiAxis& x, size_t column) {
  const bool none = y.count == 0 || x.count == 0;
  double most = none || y.leaves(row) || x.leaves(column) ? 0 : -HUGE_VAL;
  for (size_t i = y.first[row]; i < y.first[row + 1]; i++) {
    const RoiSample& v = y.samples[i];
    const float *low = plane + v.low * width, *high = plane + v.high * width;
    for (size_t k = x.first[column]; k < x.first[column + 1]; k++) {
      const RoiSample& h = x.samples[k];
      most = std::max(
          {most, v.near * h.near * static_cast<double>(low[h.low]), v.near * h.far * static_cast<double>(low[h.high]),
           v.far * h.near * static_cast<double>(high[h.low]), v.far * h.far * static_cast<double>(high[h.high])});
    }
  }
  return most;
}

// The image that a region is on.
int64_t image_of(int64_t index, int64_t images) {
  check(index >= 0 && index < images, ErrorCode::runtime_error, "batch index ", index, " is out of range for ", images,
        " images");
  return index;
}

void require_pixels(const Shape& x, const Shape& y) {
  check(y.count() == 0 || (x[2] > 0 && x[3] > 0), ErrorCode::invalid_input, "X of shape ", x, " has no pixels");
}

class RoiAlign final : public Operator {
 public:
  explicit RoiAlign(const Attributes& a)
      : half_pixel_(a.since >= 16 &&
                    a.choice("coordinate_transformation_mode", {"half_pixel", "output_half_pixel"}, 0) == 0),
        max_(a.choice("mode", {"avg", "max"}, 0) == 1),
        height_(a.integer("output_height", 1)),
        width_(a.integer("output_width", 1)),
        ratio_(a.integer("sampling_ratio", 0)),
        scale_(static_cast<double>(a.number("spatial_scale", 1))) {
    check(height_ >= 1 && width_ >= 1 && ratio_ >= 0 && std::max({height_, width_, ratio_}) <= 1 << 16,
          ErrorCode::invalid_model, "output_height is ", height_, ", output_width ", width_, ", sampling_ratio ",
          ratio_);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 4, 4);
    c.require_same_dtype(0, 1);
    c.require_rank(1, 2, 2);
    c.require_dtype(2, {DType::int64});
    const Shape &x = c.shape(0), &rois = c.shape(1);
    check(rois[1] == 4, ErrorCode::invalid_input, "rois of shape ", rois, ", not [", rois[0], ", 4]");
    check(c.shape(2) == Shape{rois[0]}, ErrorCode::invalid_input, "batch_indices of shape ", c.shape(2), " for ",
          rois[0], " regions");
    const Shape y{rois[0], x[1], height_, width_};
    require_pixels(x, y);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const int64_t channels = c.input(0).dim(1), h = c.input(0).dim(2), w = c.input(0).dim(3);
    const int64_t bins = height_ * width_;
    if (c.output(0).count() == 0) return;
    const Tensor x = to_float32(c.input(0));
    FloatOutput y(c.output(0));
    for (int64_t n = 0; n < c.input(1).dim(0); n++) {
      c.services().check_abort();
      const int64_t image = image_of(c.input(2).data<int64_t>()[n], x.dim(0));
      const RoiAxis rows = axis(c.input(1), n * 4 + 1, height_, h), columns = axis(c.input(1), n * 4, width_, w);
      c.pool().parallel_for(channels, std::max<int64_t>(1, (1 << 10) / bins), [&](int64_t from, int64_t to) {
        for (int64_t i = from * bins; i < to * bins; i++) {
          const float* plane = x.data<float>() + (image * channels + i / bins) * h * w;
          const auto row = static_cast<size_t>(i % bins / width_), column = static_cast<size_t>(i % width_);
          const double v = max_ ? max_of_bin(plane, w, rows, row, columns, column)
                                : mean_of_bin(plane, w, rows, row, columns, column);
          y.data()[n * channels * bins + i] = static_cast<float>(v);
        }
      });
    }
    y.store();
  }

 private:
  // The axis whose start is element `at` of rois.
  RoiAxis axis(const Tensor& rois, int64_t at, int64_t bins, int64_t pixels) const {
    const double shift = half_pixel_ ? 0.5 : 0, start = float_at(rois, at) * scale_ - shift;
    double length = float_at(rois, at + 2) * scale_ - shift - start;
    if (!half_pixel_) length = std::max(length, 1.0);
    return RoiAxis(start, length, bins, ratio_, pixels);
  }

  bool half_pixel_, max_;
  int64_t height_, width_, ratio_;
  double scale_;
};

class MaxRoiPool final : public Operator {
 public:
  explicit MaxRoiPool(const Attributes& a)
      : pooled_(a.ints("pooled_shape")), scale_(static_cast<double>(a.number("spatial_scale", 1))) {
    check(pooled_.size() == 2 && std::min(pooled_[0], pooled_[1]) >= 1 && std::max(pooled_[0], pooled_[1]) <= 1 << 16,
          ErrorCode::invalid_model, "pooled_shape is no height and width");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 4, 4);
    c.require_same_dtype(0, 1);
    c.require_rank(1, 2, 2);
    const Shape &x = c.shape(0), &rois = c.shape(1);
    check(rois[1] == 5, ErrorCode::invalid_input, "rois of shape ", rois, ", not [", rois[0], ", 5]");
    const Shape y{rois[0], x[1], pooled_[0], pooled_[1]};
    require_pixels(x, y);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &rois = c.input(1);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const int64_t channels = x.dim(1), bins = pooled_[0] * pooled_[1];
    for (int64_t n = 0; n < rois.dim(0); n++) {
      c.services().check_abort();
      const int64_t image = image_of(saturate<int64_t>(float_at(rois, n * 5)), x.dim(0));
      c.pool().parallel_for(channels, std::max<int64_t>(1, (1 << 10) / bins), [&](int64_t from, int64_t to) {
        for (int64_t i = from * bins; i < to * bins; i++) {
          const Range rows = range(rois, n * 5 + 2, i % bins / pooled_[1], pooled_[0], x.dim(2));
          const Range columns = range(rois, n * 5 + 1, i % pooled_[1], pooled_[1], x.dim(3));
          const int64_t plane = (image * channels + i / bins) * x.dim(2);
          double most = rows.from < rows.to && columns.from < columns.to ? -HUGE_VAL : 0;
          for (int64_t r = rows.from; r < rows.to; r++) {
            for (int64_t k = columns.from; k < columns.to; k++) {
              most = std::max(most, float_at(x, (plane + r) * x.dim(3) + k));
            }
          }
          put_float(y, n * channels * bins + i, most);
        }
      });
    }
  }

 private:
  struct Range {
    int64_t from, to;
  };
  // The pixels of bin i of the axis whose start is element `at` of rois: whole pixels, both ends included.
  Range range(const Tensor& rois, int64_t at, int64_t i, int64_t bins, int64_t pixels) const noexcept {
    const double start = std::round(float_at(rois, at) * scale_), end = std::round(float_at(rois, at + 2) * scale_);
    const double bin = std::max(end - start + 1, 1.0) / static_cast<double>(bins), most = static_cast<double>(pixels);
    const double from = std::floor(static_cast<double>(i) * bin) + start;
    const double to = std::ceil(static_cast<double>(i + 1) * bin) + start;
    return {saturate<int64_t>(std::clamp(from, 0.0, most)), saturate<int64_t>(std::clamp(to, 0.0, most))};
  }

  std::vector<int64_t> pooled_;
  double scale_;
};

constexpr OpEntry kOps[] = {{"RoiAlign", 10, make_operator<RoiAlign>},
                            {"RoiAlign", 16, make_operator<RoiAlign>},
                            {"RoiAlign", 22, make_operator<RoiAlign>},
                            {"MaxRoiPool", 1, make_operator<MaxRoiPool>},
                            {"MaxRoiPool", 22, make_operator<MaxRoiPool>}};

}  // namespace

std::span<const OpEntry> roi_ops() { return kOps; }

}  // namespace sardonyx
