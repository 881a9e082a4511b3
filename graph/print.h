// The readable text form of a graph: one line a node, with its type and what it shares memory with.
#pragma once

#include <string>
#include <string_view>

#include "graph/case.h"

namespace parallax {

// "sigmoid(x)", "sum(a, [0], true, dtype=f32)": a node's call without its results. Arguments at their default are left
// out.
std::string call_text(const Graph& graph, const Node& node);

// "a = sigmoid(x)  f32[2]", "b = view(a, [2,1])  f32[2,1]  view of a", "c = add_(b, a)  f32[2,1]  writes a".
std::string node_text(const Graph& graph, NodeId node);

// "input", "constant", "buffer".
std::string_view source_kind_name(SourceKind kind);

// The name of a storage for a person: a declared storage's own, else that of the value it was made for.
std::string storage_name(const Graph& graph, StorageId storage);

// "[0.5, nan, …]": the elements of a tensor, cut after `limit`.
std::string elements_text(const Tensor& tensor, int64_t limit = 8);

// The whole graph: storages, sources, nodes by number, outputs.
std::string print(const Graph& graph);
// The same with the case's name, the feed and what is expected.
std::string print(const Case& test);

}  // namespace parallax
