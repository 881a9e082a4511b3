// A case as a script for Lightning Thunder: thunder.jit against eager, gradients where the case asks for them.
#pragma once

#include "export/python_script.h"

namespace parallax {

// An error names an op that PyTorch generates no public function for: thunder traces these and no ATen overload.
Result<std::string> emit_thunder(const Case& test, const ScriptOptions& options);

}  // namespace parallax
