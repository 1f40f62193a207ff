// What is wrong with a model, and where.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "onnx.pb.h"

namespace sardonyx::tools {

// A place in the model: 'graph.node[3]', with the node if it is in one.
struct Place {
  std::string path;
  const pb::NodeProto* node = nullptr;
  int index = -1;

  Place in(std::string_view field) const;            // path.field
  Place in(std::string_view field, int i) const;     // path.field[i]
  Place of(const pb::NodeProto& node, int i) const;  // path.node[i]
};

// Named parts of a finding that are not its place.
struct About {
  std::string_view attribute = {}, value = {};
};

class Findings {
 public:
  void error(std::string_view code, const Place& place, std::string message, About about = {});
  void warning(std::string_view code, const Place& place, std::string message, About about = {});

  size_t errors() const noexcept { return errors_; }
  // A CheckReport of web/src/tools/types.ts.
  std::string json() const;

 private:
  struct Finding {
    bool is_error;
    std::string code, message, path, node, op_type, attribute, value;
    int index;
  };
  void add(bool is_error, std::string_view code, const Place& place, std::string message, About about);
  std::vector<Finding> list_;
  size_t errors_ = 0, left_out_ = 0;
};

}  // namespace sardonyx::tools
