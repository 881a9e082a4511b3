// F54: carries are moved one after the other, so a body that hands one carry on as another reads it when it is already
// the next one: the moves of a loop are parallel (the lost-copy and swap problems of SSA destruction).
#include "compiler/faults.h"

namespace parallax {

const Fault swapped_carries = {
    "F54",
    "carries moved one after the other",
    "backends/runtime/control_step.cpp",
    "a carry that the body hands on as another one is read after it was overwritten",
    "of the kind of executorch#21490",
    [](CompilerParts& parts) { parts.control.moves_at_once = false; },
};

}  // namespace parallax
