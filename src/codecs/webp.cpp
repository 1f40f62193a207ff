// WebP by libwebp: lossy and lossless, transparency left out; of an animation the first picture.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <vector>

#include "codecs/codecs.h"

namespace sardonyx {
namespace {

constexpr const char* kProblems[] = {"",
                                     "there is no memory for it",
                                     "it cannot be read",
                                     "its bytes are damaged",
                                     "it has a feature that is not known",
                                     "decoding was suspended",
                                     "decoding was stopped",
                                     "it is cut off"};

void require(VP8StatusCode status) {
  const bool known = status > 0 && static_cast<size_t>(status) < std::size(kProblems);
  if (status != VP8_STATUS_OK) bad_image("WebP", known ? kProblems[status] : "it cannot be decoded");
}

void decode_first(ImageBytes bytes, Canvas& canvas) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const WebPData data{bytes.data(), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, decltype(&WebPAnimDecoderDelete)> decoder(WebPAnimDecoderNew(&data, &options),
                                                                                   &WebPAnimDecoderDelete);
  uint8_t* pixels = nullptr;
  int when = 0;
  if (!decoder || !WebPAnimDecoderGetNext(decoder.get(), &pixels, &when)) bad_image("WebP", kProblems[3]);
  for (int64_t y = 0; y < canvas.height(); ++y) {
    canvas.put_rgb(0, y, pixels + y * canvas.width() * 4, canvas.width(), 4);
  }
}

}  // namespace

void decode_webp(ImageBytes bytes, Canvas& canvas) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) bad_image("WebP", "the library is of another version");
  require(WebPGetFeatures(bytes.data(), bytes.size(), &config.input));
  const auto width = static_cast<uint64_t>(config.input.width), height = static_cast<uint64_t>(config.input.height);
  canvas.begin("WebP", width, height);
  if (config.input.has_animation) return decode_first(bytes, canvas);
  std::vector<uint8_t> pixels(static_cast<size_t>(width * height * 3));
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {pixels.data(), static_cast<int>(width * 3), pixels.size()};
  require(WebPDecode(bytes.data(), bytes.size(), &config));
  for (int64_t y = 0; y < canvas.height(); ++y) {
    canvas.put_rgb(0, y, pixels.data() + y * canvas.width() * 3, canvas.width(), 3);
  }
}

}  // namespace sardonyx
