// Recognises web pages, text, archives and other formats by their first bytes.
#include "onnx/sniff.h"

#include <algorithm>
#include <string_view>

namespace sardonyx::onnx {
namespace {

struct Magic {
  size_t at;
  std::string_view bytes;
  std::string_view what;
};
constexpr Magic kMagics[] = {
    {0, "PK\x03\x04", "this is a zip archive (perhaps a PyTorch file, or a model that has to be unpacked first)"},
    {0, "\x1f\x8b", "this is gzip-compressed data; decompress it first"},
    {0,
     "\xfd"
     "7zXZ",
     "this is xz-compressed data; decompress it first"},
    {0, "\x28\xb5\x2f\xfd", "this is zstd-compressed data; decompress it first"},
    {4, "ORTM", "this is a model in ORT format (.ort), which only onnxruntime reads; use the .onnx file"},
    {4, "TFL3", "this is a TensorFlow Lite model; convert it to ONNX first"},
    {0, "GGUF", "this is a GGUF file, not ONNX"},
    {0, "\x89HDF", "this is an HDF5 file (perhaps a Keras model); convert it to ONNX first"},
    {0, "\x89PNG", "this is a PNG image"},
    {0, "\xff\xd8\xff", "this is a JPEG image"},
    {0, std::string_view("\0asm", 4), "this is a WebAssembly module"},
};

char lower(unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_text(unsigned char c) { return is_space(c) || (c >= 0x20 && c != 0x7f); }

// By what a page may begin with (https://mimesniff.spec.whatwg.org/#rules-for-identifying-an-unknown-mime-type), in
// lower case. XML may be a page too.
bool is_html(std::string_view small) {
  if (small.starts_with("<!--") || small.find("<html") != std::string_view::npos) return true;
  constexpr std::string_view kTags[] = {"!doctype html", "head",  "script", "iframe", "h1",    "div",
                                        "font",          "table", "a",      "style",  "title", "b",
                                        "body",          "meta",  "br",     "p"};
  return std::any_of(std::begin(kTags), std::end(kTags), [&](std::string_view tag) {
    const std::string_view rest = small.substr(1);
    return rest.starts_with(tag) && rest.size() > tag.size() &&
           (rest[tag.size()] == '>' || is_space(static_cast<unsigned char>(rest[tag.size()])));
  });
}

std::string lowered_start(std::string_view text) {
  std::string small(text.substr(0, std::min<size_t>(text.size(), 256)));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return lower(static_cast<unsigned char>(c)); });
  return small;
}

// `small` begins with '<'. Empty where it is neither HTML nor XML.
std::string describe_markup(std::string_view small) {
  if (is_html(small)) {
    return "this is HTML, not an ONNX model: probably an error page or a log-in page that the server sent instead";
  }
  return small.starts_with("<?xml") ? "this is XML, not an ONNX model" : "";
}

std::string describe_text(std::string_view small) {
  if (small.starts_with("version https://git-lfs")) {
    return "this is a Git LFS pointer, not the model itself: fetch the file with git lfs pull, or from its raw address";
  }
  if (small.starts_with("{") || small.starts_with("[")) return "this is JSON, not an ONNX model";
  return "this is a text file, not an ONNX model";
}

}  // namespace

std::string describe_foreign_bytes(std::span<const unsigned char> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  for (const Magic& m : kMagics) {
    if (text.size() >= m.at && text.substr(m.at).starts_with(m.bytes)) return std::string(m.what);
  }
  size_t from = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (from < text.size() && is_space(start[from])) from++;
  const std::string small = lowered_start(text.substr(from));
  // '<' opens a group where protobuf's field numbers stand, which no ONNX message has: a page may hold more than text.
  if (small.starts_with("<")) {
    if (std::string markup = describe_markup(small); !markup.empty()) return markup;
  }
  // A model's first bytes hold control characters: its lengths, and the number of its IR version.
  if (!text.empty() && std::all_of(start.begin(), start.end(), is_text)) return describe_text(small);
  return {};
}

}  // namespace sardonyx::onnx
