#include "oracle/large_constants.h"

#include <algorithm>
#include <optional>

#include "graph/written_operands.h"

namespace parallax {
namespace {

constexpr int64_t large = 16384;  // elements

bool is_large(const Graph& graph, const Source& source) {
  if (source.kind != SourceKind::Constant || source.window) return false;
  const Storage& storage = graph.storage(graph.meta(source.value).storage);
  return storage.elements >= large && !storage.data;
}

}  // namespace

LargeConstants::LargeConstants(const Graph& graph) {
  if (std::ranges::none_of(graph.sources, [&](const Source& source) { return is_large(graph, source); })) return;
  held_.assign(graph.storages.size(), false);
  for (const Source& source : graph.sources) {
    if (is_large(graph, source)) held_[graph.meta(source.value).storage.index] = true;
  }
  const auto keep = [&](ValueId value) { held_[graph.meta(value).storage.index] = false; };
  for (const Source& source : graph.sources) {
    if (!is_large(graph, source)) keep(source.value);
  }
  std::ranges::for_each(graph.outputs, keep);
  for (const Node& node : graph.nodes) for_each_written(node, keep);

  std::vector<std::optional<std::size_t>> first(graph.storages.size());
  std::vector<std::size_t> last(graph.storages.size(), 0);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto take = [&](ValueId value) {
      const StorageId storage = graph.meta(value).storage;
      if (!first[storage.index]) first[storage.index] = n;
      last[storage.index] = n;
    };
    for (const Argument& argument : graph.nodes[n].arguments) for_each_value(argument, take);
    std::ranges::for_each(graph.nodes[n].results, take);
  }
  first_.resize(graph.nodes.size());
  last_.resize(graph.nodes.size());
  for (std::size_t s = 0; s < graph.sources.size(); ++s) {
    const StorageId storage = graph.meta(graph.sources[s].value).storage;
    if (!held_[storage.index] || !first[storage.index]) continue;
    first_[*first[storage.index]].push_back(s);
    last_[last[storage.index]].push_back(storage);
  }
}

}  // namespace parallax
