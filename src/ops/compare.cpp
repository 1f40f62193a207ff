// Comparisons of two tensors, with broadcasting.
#include "ops/families.h"
#include "ops/util/binary_map.h"
#include "ops/util/broadcast.h"
#include "ops/util/dispatch.h"

namespace sardonyx {
namespace {

struct SameValue {
  template <class T>
  bool operator()(T a, T b) const noexcept {
    return a == b;
  }
};
struct SameBool {
  bool operator()(uint8_t a, uint8_t b) const noexcept { return (a != 0) == (b != 0); }
};
struct Below {
  template <class T>
  bool operator()(T a, T b) const noexcept {
    return a < b;
  }
};
struct NotAbove {
  template <class T>
  bool operator()(T a, T b) const noexcept {
    return a <= b;
  }
};

BinaryLoop equal(DType type) {
  if (type == DType::boolean) return binary_loop<uint8_t, SameBool, bool>;
  BinaryLoop loop = nullptr;
  if (dispatch<float, double>(type, [&]<class T>(TypeTag<T>) { loop = binary_loop<T, SameValue, bool>; })) return loop;
  dispatch_width(element_bytes(type), [&]<class T>(TypeTag<T>) { loop = binary_loop<T, SameValue, bool>; });
  return loop;
}
template <class F>
BinaryLoop ordered(DType type) {
  BinaryLoop loop = nullptr;
  if (dispatch<float, double>(type, [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F, bool>; })) return loop;
  dispatch_int(type, [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F, bool>; });
  return loop;
}

constexpr BinaryFunction kEqual{kNumeric | kBool | DTypeSet{DType::string}, equal, true};
constexpr BinaryFunction kLess{kNumeric, ordered<Below>, true};
constexpr BinaryFunction kLessOrEqual{kNumeric, ordered<NotAbove>, true};

class Equal final : public BinaryMap {
 public:
  explicit Equal(const Attributes& a) : BinaryMap(a, kEqual) {}
  void run(RunContext& c) const override {
    const Tensor& a = c.input(0);
    const Tensor& b = c.input(1);
    if (a.dtype() != DType::string) return BinaryMap::run(c);
    uint8_t* y = c.output(0).data<uint8_t>();
    const Broadcast walk(c.output(0).shape(), {&a.shape(), &b.shape()});
    walk.for_each_tile(c.pool(), [&](const BroadcastTile& t) {
      for (int64_t r = 0; r < t.rows; r++) {
        const std::string* left = a.data<std::string>() + t.offset[0] + r * t.row_stride[0];
        const std::string* right = b.data<std::string>() + t.offset[1] + r * t.row_stride[1];
        for (int64_t i = 0; i < t.cols; i++) {
          y[t.out + r * t.cols + i] = left[i * t.col_stride[0]] == right[i * t.col_stride[1]];
        }
      }
    });
  }
};

// a > b is b < a.
template <const BinaryFunction& kF, bool kSwapped>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<BinaryMap>(a, kF, kSwapped);
}

constexpr OpEntry kOps[] = {
    {"Equal", 1, make_operator<Equal>},
    {"Less", 1, make<kLess, false>},
    {"Greater", 1, make<kLess, true>},
    {"LessOrEqual", 12, make<kLessOrEqual, false>},
    {"GreaterOrEqual", 12, make<kLessOrEqual, true>},
};

}  // namespace

std::span<const OpEntry> compare_ops() { return kOps; }

}  // namespace sardonyx
