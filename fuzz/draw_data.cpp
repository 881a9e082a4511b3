#include "fuzz/draw_data.h"

#include <algorithm>

#include "fuzz/draw_values.h"

namespace parallax {
namespace {

using IndexBounds = std::vector<std::optional<int64_t>>;  // by storage

// The fewest places that something in a storage indexes into, where a node takes it as an index.
void add_index_bounds(const Graph& graph, IndexBounds& bounds) {
  for (const Node& node : graph.nodes) {
    if (!node.op->index_ranges) continue;
    for (const IndexRange& index : node.op->index_ranges(Call(*node.op, node.arguments, graph.metas))) {
      std::optional<int64_t>& bound = bounds[graph.meta(index.value).storage.index];
      bound = std::min(bound.value_or(index.places), index.places);
    }
  }
}

// The graphs of the runs after the first.
std::vector<Graph> later_graphs(const Case& test) {
  std::vector<Graph> graphs;
  for (const LaterRun& run : test.later) {
    Result<Graph> resized = at_sizes(test.graph, test.symbols, run.sizes);
    PARALLAX_CHECK(resized.has_value());
    graphs.push_back(*std::move(resized));
  }
  return graphs;
}

IndexBounds index_bounds(const Case& test, const std::vector<Graph>& later) {
  IndexBounds bounds(test.graph.storages.size());
  add_index_bounds(test.graph, bounds);
  for (const Graph& graph : later) add_index_bounds(graph, bounds);
  return bounds;
}

Tensor drawn(Choices& choices, const GenerateWeights& weights, DType dtype, const Layout& layout,
             std::optional<int64_t> bound) {
  const Choices::Scope scope(choices, "feed");
  return settled(draw_tensor(choices, dtype, layout.sizes, weights, bound), layout);
}

}  // namespace

void redraw_feed(Choices& choices, const GenerateWeights& weights, Case& test) {
  const std::vector<Graph> later = later_graphs(test);
  const IndexBounds bounds = index_bounds(test, later);
  const auto draw = [&](const Graph& graph, std::vector<Tensor>& feed) {
    feed.clear();
    for (const FeedSlot& slot : feed_slots(graph)) {
      feed.push_back(drawn(choices, weights, slot.dtype, slot.layout, bounds[slot.storage.index]));
    }
  };
  draw(test.graph, test.feed);
  for (std::size_t run = 0; run < later.size(); ++run) draw(later[run], test.later[run].feed);
}

void draw_data(Choices& choices, const GenerateWeights& weights, Case& test) {
  redraw_feed(choices, weights, test);
  const IndexBounds bounds = index_bounds(test, later_graphs(test));
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
