// Joins: operands of a concatenation that are made where they are to stand in its result, so that nothing is copied.
//
// The slot of such a part lies inside that of the whole, which therefore lives from the first of its parts on.
#pragma once

#include <span>

#include "planner/lifetimes.h"

namespace parallax {

struct Join {
  NodeId node;  // the concatenation
  StorageId part;
  StorageId whole;
  int64_t offset = 0;  // of the part in the whole, in bytes

  friend bool operator==(const Join&, const Join&) = default;
};

// Whether the kernel of an op, which has a list of tensors and a dim, leaves alone what is in its place already: data
// of the backend. Null where no kernel does.
using JoinKernels = bool (*)(const Op& op);

// Of each such node the operands that
// - are all of their storage and one block of the result, of its dtype and at a multiple of its arena's alignment;
// - lie in the backend's arena, where nobody reads them after the node;
// - stand in the list once, and are not the whole of other parts themselves.
// `alignments` goes by arena.
std::vector<Join> choose_joins(const Graph& graph, const Lifetimes& lifetimes, JoinKernels kernels,
                               const std::array<int64_t, arena_count>& alignments);

// How long a whole lives of which this is a part.
LiveRange life_with_part(const LiveRange& whole, const LiveRange& part);

}  // namespace parallax
