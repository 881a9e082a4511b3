// Cases as one parametrised pytest: each is run by eager and by a target, and fails where these differ. What a fix is
// verified with.
#pragma once

#include <string>
#include <vector>

#include "graph/control.h"
#include "export/python_script.h"

namespace parallax {

// The test file; `what` of a case is its id. Gradients are not compared. Cases that no module can say are left out; an
// error is a target without a definition, since eager alone has nothing to differ from.
Result<std::string> emit_pytest(const std::vector<Control>& cases, const ScriptTarget& target);

}  // namespace parallax
