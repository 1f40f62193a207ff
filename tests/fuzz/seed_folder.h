// Where the first argument of a fuzz target that is no option is a folder, seeds are written there first.
#pragma once
#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"

namespace sardonyx::testing {

inline void write_seeds(int argc, char** argv, const std::vector<std::string>& seeds) {
  struct stat info;
  std::string folder;
  for (int i = argc - 1; i > 0; i--)
    if (argv[i][0] != '-') folder = argv[i];
  if (folder.empty() || stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return;
  int number = 0;
  for (const std::string& seed : seeds) {
    FILE* file = fopen(cat(folder, "/seed-", number++).c_str(), "wb");
    if (!file) continue;
    fwrite(seed.data(), 1, seed.size(), file);
    fclose(file);
  }
}

}  // namespace sardonyx::testing
