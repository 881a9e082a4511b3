#include "graph/written_sources.h"

#include <algorithm>

#include "graph/written_operands.h"

namespace parallax {

bool writes_source(const Graph& graph, SourceKind kind) {
  std::vector<bool> written(graph.storages.size(), false);
  for (const Node& node : graph.nodes) {
    for_each_written(node, [&](ValueId value) { written[graph.meta(value).storage.index] = true; });
  }
  return std::ranges::any_of(graph.sources, [&](const Source& source) {
    return source.kind == kind && written[graph.meta(source.value).storage.index];
  });
}

}  // namespace parallax
