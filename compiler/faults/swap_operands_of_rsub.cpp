// F16: a subtraction is taken for commutative when it is lowered: rsub(a, b) becomes a - b (coremltools #576, #2801).
#include "compiler/decomposition.h"
#include "compiler/faults.h"

namespace parallax {
namespace {

Terms subtract_in_order(Composer& c) { return {c.operand(arg::self) - c.operand(arg::other) * c.scalar(arg::alpha)}; }

}  // namespace

const Fault swap_operands_of_rsub = {
    "F16",
    "operand order",
    "compiler/decompositions/arithmetic.cpp",
    "rsub(a, b), which is b - a, becomes a - b",
    "coremltools#576, coremltools#2801",
    [](CompilerParts& parts) {
      parts.replace_pass("decompose", [](const Graph& graph, const PassOptions& options) {
        static const DecompositionTable table = decompositions().with({"aten.rsub.Tensor", subtract_in_order});
        return decompose_with(graph, table, options.keeps);
      });
    },
};

}  // namespace parallax
