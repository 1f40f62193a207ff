// The tools as one object that holds a model and answers commands: what both the wasm module and the tests call.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sardonyx::tools {

struct ModelFile;

// Texts that end in 0 each.
std::vector<std::string> split_texts(std::string_view bytes);

class Workbench {
 public:
  Workbench();
  ~Workbench();

  // request: the command and its arguments (web/src/tools/native.ts lists them). Throws Error.
  std::string call(const std::vector<std::string>& request, std::string_view payload);

  const ModelFile& file() const { return *file_; }

 private:
  std::unique_ptr<ModelFile> file_;
};

}  // namespace sardonyx::tools
