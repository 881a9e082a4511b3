// Controls: a finding's case with one suspected thing changed. What passes says where the bug is, and shows a
// maintainer that the rest of the case is sound.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backends/open_target.h"
#include "graph/case.h"
#include "oracle/judge.h"

namespace parallax {

// The verdict of each control that the case has: copies made real ops (x + 0), views made copies, the same case on the
// target that adapters/targets.json names as the target's control (no delegate, no code generation), and, for an older
// version, on the newest release.
std::vector<std::pair<std::string, Verdict>> run_controls(Target& target, const Case& test,
                                                          const TargetOptions& options);

}  // namespace parallax
