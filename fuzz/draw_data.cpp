#include "fuzz/draw_data.h"

#include <algorithm>

#include "fuzz/draw_values.h"

namespace parallax {
namespace {

// By storage: the fewest places that something in it indexes into, where a node takes it as an index.
std::vector<std::optional<int64_t>> index_bounds(const Graph& graph) {
  std::vector<std::optional<int64_t>> bounds(graph.storages.size());
  for (const Node& node : graph.nodes) {
    if (!node.op->index_ranges) continue;
    for (const IndexRange& index : node.op->index_ranges(Call(*node.op, node.arguments, graph.metas))) {
      std::optional<int64_t>& bound = bounds[graph.meta(index.value).storage.index];
      bound = std::min(bound.value_or(index.places), index.places);
    }
  }
  return bounds;
}

Tensor drawn(Choices& choices, const GenerateWeights& weights, DType dtype, const Layout& layout,
             std::optional<int64_t> bound) {
  const Choices::Scope scope(choices, "feed");
  return settled(draw_tensor(choices, dtype, layout.sizes, weights, bound), layout);
}

}  // namespace

void redraw_feed(Choices& choices, const GenerateWeights& weights, Case& test) {
  const std::vector<std::optional<int64_t>> bounds = index_bounds(test.graph);
  test.feed.clear();
  for (const FeedSlot& slot : feed_slots(test.graph)) {
    test.feed.push_back(drawn(choices, weights, slot.dtype, slot.layout, bounds[slot.storage.index]));
  }
}

void draw_data(Choices& choices, const GenerateWeights& weights, Case& test) {
  redraw_feed(choices, weights, test);
  const std::vector<std::optional<int64_t>> bounds = index_bounds(test.graph);
  const auto draw = [&](DType dtype, const Layout& layout, StorageId storage) {
    return drawn(choices, weights, dtype, layout, bounds[storage.index]);
  };
  for (Source& source : test.graph.sources) {
    if (source.kind == SourceKind::Input || source.window) continue;
    const TensorMeta& meta = test.graph.meta(source.value);
    source.data = draw(meta.dtype, meta.layout, meta.storage);
  }
  for (std::size_t i = 0; i < test.graph.storages.size(); ++i) {
    Storage& storage = test.graph.storages[i];
    if (storage.data) storage.data = draw(storage.dtype, contiguous_layout(storage.sizes), StorageId(i));
  }
}

}  // namespace parallax
