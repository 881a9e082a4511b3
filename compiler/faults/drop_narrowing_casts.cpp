// F14: a cast to a narrower dtype of the same kind is skipped where another cast follows (PyTorch #185337, tilelang
// #2945).
#include "compiler/faults.h"
#include "compiler/simplify_rules.h"

namespace parallax {

const Fault drop_narrowing_casts = {
    "F14",
    "narrowing cast pair",
    "compiler/simplify_rules.cpp",
    "f32 to f16 to f32 becomes no cast at all, and so does i32 to i8 to i32",
    "pytorch#185337, tilelang#2945, openvino#17189",
    [](CompilerParts& parts) {
      parts.replace_pass("simplify", [](const Graph& graph, const PassOptions&) {
        Algebra algebra = exact_algebra;
        algebra.survives = [](DType from, DType through) {
          return holds_all(through, from) || (through != DType::Bool && is_floating(from) == is_floating(through));
        };
        return simplify_with(graph, algebra);
      });
    },
};

}  // namespace parallax
