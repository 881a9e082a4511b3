// A case as a script for PyTorch: eager against torch.export or torch.compile, or eager against what the case records.
#pragma once

#include "export/python_script.h"

namespace parallax {

// `options.target` may be pytorch-eager, torch-export, torch-aot-eager, torch-inductor, torchax, litert-torch or
// litert-torch-xnnpack; on any other the divergence is not PyTorch's, and eager's values are held against the recorded
// ones, if there are any.
ScriptTarget pytorch_script_target(std::string_view target);
Result<std::string> emit_pytorch(const Case& test, const ScriptOptions& options);

}  // namespace parallax
