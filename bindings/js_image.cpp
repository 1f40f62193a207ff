// decode_image() of the wasm module: the package's codecs, which are a module of their own (web/src/codecs.ts).
#include <cstddef>
#include <string>

#include "base/error.h"
#include "base/image.h"
#include "js_values.h"

namespace sardonyx {

using emscripten::val;

void decode_image(std::span<const uint8_t> bytes, PixelFormat format, ImageTarget& target) {
  // What the package sets at the module once it knows that the model needs it.
  const val codecs = val::module_property("codecs");
  check(!codecs.isUndefined(), ErrorCode::runtime_error, "there are no codecs");
  // The view is of bytes that nobody writes.
  auto* first = reinterpret_cast<std::byte*>(const_cast<uint8_t*>(bytes.data()));
  const val image = codecs.call<val>("decode", view_of(first, bytes.size()), static_cast<int>(format));
  if (const val error = image["error"]; !error.isUndefined()) fail(ErrorCode::runtime_error, error.as<std::string>());
  const auto height = image["height"].as<unsigned>(), width = image["width"].as<unsigned>();
  const val pixels = image["pixels"];
  uint8_t* to = target.allocate(height, width);
  view_of(reinterpret_cast<std::byte*>(to), pixels["length"].as<size_t>()).call<void>("set", pixels);
  codecs.call<void>("clear");
}

}  // namespace sardonyx
