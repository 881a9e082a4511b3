#include "fuzz/generate/draw_data.h"

#include <algorithm>

#include "fuzz/generate/draw_values.h"

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

class DataDrawer {
 public:
  DataDrawer(Choices& choices, const GenerateWeights& weights, Case& test)
      : choices_(choices),
        weights_(weights),
        test_(test),
        later_(later_graphs(test)),
        bounds_(index_bounds(test, later_)) {}

  void draw_feeds() {
    draw_feed(test_.graph, test_.feed);
    for (std::size_t run = 0; run < later_.size(); ++run) draw_feed(later_[run], test_.later[run].feed);
  }

  void draw_constants_and_state() {
    for (Source& source : test_.graph.sources) {
      if (source.kind == SourceKind::Input || source.window) continue;
      const TensorMeta& meta = test_.graph.meta(source.value);
      source.data = draw(meta.dtype, meta.layout, meta.storage);
    }
    for (std::size_t i = 0; i < test_.graph.storages.size(); ++i) {
      Storage& storage = test_.graph.storages[i];
      if (storage.data) storage.data = draw(storage.dtype, contiguous_layout(storage.sizes), StorageId(i));
    }
  }

 private:
  void draw_feed(const Graph& graph, std::vector<Tensor>& feed) {
    const std::vector<FeedSlot> slots = feed_slots(graph);
    feed.clear();
    feed.reserve(slots.size());
    for (const FeedSlot& slot : slots) feed.push_back(draw(slot.dtype, slot.layout, slot.storage));
  }

  Tensor draw(DType dtype, const Layout& layout, StorageId storage) {
    const Choices::Scope scope(choices_, "feed");
    return settled(draw_tensor(choices_, dtype, layout.sizes, weights_, bounds_[storage.index]), layout);
  }

  Choices& choices_;
  const GenerateWeights& weights_;
  Case& test_;
  std::vector<Graph> later_;
  IndexBounds bounds_;
};

}  // namespace

void redraw_feed(Choices& choices, const GenerateWeights& weights, Case& test) {
  DataDrawer(choices, weights, test).draw_feeds();
}

void draw_data(Choices& choices, const GenerateWeights& weights, Case& test) {
  DataDrawer drawer(choices, weights, test);
  drawer.draw_feeds();
  drawer.draw_constants_and_state();
}

}  // namespace parallax
