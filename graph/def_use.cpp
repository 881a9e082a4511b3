#include "graph/def_use.h"

#include "graph/written_operands.h"

namespace parallax {

std::vector<std::optional<std::size_t>> value_makers(const Graph& graph) {
  std::vector<std::optional<std::size_t>> makers(graph.metas.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId result : graph.nodes[n].results) makers[result.index] = n;
  }
  return makers;
}

std::vector<std::vector<std::size_t>> storage_writers(const Graph& graph) {
  std::vector<std::vector<std::size_t>> writers(graph.storages.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for_each_written(graph.nodes[n], [&](ValueId value) { writers[graph.meta(value).storage.index].push_back(n); });
  }
  return writers;
}

}  // namespace parallax
