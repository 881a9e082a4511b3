// The compiler's passes, in the order in which they run. A new pass is its file in compiler/passes/ and one line here.
//
// Each takes a graph and gives a graph with the same meaning: the same sources, the same outputs, the same memory
// shared between them, and the same writes to the caller's tensors. Running a pass twice gives what running it once
// gave.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "graph/graph.h"

namespace parallax {

// Runs one node at compile time: `storages` says by storage where its bytes lie; those of the results are written. An
// error where there is no kernel for it, or where the data makes it raise.
using EvaluateFn = Result<void> (*)(const Graph& graph, NodeId node, std::span<std::byte* const> storages);

// Whether a backend runs a call as it stands, so that it is not to be taken apart.
using KeepFn = bool (*)(const Graph& graph, const Node& node);

// What a pass may ask of the compilation beside the graph.
struct PassOptions {
  EvaluateFn evaluate = nullptr;  // null: nothing is computed at compile time
  KeepFn keeps = nullptr;         // null: what can be taken apart is
};

using PassFn = Result<Graph> (*)(const Graph& graph, const PassOptions& options);

struct Pass {
  std::string_view name;
  PassFn run;
  // Whether there may be anything for it to do, seen without rewriting the graph; null: always.
  bool (*applies)(const Graph& graph) = nullptr;
};

// What subgraphs write into their operands becomes results, copied to the operands behind the node (return_writes.cpp).
Result<Graph> return_writes(const Graph& graph);
bool holds_writing_subgraphs(const Graph& graph);
// What writes several tensors at once becomes single writes (decompose.cpp).
Result<Graph> decompose_writes(const Graph& graph);
bool holds_decomposed_writes(const Graph& graph);
// Every op becomes functional; what the caller must see written is copied to it at the very end (functionalize.cpp).
Result<Graph> functionalize(const Graph& graph);
// What stands between dequantizes and a quantize becomes one call on integers (fuse_integers.cpp).
Result<Graph> fuse_integers(const Graph& graph);
bool holds_fusable_calls(const Graph& graph);
// Ops that are made of others become those (decompose.cpp).
Result<Graph> decompose(const Graph& graph, const PassOptions& options);
// What can be computed from constants alone becomes a constant (fold_constants.cpp).
Result<Graph> fold_constants(const Graph& graph, const PassOptions& options);
bool holds_constant_calls(const Graph& graph);
// Calls whose result is that of a simpler call become that (simplify.cpp).
Result<Graph> simplify(const Graph& graph);
// Permutations move towards the outputs, where they meet others and cancel (sink_permutes.cpp).
Result<Graph> sink_permutes(const Graph& graph);
bool holds_permutes(const Graph& graph);
// The same call on the same operands is made once (merge_common_calls.cpp).
Result<Graph> merge_common_calls(const Graph& graph);
bool holds_common_calls(const Graph& graph);
// Nodes whose results reach neither an output nor a write disappear (drop_dead_nodes.cpp).
Result<Graph> drop_dead_nodes(const Graph& graph);
bool holds_dead_nodes(const Graph& graph);
// Copies that nobody can tell from their source become aliases of it (elide_copies.cpp).
Result<Graph> elide_copies(const Graph& graph);
bool holds_copies(const Graph& graph);
// Convolutions, pools and what is between them run on tensors whose channels lie together; the copies that this needs
// are made after the elision of others (lay_out_regions.cpp).
Result<Graph> lay_out_regions(const Graph& graph);
bool holds_pictures(const Graph& graph);

// A pass that looks at nothing but the graph.
template <Result<Graph> (*run)(const Graph& graph)>
Result<Graph> by_graph(const Graph& graph, const PassOptions&) {
  return run(graph);
}

inline constexpr std::array standard_passes = {
    Pass{"return_writes", by_graph<return_writes>, holds_writing_subgraphs},
    Pass{"decompose_writes", by_graph<decompose_writes>, holds_decomposed_writes},
    Pass{"functionalize", by_graph<functionalize>},
    Pass{"fuse_integers", by_graph<fuse_integers>, holds_fusable_calls},
    Pass{"decompose", decompose},
    Pass{"fold_constants", fold_constants, holds_constant_calls},
    Pass{"simplify", by_graph<simplify>},
    Pass{"sink_permutes", by_graph<sink_permutes>, holds_permutes},
    Pass{"merge_common_calls", by_graph<merge_common_calls>, holds_common_calls},
    Pass{"drop_dead_nodes", by_graph<drop_dead_nodes>, holds_dead_nodes},
    Pass{"elide_copies", by_graph<elide_copies>, holds_copies},
    Pass{"lay_out_regions", by_graph<lay_out_regions>, holds_pictures},
};

}  // namespace parallax
