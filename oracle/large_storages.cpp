#include "oracle/large_storages.h"

#include <algorithm>
#include <optional>

#include "graph/written_operands.h"

namespace parallax {
namespace {

constexpr int64_t large = 16384;  // elements

// Whether nodes after it may look at a node's operands: the scales of a dequantization tell of the quantization that
// takes its result (oracle/requantization.h).
bool is_looked_back_at(const Node& node) {
  return node.op->schema.index_of(arg::scale) >= 0 || node.op->schema.index_of(arg::scales) >= 0;
}

}  // namespace

LargeStorages::LargeStorages(const Graph& graph) {
  const auto is_large = [](const Storage& storage) { return storage.elements >= large && !storage.data; };
  if (std::ranges::none_of(graph.storages, is_large)) return;
  for (const Storage& storage : graph.storages) held_.push_back(is_large(storage));
  constants_.assign(graph.storages.size(), nullptr);
  const auto keep = [&](ValueId value) { held_[graph.meta(value).storage.index] = false; };
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Constant && !source.window) {
      constants_[graph.meta(source.value).storage.index] = &source;
    } else {
      keep(source.value);
    }
  }
  std::ranges::for_each(graph.outputs, keep);
  std::vector<std::optional<std::size_t>> first(graph.storages.size());
  std::vector<std::size_t> last(graph.storages.size(), 0);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for_each_written(node, [&](ValueId value) {
      if (constants_[graph.meta(value).storage.index]) keep(value);
    });
    const auto take = [&](ValueId value) {
      const StorageId storage = graph.meta(value).storage;
      if (!first[storage.index]) first[storage.index] = n;
      last[storage.index] = n;
    };
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, take);
      if (is_looked_back_at(node)) for_each_value(argument, keep);
    }
    std::ranges::for_each(node.results, take);
  }
  first_.resize(graph.nodes.size());
  last_.resize(graph.nodes.size());
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    if (!held_[s] || !first[s]) continue;
    first_[*first[s]].push_back(StorageId(s));
    last_[last[s]].push_back(StorageId(s));
  }
}

}  // namespace parallax
