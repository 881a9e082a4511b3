// F46: write-backs are paired with their buffers by position, not by name, so that two of one type change places
// (TensorRT #4470).
#include "compiler/faults.h"
#include "compiler/faults/state_of_graph.h"
#include "compiler/rewriter.h"

namespace parallax {
namespace {

struct MadeBy {
  WriteBack write;
  std::size_t node = 0;   // the write-back
  std::size_t maker = 0;  // the call that makes its source
};

std::vector<MadeBy> write_backs(const Graph& graph) {
  std::vector<MadeBy> writes;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto write = write_back_of(graph, graph.nodes[n]);
    if (!write) continue;
    const auto maker = std::ranges::find_if(graph.nodes, [&](const Node& node) { return makes(node, write->source); });
    if (maker != graph.nodes.end())
      writes.push_back({*write, n, static_cast<std::size_t>(maker - graph.nodes.begin())});
  }
  return writes;
}

bool are_alike(const Graph& graph, const MadeBy& a, const MadeBy& b) {
  const TensorMeta& one = graph.meta(a.write.buffer);
  const TensorMeta& other = graph.meta(b.write.buffer);
  return one.dtype == other.dtype && one.layout == other.layout && one.storage != other.storage &&
         graph.nodes[a.maker].op == graph.nodes[b.maker].op &&
         graph.meta(a.write.source).dtype == graph.meta(b.write.source).dtype;
}

Result<Graph> functionalize_swapping_caches(const Graph& graph, const PassOptions&) {
  TRY(const Graph functional, functionalize(graph));
  const std::vector<MadeBy> writes = write_backs(functional);
  std::vector<ValueId> sources(functional.nodes.size());  // by write-back, of those that are swapped
  for (std::size_t w = 0; w + 1 < writes.size(); ++w) {
    // What was swapped is made in the other order, so that a second run of the pass leaves it.
    if (!are_alike(functional, writes[w], writes[w + 1]) || writes[w].maker > writes[w + 1].maker) continue;
    sources[writes[w].node] = writes[w + 1].write.source;
    sources[writes[w + 1].node] = writes[w].write.source;
    ++w;
  }
  Rewriter rewriter(functional);
  for (std::size_t n = 0; n < functional.nodes.size(); ++n) {
    const Node& node = functional.nodes[n];
    std::vector<Argument> arguments = rewriter.mapped_arguments(node);
    if (sources[n].valid()) {
      const Call call(*node.op, node.arguments, functional.metas);
      arguments[static_cast<std::size_t>(call.position(arg::src))] = rewriter[sources[n]];
    }
    TRY_VOID(rewriter.add(node, std::move(arguments)));
  }
  return rewriter.finish();
}

}  // namespace

const Fault caches_swapped = {
    "F46",
    "caches swapped",
    "compiler/passes/functionalize.cpp",
    "two buffers of one type that the same kind of call updates get each other's new contents",
    "TensorRT#4470",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_swapping_caches); },
};

}  // namespace parallax
