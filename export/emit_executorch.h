// A case as a script for ExecuTorch: export, lower with the delegate's partitioner, and the runtime against eager. For
// a delegate that the wheel has no runtime for: lowering, and what the program declares against what it is passed.
#pragma once

#include "export/python_script.h"

namespace parallax {

// Whether there is a script for that family of targets.
bool drives_executorch(std::string_view family);

// Whether a case has buffers. The runtime hands none back: a program that has some needs a method that reads them.
bool has_state(const Case& test);

// `target` is executorch-portable, executorch-xnnpack or executorch-vulkan; `with_state` says that cases have buffers.
Result<ScriptTarget> executorch_script_target(std::string_view target, bool with_state);
Result<std::string> emit_executorch(const Case& test, const ScriptOptions& options);

}  // namespace parallax
