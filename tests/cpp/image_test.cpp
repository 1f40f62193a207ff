// The codecs natively, under the sanitizers: damaged and lying files of every format. Values:
// tests/js/image_decoder.test.mjs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codecs/codecs.h"
#include "tests/cpp/image_files.h"
#include "tests/cpp/op_runner.h"

namespace sardonyx::testing {
namespace {

struct Pixels final : ImageTarget {
  uint8_t* allocate(int64_t h, int64_t w) override {
    height = h, width = w;
    bytes.resize(static_cast<size_t>(h * w * 3));
    return bytes.data();
  }
  int64_t height = 0, width = 0;
  std::vector<uint8_t> bytes;
};

// What is wrong with the bytes; empty where they are decoded.
std::string problem_of(const std::vector<uint8_t>& bytes, uint64_t most_pixels = 1 << 16) {
  Pixels pixels;
  Canvas canvas(PixelFormat::rgb, pixels, most_pixels);
  try {
    decode_any(bytes, canvas);
  } catch (const Error& e) {
    EXPECT_EQ(e.code, ErrorCode::runtime_error);
    return e.reason;
  }
  return "";
}

TEST(Image, EveryPrefixIsRefusedOrDecoded) {
  const auto files = image_files();
  ASSERT_GE(files.size(), 50u);
  for (const ImageFile& file : files) {
    EXPECT_EQ(problem_of(file.bytes), "") << file.name;
    for (size_t size = 0; size < file.bytes.size(); size += 1 + file.bytes.size() / 60) {
      problem_of({file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    const size_t third = file.bytes.size() / 3;
    EXPECT_NE(problem_of({file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(third)}), "")
        << file.name;
  }
}

TEST(Image, ChangedBytesAreRefusedOrDecoded) {
  const auto files = image_files();
  ASSERT_GE(files.size(), 50u);
  for (const ImageFile& file : files) {
    for (size_t at = 0; at < file.bytes.size(); at += 1 + file.bytes.size() / 80) {
      for (const uint8_t change : {0x01, 0x80, 0xff}) {
        std::vector<uint8_t> bytes = file.bytes;
        bytes[at] ^= change;
        problem_of(bytes);
      }
    }
  }
}

TEST(Image, SizesAreCheckedBeforeAnythingIsAllocated) {
  for (const ImageFile& file : image_files()) {
    const std::string problem = problem_of(file.bytes, 13 * 19 - 1);
    EXPECT_NE(problem.find("it has 19 x 13 pixels; from 1 to 246 can be decoded"), std::string::npos)
        << file.name << ": " << problem;
  }
}

TEST(Image, OrientationsTurnTheImage) {
  // 2 x 3, each pixel its number.
  const int expected[9][6] = {{},
                              {0, 1, 2, 3, 4, 5},
                              {1, 0, 3, 2, 5, 4},
                              {5, 4, 3, 2, 1, 0},
                              {4, 5, 2, 3, 0, 1},
                              {0, 2, 4, 1, 3, 5},
                              {4, 2, 0, 5, 3, 1},
                              {5, 3, 1, 4, 2, 0},
                              {1, 3, 5, 0, 2, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    Pixels pixels;
    Canvas canvas(PixelFormat::gray, pixels);
    canvas.begin("test", 2, 3, orientation);
    EXPECT_EQ(pixels.width, orientation < 5 ? 2 : 3);
    EXPECT_EQ(pixels.height, orientation < 5 ? 3 : 2);
    for (uint8_t i = 0; i < 6; ++i) canvas.put_gray(i % 2, i / 2, &i, 1, 1);
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(pixels.bytes[i], expected[orientation][i]) << orientation << ", " << i;
  }
}

TEST(Image, TheOperatorGivesHeightWidthChannels) {
  const std::string text = "P3 2 1 255 1 2 3 4 5 6";
  Tensor file = Tensor::allocate(DType::uint8, Shape{static_cast<int64_t>(text.size())});
  std::copy(text.begin(), text.end(), file.data<uint8_t>());
  const std::vector<Value> y = run_op("ImageDecoder", 20, {}, {Value(file)});
  EXPECT_EQ(y[0].tensor().shape(), (Shape{1, 2, 3}));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y[0].tensor().data<uint8_t>()[i], i + 1);
}

}  // namespace
}  // namespace sardonyx::testing
