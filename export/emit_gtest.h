// A case as a GoogleTest case against this project's own API: what a planted fault or a regression is pinned down with.
#pragma once

#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

// A verdict that the test asks for.
struct AskedVerdict {
  std::string target;               // that runs in this process: "portable", "recorded"
  std::vector<std::string> faults;  // switched on in it
  std::string verdict;              // "mismatch"
};

// The test: the graph by the builder, its feed, and each verdict.
std::string emit_gtest(const Case& test, const std::vector<AskedVerdict>& verdicts);

}  // namespace parallax
