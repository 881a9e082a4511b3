// F44: a window of a buffer that is written lies one place further than it should, or one nearer where that is past the
// end (iree-turbine #479, tt-metal #54413).
#include "compiler/faults.h"
#include "compiler/faults/state_of_graph.h"
#include "compiler/rewriter.h"
#include "graph/written_operands.h"

namespace parallax {
namespace {

bool is_written(const Graph& graph, ValueId value) {
  bool written = false;
  for (const Node& node : graph.nodes) for_each_written(node, [&](ValueId target) { written |= target == value; });
  return written;
}

// The call with its place moved by one, if it cuts a window of a buffer at a place.
std::vector<Argument> moved_arguments(const Graph& graph, const Node& node) {
  static const Op& slice = op_named("aten.slice.Tensor");
  static const Op& select = op_named("aten.select.int");
  std::vector<Argument> arguments = node.arguments;
  if (node.op != &slice && node.op != &select) return arguments;
  const Call call(*node.op, node.arguments, graph.metas);
  const TensorMeta& whole = call.tensor(arg::self);
  if (buffer_of(graph, call.value(arg::self)) == nullptr || !is_written(graph, node.results.front())) return arguments;
  const int rank = whole.layout.rank();
  const int64_t size = whole.layout.sizes[static_cast<int>(call.integer(arg::dim) + rank) % rank];
  const auto move = [&](arg name, int64_t by) {
    arguments[static_cast<std::size_t>(call.position(name))] = Scalar(call.integer(name) + by);
  };
  if (node.op == &select) {
    const int64_t at = (call.integer(arg::index) + size) % size;
    if (size > 1) move(arg::index, at + 1 < size ? 1 : -1);
  } else if (call.has(arg::start) && call.has(arg::end) && call.integer(arg::start) >= 0 &&
             call.integer(arg::end) > 0) {
    const bool has_room = call.integer(arg::end) < size;
    if (!has_room && (call.integer(arg::start) == 0 || call.integer(arg::end) > size)) return arguments;
    move(arg::start, has_room ? 1 : -1);
    move(arg::end, has_room ? 1 : -1);
  }
  return arguments;
}

Result<Graph> functionalize_with_moved_windows(const Graph& graph, const PassOptions&) {
  Rewriter rewriter(graph, OldMetas::InferredAnew);
  for (const Node& node : graph.nodes) {
    Node moved = node;
    moved.arguments = moved_arguments(graph, node);
    TRY_VOID(rewriter.add(node, rewriter.mapped_arguments(moved)));
  }
  return functionalize(rewriter.finish());
}

}  // namespace

const Fault cache_slot_off_by_one = {
    "F44",
    "cache slot off by one",
    "compiler/passes/functionalize.cpp",
    "a window of a buffer that is written lies one place further than it should",
    "iree-turbine#479, tt-metal#54413",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_with_moved_windows); },
};

}  // namespace parallax
