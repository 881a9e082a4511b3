// The script that shows a case on the system that it diverged on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "export/python_script.h"

namespace parallax {

// Why no script can show what diverges on a target: nothing but this program drives it. Nothing where one can. Without
// a target, and for eager, a script holds eager against what the case records, so that something must be recorded.
std::optional<std::string> why_no_script(const Case& test, std::string_view target);

// For an ExecuTorch target or Thunder their own script, for any other PyTorch's. An error says why there is none.
Result<std::string> emit_reproducer(const Case& test, const ScriptOptions& options);

}  // namespace parallax
