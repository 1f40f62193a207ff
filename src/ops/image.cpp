// ImageDecoder.
#include "base/image.h"
#include "ops/families.h"

namespace sardonyx {
namespace {

// ONNX ImageDecoder: encoded bytes to [height, width, 3 or 1].
class ImageDecoder final : public Operator {
 public:
  explicit ImageDecoder(const Attributes& a)
      : format_(static_cast<PixelFormat>(a.choice("pixel_format", {"RGB", "BGR", "Grayscale"}, 0))) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, {DType::uint8});
    c.require_rank(0, 1, 1);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    Output output(c, format_ == PixelFormat::gray ? 1 : 3);
    decode_image(c.input(0).values<uint8_t>(), format_, output);
  }
  // Never while the model is loaded: the codecs may come after it.
  bool is_random() const override { return true; }

 private:
  class Output final : public ImageTarget {
   public:
    Output(RunContext& c, int64_t channels) : c_(c), channels_(channels) {}
    uint8_t* allocate(int64_t height, int64_t width) override {
      return c_.allocate(0, DType::uint8, Shape{height, width, channels_}).data<uint8_t>();
    }

   private:
    RunContext& c_;
    int64_t channels_;
  };

  PixelFormat format_;
};

constexpr OpEntry kOps[] = {{"ImageDecoder", 20, make_operator<ImageDecoder>}};

}  // namespace

std::span<const OpEntry> image_ops() { return kOps; }

}  // namespace sardonyx
