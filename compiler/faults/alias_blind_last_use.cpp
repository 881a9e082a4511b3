// F01: a storage's life ends at the last direct use of the value that it was made with; readers of an elided copy or of
// a view of it are not asked, and neither are returned ones (ExecuTorch #20257, TVM #20220, PyTorch #189735).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {
namespace {

Lifetimes alias_blind_lifetimes(const Graph& graph) {
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId base : graph.nodes[n].results) {
      Lifetime& lifetime = lifetimes[graph.meta(base).storage.index];
      if (makers[graph.meta(base).storage.index] != NodeId(n)) continue;
      int last = static_cast<int>(n);
      for (std::size_t reader = n + 1; reader < graph.nodes.size(); ++reader) {
        for (const Argument& argument : graph.nodes[reader].arguments) {
          for_each_value(argument, [&](ValueId value) {
            if (value == base) last = static_cast<int>(reader);
          });
        }
      }
      const bool returned = std::ranges::find(graph.outputs, base) != graph.outputs.end();
      lifetime = {returned ? Arena::Returned : Arena::Backend, {static_cast<int>(n), last}};
    }
  }
  return lifetimes;
}

}  // namespace

const Fault alias_blind_last_use = {
    "F01",
    "alias-blind last use",
    "planner",
    "a storage's slot is free after the last direct use, although an alias of it is still to be read",
    "executorch#20257, tvm#20220, pytorch#189735, LiteRT#8889, executorch#21840",
    [](CompilerParts& parts) { parts.lifetimes = alias_blind_lifetimes; },
};

}  // namespace parallax
