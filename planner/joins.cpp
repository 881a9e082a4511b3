#include "planner/joins.h"

#include <algorithm>
#include <array>
#include <optional>

namespace parallax {
namespace {

// What a concatenation's arguments are, where its result is one block of memory along the dim.
struct Concatenation {
  const ValueList& operands;
  TensorMeta result;
  int dim = 0;
};

std::optional<Concatenation> concatenation(const Graph& graph, const Node& node, JoinKernels kernels) {
  if (!kernels(*node.op) || node.results.size() != 1) return std::nullopt;
  const Call call(*node.op, node.arguments, graph.metas);
  Concatenation found{call.values(arg::tensors), graph.meta(node.results.front())};
  const Layout& layout = found.result.layout;
  if (layout.rank() == 0 || layout.offset != 0 || !is_contiguous(layout)) return std::nullopt;
  const int64_t dim = call.integer(arg::dim);
  found.dim = static_cast<int>(dim < 0 ? dim + layout.rank() : dim);
  for (int outer = 0; outer < found.dim; ++outer) {
    if (layout.sizes[outer] != 1) return std::nullopt;
  }
  return found;
}

bool is_whole_storage(const Graph& graph, const TensorMeta& meta) {
  return meta.layout.offset == 0 && is_contiguous(meta.layout) &&
         meta.layout.numel() == graph.storage(meta.storage).elements;
}

}  // namespace

std::vector<Join> choose_joins(const Graph& graph, const Lifetimes& lifetimes, JoinKernels kernels,
                               const std::array<int64_t, arena_count>& alignments) {
  std::vector<Join> joins;
  if (!kernels) return joins;
  std::vector<bool> is_whole(graph.storages.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::optional<Concatenation> cat = concatenation(graph, graph.nodes[n], kernels);
    if (!cat) continue;
    const StorageId whole = cat->result.storage;
    const int64_t alignment = alignments[static_cast<std::size_t>(lifetimes[whole.index].arena)];
    int64_t start = 0;
    for (ValueId operand : cat->operands) {
      const TensorMeta& meta = graph.meta(operand);
      // An empty tensor takes no place, and one of one dim may stand among others.
      if (meta.layout.numel() == 0) continue;
      const Join join{NodeId(n), meta.storage, whole,
                      start * cat->result.layout.strides[cat->dim] * size_of(meta.dtype)};
      start += meta.layout.sizes[cat->dim];
      const Lifetime& life = lifetimes[meta.storage.index];
      const bool dies_here = life.arena == Arena::Backend && life.range.last == static_cast<int>(n);
      const auto uses = std::ranges::count_if(cat->operands,
                                              [&](ValueId other) { return graph.meta(other).storage == meta.storage; });
      if (dies_here && uses == 1 && !is_whole[meta.storage.index] && meta.dtype == cat->result.dtype &&
          is_whole_storage(graph, meta) && join.offset % alignment == 0) {
        joins.push_back(join);
        is_whole[whole.index] = true;
      }
    }
  }
  return joins;
}

LiveRange life_with_part(const LiveRange& whole, const LiveRange& part) {
  return {std::min(whole.first, part.first), std::max(whole.last, part.last)};
}

}  // namespace parallax
