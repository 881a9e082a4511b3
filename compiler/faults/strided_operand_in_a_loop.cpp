// F36: the check whether a loop supports a node looks at sizes and not at strides, so operands that are transposed or
// expanded are read as if they were row-major; and of a dispatch over the limit of a device what is over it does not
// run (ExecuTorch #21847, #17299, #20077; XNNPACK #11036; IREE #14675).
#include "compiler/faults.h"

namespace parallax {
namespace {

bool same_elements(const Graph& graph, const Node& node) {
  if (runs_by_element(graph, node)) return true;
  if (node.op->group != OpGroup::Pointwise || node.results.size() != 1) return false;
  const Layout& result = graph.meta(node.results.front()).layout;
  bool fits = result.rank() > 0;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      const Layout& layout = graph.meta(value).layout;
      fits = fits && (layout.sizes == result.sizes || layout.numel() == 1);
    });
  }
  return fits;
}

}  // namespace

const Fault strided_operand_in_a_loop = {
    "F36",
    "support check hole",
    "fusion",
    "a fused loop takes operands of any strides and reads them as row-major; a dispatch is cut at a device's limit",
    "executorch#21847, executorch#17299, executorch#20077, XNNPACK#11036, iree#14675",
    [](CompilerParts& parts) {
      parts.fusion.joins = same_elements;
      parts.device.splits_dispatches = false;
    },
};

}  // namespace parallax
