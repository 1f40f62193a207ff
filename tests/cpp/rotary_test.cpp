// RotaryEmbedding beyond the ONNX suite: half floats, both layouts alike, zero sizes, errors.
#include <gtest/gtest.h>

#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::error_of;
using testing::expect_near;
using testing::random_tensor;
using testing::run_op;
using testing::tensor;

Attributes rotary(int64_t heads, bool interleaved = false, int64_t size = 0) {
  Attributes a;
  a.add("num_heads", heads);
  a.add("interleaved", int64_t{interleaved});
  a.add("rotary_embedding_dim", size);
  return a;
}

TEST(RotaryEmbedding, BothLayoutsEqualTheDefinition) {
  constexpr size_t kBatch = 2, kHeads = 3, kLength = 5, kSize = 8, kTurned = 6;
  Tensor ids = Tensor::allocate(DType::int64, {kBatch, kLength});
  for (int64_t i = 0; i < ids.count(); i++) ids.data<int64_t>()[i] = i * 5 % 7;
  for (DType type : {DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor cosine = random_tensor({7, kTurned / 2}, 1, type), sine = random_tensor({7, kTurned / 2}, 2, type);
    const std::vector<double> cos = doubles(cosine), sin = doubles(sine);
    for (bool interleaved : {false, true}) {
      for (bool heads_first : {false, true}) {
        const Tensor x = heads_first ? random_tensor({kBatch, kHeads, kLength, kSize}, 3, type)
                                     : random_tensor({kBatch, kLength, kHeads * kSize}, 3, type);
        const std::vector<double> in = doubles(x);
        std::vector<double> wanted = in;
        for (size_t b = 0; b < kBatch; b++) {
          for (size_t h = 0; h < kHeads; h++) {
            for (size_t s = 0; s < kLength; s++) {
              const size_t at = kSize * (heads_first ? (b * kHeads + h) * kLength + s : (b * kLength + s) * kHeads + h);
              const size_t row = static_cast<size_t>(ids.data<int64_t>()[b * kLength + s]) * kTurned / 2;
              for (size_t i = 0; i < kTurned / 2; i++) {
                const size_t p = at + (interleaved ? 2 * i : i), q = interleaved ? p + 1 : p + kTurned / 2;
                wanted[p] = cos[row + i] * in[p] - sin[row + i] * in[q];
                wanted[q] = sin[row + i] * in[p] + cos[row + i] * in[q];
              }
            }
          }
        }
        expect_near(
            run_op("RotaryEmbedding", 23, rotary(kHeads, interleaved, kTurned), {x, cosine, sine, ids})[0].tensor(),
            wanted, std::string(dtype_name(type)));
      }
    }
  }
}

TEST(RotaryEmbedding, ZeroSizesAndErrors) {
  const auto run = [](const Shape& x, const Shape& cache, Value ids = {}, Attributes a = {}) {
    return run_op("RotaryEmbedding", 23, std::move(a),
                  {random_tensor(x, 1), random_tensor(cache, 2), random_tensor(cache, 3), ids})[0]
        .tensor()
        .shape();
  };
  EXPECT_EQ(run({2, 3, 0, 4}, {2, 0, 2}), (Shape{2, 3, 0, 4}));
  EXPECT_EQ(run({2, 0, 3, 4}, {2, 3, 2}), (Shape{2, 0, 3, 4}));
  EXPECT_NE(error_of([&] { run({1, 1, 1, 4}, {3, 2}, tensor<int64_t>({1, 1}, {3})); }, ErrorCode::runtime_error)
                .find("position 3 is out of range for caches of 3"),
            std::string::npos);
  error_of([&] { run({1, 1, 1, 4}, {3, 2}, tensor<int64_t>({1, 1}, {-1})); }, ErrorCode::runtime_error);
  error_of([&] { run({1, 1, 4}, {1, 1, 2}); });  // no num_heads
  error_of([&] { run({1, 1, 5}, {1, 1, 2}, {}, rotary(2)); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 1, 1, 5}, {1, 1, 2}); }, ErrorCode::invalid_input);  // odd heads
  error_of([&] { run({1, 1, 1, 4}, {1, 1, 3}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 1, 1, 4}, {2, 2}); });
  error_of([&] { run({1, 1, 1, 4}, {1, 1, 2}, {}, rotary(1, false, 6)); });
  error_of([&] { run({1, 1, 1, 4}, {1, 1, 2}, {}, rotary(1, false, 3)); });
  error_of([&] { run({1, 1, 2, 4}, {3, 2}, tensor<int64_t>({2, 1}, {0, 0})); }, ErrorCode::invalid_input);
}

}  // namespace
}  // namespace sardonyx
