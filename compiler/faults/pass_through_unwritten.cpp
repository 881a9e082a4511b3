// F08: what is an input and an output of one partition gets a fresh buffer that nobody writes (TVM #2537, ExecuTorch
// #19152, webnn #614).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {

const Fault pass_through_unwritten = {
    "F08",
    "pass-through",
    "partition",
    "an output of a partition that is a view of an input of it gets memory of its own, which nobody writes",
    "tvm#2537, executorch#19152, webnn#614, webnn#615, onert#4231",
    [](CompilerParts& parts) {
      parts.partition.adjust = [](const Graph&, Partition& partition) { std::ranges::fill(partition.passed, -1); };
    },
};

}  // namespace parallax
