#include "fuzz/generate/draw_data.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "fuzz/generate/draw_values.h"
#include "graph/runs.h"
#include "ops/quantized_ops.h"

namespace parallax {
namespace {

using UsesByStorage = std::vector<ElementUse>;

void tighten(ElementUse& use, const ElementUse& other) {
  if (other.places) use.places = std::min(use.places.value_or(*other.places), *other.places);
  if (other.width) use.width = std::min(use.width.value_or(*other.width), *other.width);
  use.near = use.near || other.near;
  use.wraps = use.wraps || other.wraps;
  use.special = use.special || other.special;
}

bool asks_for_specials(const Op& op) {
  return op.family == "predicate" || op.family == "truth" || op.name.starts_with("aten.nan_to_num");
}

bool wraps(const Node& node) {
  static constexpr std::array<std::string_view, 5> names = {"aten.abs.default", "aten.abs_.default", "aten.neg.default",
                                                            "aten.neg_.default", "aten.square.default"};
  const std::string_view op = node.op->name;
  return std::ranges::find(names, op) != names.end() ||
         (op == "aten.mul.Tensor" && node.arguments[0] == node.arguments[1]);
}

// What a node's first operands are by its op alone.
template <class Add>
void add_pointwise_uses(const Graph& graph, const Node& node, Add&& add) {
  const auto value = [&](std::size_t at) {
    return at < node.arguments.size() ? std::get_if<ValueId>(&node.arguments[at]) : nullptr;
  };
  const ValueId* first = value(0);
  if (!first) return;
  if (asks_for_specials(*node.op)) add(*first, {.special = true});
  if (wraps(node)) add(*first, {.wraps = true});
  const ValueId* second = value(1);
  if (second && node.op->family == "bitwise" && node.op->name.contains("_shift"))
    add(*second, {.width = 8 * size_of(graph.meta(*first).dtype)});
}

// The fewest places that something in a storage indexes into, where a node takes it as an index, what is a parameter of
// a quantization, and what nodes do with numbers that small ones show nothing of.
void add_uses(const Graph& graph, UsesByStorage& uses) {
  const auto add = [&](ValueId value, const ElementUse& own) { tighten(uses[graph.meta(value).storage.index], own); };
  for (const Node& node : graph.nodes) {
    if (quantizes(*node.op) || dequantizes(*node.op)) {
      for (const Argument& parameter : node.arguments | std::views::drop(1))
        for_each_value(parameter, [&](ValueId value) { add(value, {.near = true}); });
    }
    add_pointwise_uses(graph, node, add);
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
std::vector<UsesByStorage> element_uses(const Case& test, const std::vector<Graph>& later) {
  std::vector<UsesByStorage> uses;
  uses.emplace_back(test.graph.storages.size());
  add_uses(test.graph, uses.front());
  for (std::size_t run = 0; run < later.size(); ++run) {
    if (test.later[run].method == 0) add_uses(later[run], uses.front());
  }
  const std::vector<StorageId> shared = storages_of_buffers(test.graph);
  for (const Method& method : test.methods) {
    UsesByStorage& own = uses.emplace_back(method.graph.storages.size());
    add_uses(method.graph, own);
    const std::vector<StorageId> buffers = storages_of_buffers(method.graph);
    for (std::size_t i = 0; i < shared.size(); ++i) tighten(uses.front()[shared[i].index], own[buffers[i].index]);
  }
  return uses;
}

class DataDrawer {
 public:
  DataDrawer(Choices& choices, const GenerateWeights& weights, Case& test)
      : choices_(choices),
        weights_(weights),
        test_(test),
        later_(later_graphs(test)),
        uses_(element_uses(test, later_)) {}

  void draw_feeds() {
    draw_feed(test_.graph, test_.feed);
    for (std::size_t run = 0; run < later_.size(); ++run) {
      of_ = &uses_[test_.later[run].method];
      draw_feed(later_[run], test_.later[run].feed);
    }
    of_ = &uses_.front();
  }

  void draw_constants_and_state() {
    draw_sources(test_.graph, true);
    for (std::size_t i = 0; i < test_.graph.storages.size(); ++i) {
      Storage& storage = test_.graph.storages[i];
      if (storage.data) storage.data = draw(storage.dtype, contiguous_layout(storage.sizes), StorageId(i));
    }
    for (std::size_t m = 0; m < test_.methods.size(); ++m) {
      of_ = &uses_[m + 1];
      draw_sources(test_.methods[m].graph, false);
      share_state(test_.graph, test_.methods[m].graph);
    }
    of_ = &uses_.front();
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
  std::vector<UsesByStorage> uses_;           // by method
  const UsesByStorage* of_ = &uses_.front();  // of what is drawn for
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
