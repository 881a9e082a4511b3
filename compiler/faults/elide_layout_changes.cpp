// F27: a copy into another order of dims becomes an alias of its source although somebody reads its memory in that
// order (ExecuTorch #12976, #14735, torch-spyre #1659).
#include "compiler/faults.h"
#include "compiler/passes/elide_copies.h"

namespace parallax {

const Fault elide_layout_changes = {
    "F27",
    "layout-changing copy removed",
    "compiler/passes/elide_copies.cpp",
    "a copy goes although the memory that as_strided reads lies in another order without it",
    "executorch#12976, executorch#14735, torch-spyre#1659",
    [](CompilerParts& parts) {
      parts.replace_pass("elide_copies", [](const Graph& graph, const PassOptions&) {
        return elide_copies_with(graph, {.minds_layouts = false});
      });
    },
};

}  // namespace parallax
