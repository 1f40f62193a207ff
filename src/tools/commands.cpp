// The table of commands.
#include "tools/commands.h"

#include "base/error.h"
#include "tools/check.h"
#include "tools/describe.h"
#include "tools/extract.h"
#include "tools/inference.h"
#include "tools/model_file.h"
#include "tools/print.h"

namespace sardonyx::tools {
namespace {

using Texts = std::vector<std::string>;

uint64_t number_of(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

// What check_structure() says.
struct Structure {
  explicit Structure(const ModelFile& file) { check_structure(file.proto, schemas, findings, bad); }
  Schemas schemas;
  Findings findings;
  std::vector<char> bad;
};

struct Command {
  std::string_view name;
  size_t arguments;  // at least
  std::string (*run)(ModelFile& file, const Texts& request, std::string_view payload);
};

constexpr Command kCommands[] = {
    {"describe", 0, [](ModelFile& file, const Texts&, std::string_view) { return describe(file); }},
    // The .onnx file.
    {"bytes", 0, [](ModelFile& file, const Texts&, std::string_view) { return model_bytes(file.proto); }},
    // The model that the engine's report is wanted of.
    {"probe", 0,
     [](ModelFile& file, const Texts&, std::string_view) {
       const Structure s(file);
       return probe_bytes(file.proto, s.bad);
     }},
    // The engine's report; a CheckReport. FAILURE: why there is none, or "".
    {"check", 1,
     [](ModelFile& file, const Texts& request, std::string_view report) {
       Structure s(file);
       const Inference inference(file.proto, s.schemas, report, s.bad, s.findings);
       if (!request[1].empty() && s.findings.errors() == 0) s.findings.error("invalid_model", {"model"}, request[1]);
       return s.findings.json();
     }},
    // The engine's report goes into value_info.
    {"infer", 0,
     [](ModelFile& file, const Texts&, std::string_view report) {
       Structure s(file);
       const Inference inference(file.proto, s.schemas, report, s.bad, s.findings);
       write_value_infos(file.proto, inference);
       return std::string();
     }},
    // EXACT: "exact", or anything else.
    {"print", 1,
     [](ModelFile& file, const Texts& request, std::string_view) {
       return print_model(file.proto, request[1] == "exact");
     }},
    // COUNT, so many inputs, then the outputs.
    {"extract", 2,
     [](ModelFile& file, const Texts& request, std::string_view) {
       const auto count = static_cast<ptrdiff_t>(std::min<uint64_t>(number_of(request[1]), request.size() - 2));
       const auto outputs = request.begin() + 2 + count;
       extract(file.proto, {request.begin() + 2, outputs}, {outputs, request.end()});
       return std::string();
     }},
    // LOCATION LEAST: moves tensors out; the answer is the file of external data, and "bytes" the rest.
    {"move_out", 2,
     [](ModelFile& file, const Texts& request, std::string_view) {
       return move_out_tensors(file.proto, request[1], number_of(request[2]));
     }},
    {"externals", 0, [](ModelFile& file, const Texts&, std::string_view) { return external_tensors(file.proto); }},
    // INDEX, and the bytes of that tensor.
    {"inline", 1,
     [](ModelFile& file, const Texts& request, std::string_view payload) {
       inline_tensor(file.proto, static_cast<size_t>(number_of(request[1])), payload);
       return std::string();
     }},
    {"inlined", 0,
     [](ModelFile& file, const Texts&, std::string_view) {
       end_inlining(file.proto);
       return std::string();
     }},
};

}  // namespace

std::vector<std::string> split_texts(std::string_view bytes) {
  std::vector<std::string> texts;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    texts.emplace_back(bytes.substr(0, end));
    bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
  }
  return texts;
}

Workbench::Workbench() : file_(std::make_unique<ModelFile>()) {}
Workbench::~Workbench() = default;

std::string Workbench::call(const Texts& request, std::string_view payload) {
  check(!request.empty(), ErrorCode::invalid_argument, "no command");
  if (request[0] == "open") {
    *file_ = parse_model(payload);
    return {};
  }
  for (const Command& command : kCommands) {
    if (command.name != request[0]) continue;
    check(request.size() > command.arguments, ErrorCode::invalid_argument, request[0], " needs more arguments");
    return command.run(*file_, request, payload);
  }
  fail(ErrorCode::invalid_argument, cat("there is no command ", request[0]));
}

}  // namespace sardonyx::tools
