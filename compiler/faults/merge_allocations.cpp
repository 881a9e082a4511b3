// F34: two new tensors that are filled alike become one, so that a write to one is seen in the other (tt-mlir #7433,
// TVM #16852).
#include "compiler/faults.h"
#include "compiler/passes/merge_common_calls.h"

namespace parallax {

const Fault merge_allocations = {
    "F34",
    "common calls include allocations",
    "compiler/passes/merge_common_calls.cpp",
    "two tensors that are created alike become one tensor",
    "tt-mlir#7433, tvm#16852",
    [](CompilerParts& parts) {
      parts.replace_pass_and_run_it_first("merge_common_calls", [](const Graph& graph, const PassOptions&) {
        return merge_common_calls_with(graph, {.merges_fills = true});
      });
    },
};

}  // namespace parallax
