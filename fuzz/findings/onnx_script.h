// ONNX script: a case in the few lines that a maintainer of a runtime of ONNX models would write, made by
// adapters/onnx/brief_script.py with the Python of the system's own environment.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "corpus/finding.h"

namespace parallax {

// It exits with 1 where the finding's reduced case diverges on its target, by an assertion or the target's own error.
// An error says why there is none: no such script drives the target, it is not installed here, one run does not show
// it, or what must come out is not one number. `given_up` is asked while it is written: true ends the wait.
Result<std::string> onnx_script(const Finding& finding, const std::function<bool()>& given_up = nullptr);

// What the program that writes scripts is asked for it, as a line.
Result<std::string> onnx_script_request(const Finding& finding);

}  // namespace parallax
