// The script that shows a case on the system that it diverged on.
#pragma once

#include "export/python_script.h"

namespace parallax {

// For an ExecuTorch target or Thunder their own script, for any other PyTorch's, which holds eager against the record.
Result<std::string> emit_reproducer(const Case& test, const ScriptOptions& options);

}  // namespace parallax
