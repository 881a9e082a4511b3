// A case as a script for ExecuTorch: export, lower with the delegate's partitioner, and the runtime against eager. For
// a delegate that the wheel has no runtime for: lowering, and what the program declares against what it is passed.
#pragma once

#include "export/python_script.h"

namespace parallax {

// Whether there is a script for that family of targets.
bool drives_executorch(std::string_view family);

// `options.target` is executorch-portable, executorch-xnnpack or executorch-vulkan.
Result<ScriptTarget> executorch_script_target(std::string_view target);
Result<std::string> emit_executorch(const Case& test, const ScriptOptions& options);

}  // namespace parallax
