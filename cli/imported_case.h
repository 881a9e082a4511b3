// Imported cases: a user's program or model as a case, by way of the tool that reads its format.
#pragma once

#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

// How a program is read. `inputs` are the types of a module's inputs where it does not say them itself, of an ONNX
// model also NAME=TYPE or a file of elements, `libraries` the files and modules that define its custom ops; what is
// drawn starts from the seed.
struct ImportOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> libraries;
  int64_t seed = 1;
};

// A saved torch.export program (FILE.pt2), a module of a Python file (FILE.py:NAME) or an ONNX model (FILE.onnx).
// Errors: another kind of file, a tool that is not installed, what the tool says of the program.
Result<Case> imported_case(const std::string& program, const ImportOptions& options);

// What the import fixed, replaced or left out, as the case's origin says it; a line each.
std::vector<std::string> import_notes(const Case& test);

}  // namespace parallax
