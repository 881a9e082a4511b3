#include "fuzz/generate.h"

#include <algorithm>
#include <array>

#include "fuzz/draw_sources.h"
#include "fuzz/draw_values.h"
#include "fuzz/pool.h"
#include "fuzz/weights.h"
#include "graph/builder.h"

namespace parallax {
namespace {

// Draws for one node before it is given up; from `wide_attempt` on the whole pool is offered.
constexpr int node_attempts = 24;
constexpr int wide_attempt = 8;

// The group weights of a profile with the groups that have no op left out.
std::array<uint32_t, op_group_count> usable_groups(const GenerateWeights& weights, const DrawnOps& ops) {
  std::array<uint32_t, op_group_count> usable = weights.groups;
  for (std::size_t i = 0; i < op_group_count; ++i) {
    if (ops.of(static_cast<OpGroup>(i)).empty()) usable[i] = 0;
  }
  return usable;
}

// The weights of a profile without the dtypes that nobody is to see.
GenerateWeights usable_weights(const GenerateWeights& profile, const DrawnOps& ops) {
  GenerateWeights weights = profile;
  for (int d = 0; d < dtype_count; ++d) {
    if (!ops.takes(static_cast<DType>(d))) weights.dtypes[static_cast<std::size_t>(d)] = 0;
  }
  if (!ops.takes(DType::F32)) weights.other_main_dtype = 100;
  return weights;
}

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options)
      : choices_(choices),
        ops_(options.ops ? *options.ops : DrawnOps::all()),
        weights_(usable_weights(generate_weights[static_cast<std::size_t>(options.profile)], ops_)),
        groups_(usable_groups(weights_, ops_)) {
    draw_sources(choices_, weights_, builder_, pool_);
    const auto nodes = choices_.between(options.min_nodes, std::max(options.min_nodes, options.max_nodes));
    for (int64_t i = 0; i < nodes; ++i) draw_node();
    draw_outputs();
  }

  Case take() {
    Case test;
    test.name = "generated";
    test.graph = builder_.take();
    draw_data(test);
    return test;
  }

 private:
  void draw_node() {
    const Choices::Scope scope(choices_, "node");
    for (int attempt = 0; attempt < node_attempts; ++attempt) {
      if (draw_call(attempt >= wide_attempt)) return;
    }
  }

  // One op with operands, added to the graph; false where it found no operands or they do not infer.
  bool draw_call(bool wide) {
    const Op& op = *choices_.pick(ops_.of(static_cast<OpGroup>(choices_.weighted(groups_))));
    const Choices::Scope scope(choices_, "operands");
    const Graph& graph = builder_.graph();
    SampleContext context(choices_, pool_.draw_candidates(choices_, graph, wide), graph.metas);
    std::optional<std::vector<Argument>> arguments = op.sample(op, context);
    if (!arguments || !results_are_taken(op, *arguments)) return false;
    if (!builder_.add_node(op, *std::move(arguments))) return false;
    pool_.add_node(graph, graph.nodes.back());
    return true;
  }

  // Whether what a call makes has dtypes that a case may hold; false also where it does not infer.
  bool results_are_taken(const Op& op, const std::vector<Argument>& arguments) const {
    if (ops_.takes_every_dtype()) return true;
    const auto results = op.infer(Call(op, arguments, builder_.graph().metas));
    return results && std::ranges::all_of(*results, [&](const ResultMeta& made) { return ops_.takes(made.dtype); });
  }

  // What nobody reads is returned, so that most nodes are needed; then a few of anything: intermediates that are also
  // consumed, inputs, buffers, and what is already returned.
  void draw_outputs() {
    const Choices::Scope scope(choices_, "outputs");
    std::vector<ValueId> outputs;
    const std::span<const Pool::Entry> entries = pool_.entries();
    for (const Pool::Entry& entry : entries) {
      if (!entry.source && entry.readers == 0 && !choices_.chance(weights_.drop_unread)) outputs.push_back(entry.value);
    }
    static constexpr std::array<uint32_t, 4> extra_weights = {50, 30, 14, 6};
    const std::size_t extras = choices_.weighted(extra_weights);
    for (std::size_t i = 0; i < extras; ++i) {
      const ValueId extra =
          !outputs.empty() && choices_.chance(25) ? choices_.pick(outputs) : choices_.pick(entries).value;
      const auto place = static_cast<std::ptrdiff_t>(choices_.below(outputs.size() + 1));
      outputs.insert(outputs.end() - place, extra);
    }
    if (outputs.empty()) outputs.push_back(entries.back().value);
    for (ValueId output : outputs) builder_.add_output(output);
  }

  // Everything that is given before a run, drawn when it is known what is indexed with it.
  void draw_data(Case& test) {
    const std::vector<std::optional<int64_t>> bounds = index_bounds(test.graph);
    const auto draw = [&](DType dtype, const Layout& layout, StorageId storage) {
      const Choices::Scope scope(choices_, "feed");
      return settled(draw_tensor(choices_, dtype, layout.sizes, weights_, bounds[storage.index]), layout);
    };
    for (const FeedSlot& slot : feed_slots(test.graph))
      test.feed.push_back(draw(slot.dtype, slot.layout, slot.storage));
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

  // By storage: the fewest places that something in it indexes into, where a node takes it as an index.
  static std::vector<std::optional<int64_t>> index_bounds(const Graph& graph) {
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

  Choices& choices_;
  const DrawnOps& ops_;
  const GenerateWeights weights_;
  std::array<uint32_t, op_group_count> groups_;
  GraphBuilder builder_;
  Pool pool_;
};

}  // namespace

std::optional<GenerateProfile> parse_generate_profile(std::string_view name) {
  for (const GenerateWeights& weights : generate_weights) {
    if (weights.name == name) return weights.profile;
  }
  return std::nullopt;
}

std::string_view name(GenerateProfile profile) { return generate_weights[static_cast<std::size_t>(profile)].name; }

Case generate(Choices& choices, const GenerateOptions& options) { return Generator(choices, options).take(); }

}  // namespace parallax
