// F11: the test whether anybody else needs a value that is about to be fused away counts its users among the nodes and
// forgets that the caller may be one (ort #15109, #28543; onnx-coreml #566; mxnet #20323).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {
namespace {

bool first_user_is_outside(const NodeRange& group, const ValueUses& uses) {
  return uses.nodes.empty() || !group.holds(uses.nodes.front().index);
}

}  // namespace

const Fault fused_over_second_use = {
    "F11",
    "fuse over a second use",
    "fusion",
    "a value whose first user is in its group is never put into memory, although others or the caller need it",
    "ort#28543, ort#15109, ort#4110, onnx-coreml#566, mxnet#20323",
    [](CompilerParts& parts) { parts.fusion.is_needed = first_user_is_outside; },
};

}  // namespace parallax
