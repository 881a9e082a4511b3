#include "fuzz/generate/draw_data.h"

#include <algorithm>
#include <ranges>

#include "fuzz/generate/draw_values.h"
#include "graph/runs.h"
#include "ops/quantized_ops.h"

namespace parallax {
namespace {

using BoundsByStorage = std::vector<IntegerBounds>;

void tighten(IntegerBounds& bounds, const IntegerBounds& other) {
  if (other.places) bounds.places = std::min(bounds.places.value_or(*other.places), *other.places);
  bounds.near = bounds.near || other.near;
}

// The fewest places that something in a storage indexes into, where a node takes it as an index, and what is a
// parameter of a quantization.
void add_bounds(const Graph& graph, BoundsByStorage& bounds) {
  const auto add = [&](ValueId value, const IntegerBounds& own) {
    tighten(bounds[graph.meta(value).storage.index], own);
  };
  for (const Node& node : graph.nodes) {
    if (quantizes(*node.op) || dequantizes(*node.op)) {
      for (const Argument& parameter : node.arguments | std::views::drop(1))
        for_each_value(parameter, [&](ValueId value) { add(value, {.near = true}); });
    }
    if (!node.op->index_ranges) continue;
    for (const IndexRange& index : node.op->index_ranges(Call(*node.op, node.arguments, graph.metas)))
      add(index.value, {.places = index.places});
  }
}

// The graphs of the runs after the first.
std::vector<Graph> later_graphs(const Case& test) {
  std::vector<Graph> graphs;
  for (std::size_t run = 1; run <= test.later.size(); ++run) {
    Result<Graph> called = graph_of_run(test, run);
    PARALLAX_CHECK(called.has_value());
    graphs.push_back(*std::move(called));
  }
  return graphs;
}

std::vector<StorageId> storages_of_buffers(const Graph& graph) {
  std::vector<StorageId> storages;
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Buffer) storages.push_back(graph.meta(source.value).storage);
  }
  return storages;
}

// By method, the case's graph being the first. What the one takes from a buffer for an index, another may have written.
std::vector<BoundsByStorage> integer_bounds(const Case& test, const std::vector<Graph>& later) {
  std::vector<BoundsByStorage> bounds;
  bounds.emplace_back(test.graph.storages.size());
  add_bounds(test.graph, bounds.front());
  for (std::size_t run = 0; run < later.size(); ++run) {
    if (test.later[run].method == 0) add_bounds(later[run], bounds.front());
  }
  const std::vector<StorageId> shared = storages_of_buffers(test.graph);
  for (const Method& method : test.methods) {
    BoundsByStorage& own = bounds.emplace_back(method.graph.storages.size());
    add_bounds(method.graph, own);
    const std::vector<StorageId> buffers = storages_of_buffers(method.graph);
    for (std::size_t i = 0; i < shared.size(); ++i) tighten(bounds.front()[shared[i].index], own[buffers[i].index]);
  }
  return bounds;
}

class DataDrawer {
 public:
  DataDrawer(Choices& choices, const GenerateWeights& weights, Case& test)
      : choices_(choices),
        weights_(weights),
        test_(test),
        later_(later_graphs(test)),
        bounds_(integer_bounds(test, later_)) {}

  void draw_feeds() {
    draw_feed(test_.graph, test_.feed);
    for (std::size_t run = 0; run < later_.size(); ++run) {
      of_ = &bounds_[test_.later[run].method];
      draw_feed(later_[run], test_.later[run].feed);
    }
    of_ = &bounds_.front();
  }

  void draw_constants_and_state() {
    draw_sources(test_.graph, true);
    for (std::size_t i = 0; i < test_.graph.storages.size(); ++i) {
      Storage& storage = test_.graph.storages[i];
      if (storage.data) storage.data = draw(storage.dtype, contiguous_layout(storage.sizes), StorageId(i));
    }
    for (std::size_t m = 0; m < test_.methods.size(); ++m) {
      of_ = &bounds_[m + 1];
      draw_sources(test_.methods[m].graph, false);
      share_state(test_.graph, test_.methods[m].graph);
    }
    of_ = &bounds_.front();
  }

 private:
  void draw_sources(Graph& graph, bool buffers_too) {
    for (Source& source : graph.sources) {
      if (source.kind == SourceKind::Input || source.window) continue;
      if (source.kind == SourceKind::Buffer && !buffers_too) continue;
      const TensorMeta& meta = graph.meta(source.value);
      source.data = draw(meta.dtype, meta.layout, meta.storage);
    }
  }

  // Gives a method's buffers what those of the graph hold.
  static void share_state(const Graph& graph, Graph& method) {
    const auto is_buffer = [](const Source& source) { return source.kind == SourceKind::Buffer; };
    auto own = std::ranges::find_if(method.sources, is_buffer);
    for (const Source& source : graph.sources) {
      if (!is_buffer(source)) continue;
      own->data = source.data;
      if (source.window) {
        method.storages[method.meta(own->value).storage.index].data =
            graph.storage(graph.meta(source.value).storage).data;
      }
      ++own;
    }
  }

  void draw_feed(const Graph& graph, std::vector<Tensor>& feed) {
    const std::vector<FeedSlot> slots = feed_slots(graph);
    feed.clear();
    feed.reserve(slots.size());
    for (const FeedSlot& slot : slots) feed.push_back(draw(slot.dtype, slot.layout, slot.storage));
  }

  Tensor draw(DType dtype, const Layout& layout, StorageId storage) {
    const Choices::Scope scope(choices_, "feed");
    return settled(draw_tensor(choices_, dtype, layout.sizes, weights_, (*of_)[storage.index]), layout);
  }

  Choices& choices_;
  const GenerateWeights& weights_;
  Case& test_;
  std::vector<Graph> later_;
  std::vector<BoundsByStorage> bounds_;           // by method
  const BoundsByStorage* of_ = &bounds_.front();  // of what is drawn for
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
