// The tools with the engine that they infer with, as web/src/tools has them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model_builder.h"
#include "runtime/session.h"
#include "runtime/type_report.h"
#include "tools/commands.h"

namespace sardonyx::testing {

class ToolsBench {
 public:
  explicit ToolsBench(std::string_view bytes) { call({"open"}, bytes); }
  explicit ToolsBench(const pb::ModelProto& model) : ToolsBench(model.SerializeAsString()) {}

  std::string call(const std::vector<std::string>& request, std::string_view payload = {}) {
    return bench_.call(request, payload);
  }

  // The engine's report, and in `problem` why there is none.
  std::string report() {
    problem.clear();
    const std::string probe = call({"probe"});
    try {
      return report_types(MemoryBytes(probe), {});
    } catch (const Error& e) {
      problem = e.message();
      return {};
    }
  }

  std::string check() {
    const std::string types = report();
    return call({"check", problem}, types);
  }

  // The rounds of simplify() without what the engine computes of constants.
  void simplify() {
    for (int round = 0; round < 20; round++)
      if (call({"simplify", "1", "1", "1"}, report()) != "1") break;
    call({"tidy"});
  }

  pb::ModelProto model() {
    pb::ModelProto model;
    model.ParseFromString(call({"bytes"}));
    return model;
  }

  std::string problem;

 private:
  tools::Workbench bench_;
};

// The outputs of a model, run without the engine's own passes.
inline std::vector<Value> run_model(const pb::ModelProto& model, std::vector<Value> feeds) {
  SessionOptions options;
  options.optimization_level = 0;
  auto session = Session::create(load(model), options);
  std::vector<int> wanted;
  for (size_t i = 0; i < session->outputs().size(); i++) wanted.push_back(static_cast<int>(i));
  return session->run(feeds, wanted, {});
}

inline std::vector<std::string> types_of(const pb::GraphProto& graph) {
  std::vector<std::string> types;
  for (const auto& n : graph.node()) types.push_back(n.op_type());
  return types;
}

}  // namespace sardonyx::testing
