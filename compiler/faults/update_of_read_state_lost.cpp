// F45: what is written to a buffer after it was read is fused with the read and never reaches the buffer
// (PyTorch #120424, #114967).
#include "compiler/faults.h"
#include "compiler/faults/state_of_graph.h"
#include "compiler/rewriter.h"

namespace parallax {
namespace {

bool reads(const Graph& graph, const Node& node, ValueId buffer) {
  bool found = false;
  const auto compare = [&](ValueId value) { found = found || graph.meta(value).storage == graph.meta(buffer).storage; };
  for (const Argument& argument : node.arguments) for_each_value(argument, compare);
  return found;
}

// Whether something other than the call that makes the buffer's next contents reads what it held before.
bool is_read_beside(const Graph& graph, const WriteBack& write) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return !write_back_of(graph, node) && !makes(node, write.source) && reads(graph, node, write.buffer);
  });
}

Result<Graph> functionalize_losing_updates(const Graph& graph, const PassOptions&) {
  TRY(const Graph functional, functionalize(graph));
  Rewriter rewriter(functional);
  for (const Node& node : functional.nodes) {
    const auto write = write_back_of(functional, node);
    if (write && is_read_beside(functional, *write)) {
      rewriter.map(node.results.front(), rewriter[write->buffer]);
    } else {
      TRY_VOID(rewriter.copy(node));
    }
  }
  return rewriter.finish();
}

}  // namespace

const Fault update_of_read_state_lost = {
    "F45",
    "write after the read fused away",
    "compiler/passes/functionalize.cpp",
    "a buffer that is read before it is written keeps what it held",
    "pytorch#120424, pytorch#114967",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_losing_updates); },
};

}  // namespace parallax
