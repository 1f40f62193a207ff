// What a profiled run records.
#pragma once
#include <string>
#include <vector>

namespace sardonyx {

struct ProfileEntry {
  std::string node;  // name, or that of its first output
  std::string op_type;
  double start_ms = 0;  // since the run began
  double duration_ms = 0;
  std::string shapes;  // of the inputs, as in error messages
  int depth = 0;       // 0 in the main graph, 1 in its subgraphs...
};

using Profile = std::vector<ProfileEntry>;

}  // namespace sardonyx
