// F37: the start of a slice of a slice is the sum of both starts, although the inner slice has a step (XLA #48024).
#include "compiler/faults.h"
#include "compiler/simplify_rules.h"

namespace parallax {

const Fault add_slice_starts = {
    "F37",
    "slice composition",
    "compiler/view_chains.cpp",
    "a slice of a slice starts at the sum of both starts, whatever the inner step is",
    "xla#48024, xla#49120",
    [](CompilerParts& parts) {
      parts.replace_pass("simplify", [](const Graph& graph, const PassOptions&) {
        Algebra algebra = exact_algebra;
        algebra.views.slice = [](std::pair<int64_t, int64_t> inner, std::pair<int64_t, int64_t> outer) {
          return std::pair(inner.first + outer.first, inner.second * outer.second);
        };
        algebra.views.any_strides = true;
        return simplify_with(graph, algebra);
      });
    },
};

}  // namespace parallax
