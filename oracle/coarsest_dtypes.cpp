#include "oracle/coarsest_dtypes.h"

#include <algorithm>

#include "graph/written_operands.h"
#include "oracle/visible_error.h"

namespace parallax {
namespace {

DType coarser(DType a, DType b) { return visible_error(a) < visible_error(b) ? b : a; }

}  // namespace

std::vector<DType> coarsest_dtypes(const Graph& graph) {
  const auto is_coarse = [](const TensorMeta& meta) { return visible_error(meta.dtype) > visible_error(DType::F32); };
  if (std::ranges::none_of(graph.metas, is_coarse)) return {};
  std::vector<DType> coarsest(graph.storages.size(), DType::F64);
  // A later run begins with what an earlier one left in a buffer.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : graph.nodes) {
      DType taken = DType::F64;
      const auto take = [&](ValueId value) { taken = coarser(taken, coarsest[graph.meta(value).storage.index]); };
      for (const Argument& argument : node.arguments) for_each_value(argument, take);
      if (node.op->is_view()) continue;
      const auto leave = [&](ValueId value) {
        const TensorMeta& meta = graph.meta(value);
        if (!is_floating(meta.dtype)) return;
        DType& kept = coarsest[meta.storage.index];
        const DType now = coarser(kept, coarser(taken, meta.dtype));
        changed = changed || visible_error(now) > visible_error(kept);
        kept = now;
      };
      for_each_written(node, leave);
      for (const ValueId result : node.results) leave(result);
    }
  }
  return coarsest;
}

}  // namespace parallax
