// Fuzz target: whatever the bytes are, decoding them as an image ends in pixels or in an Error.
//
//   image_fuzz -max_total_time=60 -timeout=10 -rss_limit_mb=2048 FOLDER
//
// Where the last argument is a folder, the images of the tests are written there first.
#include <sys/stat.h>

#include <cstdio>
#include <new>

#include "codecs/codecs.h"
#include "tests/cpp/image_files.h"

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
  struct stat info;
  const std::string folder = *argc > 1 ? (*argv)[*argc - 1] : "";
  if (folder.empty() || stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return 0;
  int number = 0;
  for (const testing::ImageFile& image : testing::image_files()) {
    FILE* file = fopen(cat(folder, "/seed-", number++).c_str(), "wb");
    if (!file) continue;
    fwrite(image.bytes.data(), 1, image.bytes.size(), file);
    fclose(file);
  }
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
