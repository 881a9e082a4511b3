#include "graph/graph.h"

#include "graph/written_operands.h"

namespace parallax {

std::vector<FeedSlot> feed_slots(const Graph& graph) {
  std::vector<FeedSlot> slots;
  slots.reserve(graph.sources.size());
  for (std::size_t i = 0; i < graph.storages.size(); ++i) {
    const Storage& storage = graph.storages[i];
    if (storage.name.empty() || storage.data) continue;
    slots.push_back({storage.name, StorageId(i), storage.dtype, contiguous_layout(storage.sizes)});
  }
  for (const Source& source : graph.sources) {
    if (source.kind != SourceKind::Input || source.window) continue;
    const TensorMeta& meta = graph.meta(source.value);
    slots.push_back({graph.name(source.value), meta.storage, meta.dtype, meta.layout});
  }
  return slots;
}

std::vector<std::optional<NodeId>> storage_makers(const Graph& graph) {
  std::vector<bool> given(graph.storages.size(), false);
  for (const Source& source : graph.sources) given[graph.meta(source.value).storage.index] = true;
  std::vector<std::optional<NodeId>> makers(graph.storages.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId result : graph.nodes[n].results) {
      const std::size_t storage = graph.meta(result).storage.index;
      if (!given[storage] && !makers[storage]) makers[storage] = NodeId(n);
    }
  }
  return makers;
}

std::optional<DType> first_dtype(const std::vector<Argument>& arguments, const Graph& graph) {
  std::optional<DType> dtype;
  for (const Argument& argument : arguments) {
    for_each_value(argument, [&](ValueId value) {
      if (!dtype) dtype = graph.meta(value).dtype;
    });
  }
  return dtype;
}

std::vector<bool> written_storages(const Graph& graph) {
  std::vector<bool> written(graph.storages.size(), false);
  for (const Node& node : graph.nodes) {
    if (!node.op->writes() || node.op->writes_metadata_only()) continue;
    for_each_written(node, [&](ValueId value) { written[graph.meta(value).storage.index] = true; });
  }
  return written;
}

}  // namespace parallax
