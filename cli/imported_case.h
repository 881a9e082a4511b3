// Imported cases: a user's program or model as a case, by way of the tool that reads its format.
#pragma once

#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

// A saved torch.export program (FILE.pt2), a module of a Python file (FILE.py:NAME) or an ONNX model (FILE.onnx).
// `inputs` are the types of the module's inputs where it does not say them itself, of an ONNX model also NAME=TYPE or a
// file of elements; what is drawn starts from the seed. The case's origin says what the import fixed.
// Errors: another kind of file, a tool that is not installed, what the tool says of the program.
Result<Case> imported_case(const std::string& program, const std::vector<std::string>& inputs, int64_t seed);

}  // namespace parallax
