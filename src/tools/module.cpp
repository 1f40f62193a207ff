// What sardonyx-tools.wasm exports; web/src/tools/native.ts calls it. Memory that is handed over is malloc's.
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "base/error.h"
#include "tools/commands.h"

namespace sardonyx::tools {
namespace {

uint32_t address_of(const void* p) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p)); }

// answer: {address, bytes, failed}.
void hand_over(std::string_view bytes, bool failed, uint32_t* answer) {
  void* copy = std::malloc(bytes.empty() ? 1 : bytes.size());
  answer[1] = copy ? static_cast<uint32_t>(bytes.size()) : 0;
  answer[2] = failed || !copy ? 1 : 0;
  if (copy && !bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  answer[0] = address_of(copy);
}

}  // namespace
}  // namespace sardonyx::tools

extern "C" {

// Runs one command on the model of `tools`, or null where there is none yet. request: texts that end in 0 each, the
// first is the command's name; payload: bytes, as the command wants them. The answer's text is "code\0message" where it
// failed, and nothing (address 0) where there was no memory even for that.
void sardonyx_tools_call(sardonyx::tools::Workbench* tools, const char* request, size_t request_bytes,
                         const char* payload, size_t payload_bytes, uint32_t* answer) {
  using namespace sardonyx;
  using namespace sardonyx::tools;
  try {
    hand_over(tools->call(split_texts({request, request_bytes}), {payload, payload_bytes}), false, answer);
  } catch (const Error& e) {
    std::string text(error_code_name(e.code));
    text += '\0';
    hand_over(text + e.message(), true, answer);
  } catch (const std::bad_alloc&) {
    using namespace std::literals;
    hand_over("out_of_memory\0the tools have no memory for this model"sv, true, answer);
  }
}

sardonyx::tools::Workbench* sardonyx_tools_create() { return new (std::nothrow) sardonyx::tools::Workbench; }
void sardonyx_tools_delete(sardonyx::tools::Workbench* tools) { delete tools; }
}
