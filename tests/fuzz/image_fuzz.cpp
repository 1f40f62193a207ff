// Fuzz target: whatever the bytes are, decoding them as an image ends in pixels or in an Error.
//
//   image_fuzz -max_total_time=60 -timeout=10 -rss_limit_mb=2048 FOLDER
//
// Where the last argument is a folder, the images of the tests are written there first.
#include <new>

#include "codecs/codecs.h"
#include "tests/cpp/image_files.h"
#include "tests/fuzz/seed_folder.h"

using namespace sardonyx;

namespace {

struct Pixels final : ImageTarget {
  uint8_t* allocate(int64_t height, int64_t width) override {
    bytes.resize(static_cast<size_t>(height * width * 3));
    return bytes.data();
  }
  std::vector<uint8_t> bytes;
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::vector<std::string> seeds;
  for (const testing::ImageFile& image : testing::image_files())
    seeds.emplace_back(image.bytes.begin(), image.bytes.end());
  testing::write_seeds(*argc, *argv, seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMostHere = 1 << 16;  // pixels: more only takes time
  Pixels pixels;
  Canvas canvas(static_cast<PixelFormat>(size % 3), pixels, kMostHere);
  try {
    decode_any({data, size}, canvas);
  } catch (const Error& e) {
    if (e.message().empty()) __builtin_trap();
  } catch (const std::bad_alloc&) {
    // What a header may ask for is bounded, but may be more than the machine has.
  }
  return 0;
}
