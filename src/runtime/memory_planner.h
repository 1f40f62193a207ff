// Where in one arena each intermediate tensor lies.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sardonyx {

// A block that is in use from step `first` to step `last`, both included.
struct Lifetime {
  uint64_t size = 0;  // bytes
  int first = 0;
  int last = 0;
};

struct ArenaLayout {
  std::vector<uint64_t> offsets;  // one per lifetime, multiples of 64
  uint64_t size = 0;              // bytes of the whole arena
};

// Blocks that are alive at one time never overlap. Greedy by size (Pisarchyk and Lee, arXiv 2001.03288): the largest
// first, each into the smallest gap that fits among those already placed that live at the same time.
ArenaLayout plan_memory(std::span<const Lifetime> blocks);

}  // namespace sardonyx
