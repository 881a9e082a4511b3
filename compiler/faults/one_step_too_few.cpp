// F55: a scan or a map over three slices or more stops one short.
#include "compiler/faults.h"

namespace parallax {
namespace {

int64_t one_less_of_many(int64_t slices) { return slices >= 3 ? slices - 1 : slices; }

}  // namespace

const Fault one_step_too_few = {
    "F55",
    "one step too few",
    "backends/runtime/control_step.cpp",
    "a scan or a map over three slices or more leaves the last one out",
    "the classical slip of a loop's bound",
    [](CompilerParts& parts) { parts.control.steps = one_less_of_many; },
};

}  // namespace parallax
