// The table of commands.
#include "tools/commands.h"

#include "base/error.h"
#include "tools/check.h"
#include "tools/convert.h"
#include "tools/describe.h"
#include "tools/extract.h"
#include "tools/inference.h"
#include "tools/model_file.h"
#include "tools/print.h"
#include "tools/simplify.h"
#include "tools/trace.h"

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
    // The engine's report goes into value_info: "1" where another report would say more.
    {"infer", 0,
     [](ModelFile& file, const Texts&, std::string_view report) {
       Structure s(file);
       const Inference inference(file.proto, s.schemas, report, s.bad, s.findings);
       write_value_infos(file.proto, inference);
       return std::string(declare_open_results(file.proto, inference) ? "1" : "0");
     }},
    // EXACT: "exact", or anything else.
    {"print", 1,
     [](ModelFile& file, const Texts& request, std::string_view) {
       return print_model(file.proto, request[1] == "exact");
     }},
    // NAME SIZE: a dimension of the inputs by its name. "fix_input" NAME and sizes: all of an input's.
    {"fix_dim", 2,
     [](ModelFile& file, const Texts& request, std::string_view) {
       fix_dimension(file.proto, request[1], static_cast<int64_t>(number_of(request[2])));
       return std::string();
     }},
    {"fix_input", 1,
     [](ModelFile& file, const Texts& request, std::string_view) {
       std::vector<int64_t> sizes;
       for (size_t i = 2; i < request.size(); i++) sizes.push_back(static_cast<int64_t>(number_of(request[i])));
       fix_input(file.proto, request[1], sizes);
       return std::string();
     }},
    // FOLD REMOVE MERGE, each "1" or "0", and the engine's report: "1" where something changed.
    {"simplify", 3,
     [](ModelFile& file, const Texts& request, std::string_view report) {
       const SimplifyOptions options{request[1] == "1", request[2] == "1", request[3] == "1"};
       return std::string(simplify_once(file.proto, report, options) ? "1" : "0");
     }},
    // LIMIT, and the report: a model whose outputs are constants, or nothing.
    {"constant_part", 1,
     [](ModelFile& file, const Texts& request, std::string_view report) {
       return constant_part(file.proto, report, number_of(request[1]));
     }},
    {"computed", 0,
     [](ModelFile& file, const Texts&, std::string_view tensors) {
       take_computed(file.proto, tensors);
       return std::string();
     }},
    // {nodes, operators: {type: nodes}}
    {"count", 0, [](ModelFile& file, const Texts&, std::string_view) { return count_nodes(file.proto); }},
    {"tidy", 0,
     [](ModelFile& file, const Texts&, std::string_view) {
       drop_unused(file.proto);
       return std::string();
     }},
    // VERSION of ai.onnx.
    {"convert", 1,
     [](ModelFile& file, const Texts& request, std::string_view) {
       convert_opset(file.proto, static_cast<int64_t>(number_of(request[1])));
       return std::string();
     }},
    // COUNT, so many inputs, then the outputs.
    {"extract", 2,
     [](ModelFile& file, const Texts& request, std::string_view) {
       const auto count = static_cast<ptrdiff_t>(std::min<uint64_t>(number_of(request[1]), request.size() - 2));
       const auto outputs = request.begin() + 2 + count;
       extract(file.proto, {request.begin() + 2, outputs}, {outputs, request.end()});
       return std::string();
     }},
    // The main graph's values in the order of their nodes: [{value, index, name, opType, bytes}...].
    {"values", 0, [](ModelFile& file, const Texts&, std::string_view) { return list_values(file.proto); }},
    // NAMES: the file of a model with these outputs; this one stays as it is.
    {"part", 1,
     [](ModelFile& file, const Texts& request, std::string_view) {
       return model_bytes(part_of(file.proto, {request.begin() + 1, request.end()}));
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
