// Value errors: node by node, how far a target's values and eager's are from the program in double. Where the two part,
// the target goes wrong; where both are far off, the program cancels.
#pragma once

#include "backends/target.h"
#include "corpus/value_error.h"
#include "graph/case.h"

namespace parallax {

// `eager` may be null: then each operation computed in double and rounded once stands for it. Nothing where the program
// has several runs or gradients, is refused by eager, or the target hands none of its values out.
std::optional<ValueErrors> value_errors(Target& target, Target* eager, const Case& test);

}  // namespace parallax
