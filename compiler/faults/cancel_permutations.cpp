// F26: two permutations after each other are composed the wrong way round, and cancel where they are equal, as those of
// two dims do (ExecuTorch #10662, coremltools #666).
#include "compiler/faults.h"
#include "compiler/simplify_rules.h"

namespace parallax {

const Fault cancel_permutations = {
    "F26",
    "permute cancellation",
    "compiler/view_chains.cpp",
    "permutations are composed in the wrong order",
    "executorch#10662, coremltools#666, executorch#10499",
    [](CompilerParts& parts) {
      parts.replace_pass("simplify", [](const Graph& graph, const PassOptions&) {
        Algebra algebra = exact_algebra;
        algebra.views.compose = [](const IntList& inner, const IntList& outer) {
          return view_rules.compose(outer, inner);
        };
        algebra.views.any_strides = true;
        return simplify_with(graph, algebra);
      });
    },
};

}  // namespace parallax
