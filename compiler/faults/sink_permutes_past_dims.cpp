// F28: a permutation moves past a call that names dims, and the dims stay as they were named (ExecuTorch #3932, IREE
// #23196, tf2onnx #226).
#include "compiler/faults.h"
#include "compiler/passes/sink_permutes.h"

namespace parallax {

const Fault sink_permutes_past_dims = {
    "F28",
    "permute sinking",
    "compiler/passes/sink_permutes.cpp",
    "a permutation moves past a reduction or a scan whose dims are not renumbered",
    "executorch#3932, iree#23196, tf2onnx#226, onnxruntime#12815",
    [](CompilerParts& parts) {
      parts.replace_pass("sink_permutes", [](const Graph& graph, const PassOptions&) {
        return sink_permutes_with(graph, [](const IntList&, const IntList& dims) { return dims; }, view_rules);
      });
    },
};

}  // namespace parallax
