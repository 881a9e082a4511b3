// Controls: a finding's case with one suspected thing changed. What passes says where the bug is, and shows a
// maintainer that the rest of the case is sound.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/open_target.h"
#include "graph/control.h"
#include "oracle/judge.h"

namespace parallax {

// The controls that are cases of their own, as far as the case has them: copies made real ops, views made copies. One
// of which eager does not give the same as of the case (x + 0 of -0.0 is 0.0) is none, and is named a neighbour.
std::vector<Control> control_cases(const Case& test);
bool is_neighbour(std::string_view control);
// The first of them that is a control and passes by the verdicts of run_controls.
std::optional<Control> passing_control(const Case& test, const std::vector<std::pair<std::string, Verdict>>& verdicts);

// Of a case with symbols: each of its runs as a case of its own, with numbers in place of the symbols, once for each
// size.
std::vector<Control> static_controls(const Case& test);
// How such a control is named: "static at B=3".
std::string static_mark(const Symbols& symbols, const SymbolSizes& sizes);
// The verdict of each control that the case has: copies made real ops (x + 0), views made copies, its runs made static,
// the same case on the target that adapters/targets.json names as the target's control (no delegate, no code
// generation), and, for an older version, on the newest release.
std::vector<std::pair<std::string, Verdict>> run_controls(Target& target, const Case& test,
                                                          const TargetOptions& options);

}  // namespace parallax
