// What a profiled run records.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sardonyx {

struct ProfileEntry {
  std::string node;  // name, or that of its first output
  std::string op_type;
  double start_ms = 0;  // since the run began
  double duration_ms = 0;
  std::string shapes;     // of the inputs, as in error messages
  int depth = 0;          // 0 in the main graph, 1 in its subgraphs...
  uint64_t left_out = 0;  // of the main graph: nodes that ran in its subgraphs and have no entry
};

// In the order in which nodes ended: those of subgraphs before the node that ran them.
using Profile = std::vector<ProfileEntry>;

// A profile that has so many entries takes no more from subgraphs: loops may run for ever.
constexpr size_t kMostInnerEntries = 100'000;

}  // namespace sardonyx
