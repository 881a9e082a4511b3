// F04: dead code elimination runs before functionalize and takes an in-place op for dead when nobody reads its result,
// although its operand is read later or is the caller's. copy_ alone is known to write (PyTorch #68301, Thunder #2777).
#include "compiler/faults.h"
#include "compiler/passes/drop_dead_nodes.h"
#include "ops/registry.h"

namespace parallax {

const Fault drop_writes_without_readers = {
    "F04",
    "dead code elimination of side effects",
    "compiler/passes/drop_dead_nodes.cpp",
    "an in-place op whose result nobody reads is dropped, although what it wrote is read or returned",
    "pytorch#68301, thunder#2777, coremltools#1726",
    [](CompilerParts& parts) {
      parts.replace_pass_and_run_it_first("drop_dead_nodes", [](const Graph& graph, const PassOptions&) {
        static const Op& copy = op_named("aten.copy_.default");
        return drop_nodes_unless(graph, [](const Op& op) { return &op == &copy; });
      });
    },
};

}  // namespace parallax
