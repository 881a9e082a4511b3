// F52: a branch asks its predicate in the first run and takes the same way in all later ones (PyTorch #195327, #195966:
// later calls of a compiled program go wrong).
#include "compiler/faults.h"

namespace parallax {

const Fault stale_predicate = {
    "F52",
    "stale predicate",
    "backends/runtime/control_step.cpp",
    "a branch takes the way of the first run in every run",
    "pytorch#195327, pytorch#195966",
    [](CompilerParts& parts) { parts.control.asks_each_time = false; },
};

}  // namespace parallax
