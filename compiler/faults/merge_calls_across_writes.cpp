// F05: common calls are merged before functionalize although a write to what they read lies in between
// (coremltools #2786, onnxruntime #18212).
#include "compiler/faults.h"
#include "compiler/passes/merge_common_calls.h"

namespace parallax {

const Fault merge_calls_across_writes = {
    "F05",
    "common calls merged across a write",
    "compiler/passes/merge_common_calls.cpp",
    "the second of two equal calls gives the first one's result, although an operand was written in between",
    "coremltools#2786, onnxruntime#18212",
    [](CompilerParts& parts) {
      parts.replace_pass_and_run_it_first("merge_common_calls", [](const Graph& graph, const PassOptions&) {
        return merge_common_calls_with(graph, {.sees_writes = false});
      });
    },
};

}  // namespace parallax
