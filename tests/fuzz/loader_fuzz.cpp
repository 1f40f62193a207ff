// Fuzz target: whatever the bytes are, loading them and binding operators ends in a model or in an Error.
//
//   loader_fuzz -max_total_time=60 -timeout=10 -rss_limit_mb=2048 FOLDER
//
// Where the last argument is a folder, the seeds (seeds.h) are written there first.
#include "base/error.h"
#include "ops/registry.h"
#include "tests/fuzz/seed_folder.h"
#include "tests/fuzz/seeds.h"

using namespace sardonyx;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  testing::write_seeds(*argc, *argv, testing::fuzz_seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  LoadOptions options;
  // Half of the inputs find no external data, the other half find zeros.
  const bool has_external = size % 2 == 0;
  options.external_data = [has_external](const std::string& location, uint64_t offset, std::span<std::byte> to) {
    constexpr uint64_t kFileSize = 1 << 16;
    check(has_external && offset + to.size() <= kFileSize, ErrorCode::invalid_argument, location, " ends before ",
          offset + to.size());
    std::fill(to.begin(), to.end(), std::byte{0});
  };
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    // Odd sizes put the ends of pieces everywhere.
    Model model = load_model(MemoryBytes(bytes, 7 + size % 61), options);
    bind_operators(model.graph);
  } catch (const Error& e) {
    if (e.message().empty()) __builtin_trap();
  }
  return 0;
}
