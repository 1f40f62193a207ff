// AffineGrid: the sampling positions that affine matrices give, for GridSample.
#include <array>

#include "ops/families.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

class AffineGrid final : public Operator {
 public:
  explicit AffineGrid(const Attributes& a) : align_corners_(a.flag("align_corners", false)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 3, 3);
    c.require_dtype(1, {DType::int64});
    c.require_rank(1, 1, 1);
    const Shape& theta = c.shape(0);
    const int64_t axes = c.shape(1)[0] - 2;
    check(axes == 2 || axes == 3, ErrorCode::invalid_input, "size has ", axes + 2, " elements, not 4 or 5");
    check(theta[1] == axes && theta[2] == axes + 1, ErrorCode::invalid_input, "theta of shape ", theta, ", not ",
          Shape{theta[0], axes, axes + 1});
    const Tensor* size = c.value(1);
    if (!size) return c.defer();
    const std::vector<int64_t> dims = size->to_int64();
    check(dims[0] == theta[0], ErrorCode::invalid_input, "size asks for ", dims[0], " grids of ", theta[0],
          " matrices");
    Shape grid{theta[0]};
    for (size_t i = 2; i < dims.size(); i++) {
      check(dims[i] >= 0, ErrorCode::invalid_input, "size asks for ", dims[i], " positions on an axis");
      grid.push_back(dims[i]);
    }
    grid.push_back(axes);
    c.set_output(0, c.dtype(0), grid);
  }

  void run(RunContext& c) const override {
    const Tensor& theta = c.input(0);
    Tensor& grid = c.output(0);
    if (grid.count() == 0) return;
    const Shape& shape = grid.shape();
    const int axes = static_cast<int>(shape.back());
    const int64_t points = shape.count(1, axes + 1), matrix = axes * (axes + 1);
    c.pool().parallel_for(shape[0] * points, 1 << 12, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {
        // The point's coordinates, innermost axis first.
        std::array<double, 3> point{};
        int64_t rest = i % points;
        for (int axis = axes; axis > 0; axis--) {
          point[static_cast<size_t>(axes - axis)] = position(rest % shape[axis], shape[axis]);
          rest /= shape[axis];
        }
        for (int r = 0; r < axes; r++) {
          const int64_t row = i / points * matrix + r * (axes + 1);
          double sum = float_at(theta, row + axes);
          for (int k = 0; k < axes; k++) sum += float_at(theta, row + k) * point[static_cast<size_t>(k)];
          put_float(grid, i * axes + r, sum);
        }
      }
    });
  }

 private:
  // Of element i of n, in [-1, 1]; a single one is in the center, as in PyTorch.
  double position(int64_t i, int64_t n) const noexcept {
    const double at = static_cast<double>(i), length = static_cast<double>(n);
    if (!align_corners_) return (2 * at + 1) / length - 1;
    return n == 1 ? 0 : 2 * at / (length - 1) - 1;
  }

  bool align_corners_;
};

constexpr OpEntry kOps[] = {{"AffineGrid", 20, make_operator<AffineGrid>}};

}  // namespace

std::span<const OpEntry> affine_grid_ops() { return kOps; }

}  // namespace sardonyx
