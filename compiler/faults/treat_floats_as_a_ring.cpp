// F13: identities of real numbers are used for floats: x - x and x * 0 are 0 although x may be NaN or infinite, and
// log(exp(x)) is x although exp may overflow (tilelang #2638, XLA #42732).
#include "compiler/faults.h"
#include "compiler/simplify_rules.h"

namespace parallax {

const Fault treat_floats_as_a_ring = {
    "F13",
    "float algebra",
    "compiler/simplify_rules.cpp",
    "x - x and x * 0 become 0 and log(exp(x)) becomes x, whatever x is",
    "tilelang#2638, xla#2438, xla#42732, xla#44705, iree#20803",
    [](CompilerParts& parts) {
      parts.replace_pass("simplify", [](const Graph& graph, const PassOptions&) {
        Algebra algebra = exact_algebra;
        algebra.is_a_ring = [](DType dtype) { return dtype != DType::Bool; };
        return simplify_with(graph, algebra);
      });
    },
};

}  // namespace parallax
