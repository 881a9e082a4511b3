// What a script says of sizes that change between its runs: the dims that do, and a target that is compiled for all of
// them.
#pragma once

#include "export/python_script.h"

namespace parallax {

// The target with a definition that compiles for the sizes of DYNAMIC and BOUND (PythonModule::dynamic_text), at the
// bound. An error where none of ours does so. `automatic`: torch.compile finds out by itself what changes.
Result<ScriptTarget> dynamic_target(const ScriptTarget& target, bool automatic);

}  // namespace parallax
