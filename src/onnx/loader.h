// From the bytes of an .onnx file to a Model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace sardonyx {

// The bytes of a model, read once from their start to their end: only what is being parsed lies in memory.
class ModelBytes {
 public:
  virtual ~ModelBytes() = default;
  virtual uint64_t size() const = 0;
  // Fills the beginning of `to` with the next bytes and says how many they are: 0 at the end only.
  virtual size_t read(std::span<std::byte> to) = 0;
};

// Of bytes that lie in memory and outlive this, at most `piece` per call.
class MemoryBytes final : public ModelBytes {
 public:
  explicit MemoryBytes(std::string_view bytes, size_t piece = SIZE_MAX) : bytes_(bytes), piece_(piece) {}
  uint64_t size() const override { return bytes_.size(); }
  size_t read(std::span<std::byte> to) override;

 private:
  std::string_view bytes_;
  size_t piece_, position_ = 0;
};

// Fills `to` with bytes [offset, offset + to.size()) of the external data file `location` (a relative path as the model
// writes it). Throws Error (invalid_argument) where it does not have it.
using ExternalData = std::function<void(const std::string& location, uint64_t offset, std::span<std::byte> to)>;

struct LoadOptions {
  ExternalData external_data;  // may be empty: external data is then an error that names the file wanted
};

// Parses, checks names and references, turns Constant nodes into constants, inlines local functions, resolves
// outer-scope names to captures, sorts. Operators are not bound. Throws Error (invalid_model: what and where, also when
// the bytes are HTML, text or empty; out_of_memory; invalid_argument for missing external data).
Model load_model(ModelBytes&& bytes, const LoadOptions& options);

// The values of a TensorProto, as in the test data's .pb files. Throws Error (invalid_model).
Tensor parse_tensor(std::span<const std::byte> bytes);

}  // namespace sardonyx
