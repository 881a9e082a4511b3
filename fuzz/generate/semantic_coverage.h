// Semantic coverage: what a graph is made of, told to a fuzzing engine as coverage beside that of the code.
//
// Code coverage soon stands still, since one kernel loop serves every graph. What is new of a graph is the op, dtype
// and rank of its nodes and how they share memory. These are hashed into the extra counters that libFuzzer reads
// (__libfuzzer_extra_counters); there are few of them on purpose: with 65,536 each graph is new and the corpus grows
// without end.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace parallax {

inline constexpr std::size_t semantic_counters = 4096;

// A hash for each thing that a graph holds, equal things as often as they occur: a node's op, dtype and rank; the same
// with each alias relation that the node brings about (fuzz/generate/alias_relation.h); the relations of the graph. The same on
// every machine.
std::vector<uint64_t> graph_features(const Graph& graph);
// The counters of these.
std::vector<uint16_t> semantic_features(const Graph& graph);

// Counts them for the engine, which reads and clears the counters after each input.
void count_semantic_coverage(const Graph& graph);

}  // namespace parallax
