// Brief script: a case in the few lines that a maintainer would write: module, inputs, expected, actual. The script
// with control, versions and every comparison is python_script().
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/case.h"

namespace parallax {

// It raises where the case diverges on the target. Nothing where one run of one program does not show it, as with
// several runs, state or gradients, and for systems that no such script drives.
std::optional<std::string> brief_script(const Case& test, std::string_view target);

}  // namespace parallax
