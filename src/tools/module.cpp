// What sardonyx-tools.wasm exports; web/src/tools/native.ts calls it. Memory that is handed in is malloc's.
#include <new>
#include <string>

#include "base/error.h"
#include "tools/commands.h"

namespace sardonyx::tools {
namespace {

// The last answer: not copied, since it may be a whole model.
std::string kept;

void hand_over(std::string_view bytes, bool failed, uint32_t* answer) {
  answer[0] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(bytes.data()));
  answer[1] = static_cast<uint32_t>(bytes.size());
  answer[2] = failed ? 1 : 0;
}

}  // namespace
}  // namespace sardonyx::tools

extern "C" {

// Runs one command on the model of `tools`, or null where there is none yet. request: texts that end in 0 each, the
// first is the command's name; payload: bytes, as the command wants them. answer: {address, bytes, failed}; the bytes
// stay until the next call, and are "code\0message" where it failed.
void sardonyx_tools_call(sardonyx::tools::Workbench* tools, const char* request, size_t request_bytes,
                         const char* payload, size_t payload_bytes, uint32_t* answer) {
  using namespace sardonyx;
  using namespace sardonyx::tools;
  try {
    std::string().swap(kept);
    bool failed = false;
    try {
      kept = tools->call(split_texts({request, request_bytes}), {payload, payload_bytes});
    } catch (const Error& e) {
      kept = error_code_name(e.code);
      kept += '\0';
      kept += e.message();
      failed = true;
    }
    hand_over(kept, failed, answer);
  } catch (const std::bad_alloc&) {
    using namespace std::literals;
    hand_over("out_of_memory\0the tools have no memory for this model"sv, true, answer);
  }
}

sardonyx::tools::Workbench* sardonyx_tools_create() { return new (std::nothrow) sardonyx::tools::Workbench; }
void sardonyx_tools_delete(sardonyx::tools::Workbench* tools) { delete tools; }
}
