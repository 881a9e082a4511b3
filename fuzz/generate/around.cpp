#include "fuzz/generate/around.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "fuzz/generate/single_op.h"
#include "fuzz/generate/work.h"
#include "graph/convert.h"
#include "graph/sketch.h"

namespace parallax {
namespace {

constexpr int other_floats = 25;  // percentage of the parts whose f32 becomes another float

// Values that a node reads or makes, repeats included.
std::vector<ValueId> values_of(const Node& node) {
  std::vector<ValueId> values = node.results;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) { values.push_back(value); });
  }
  return values;
}

int64_t elements_of(const Graph& graph, const Node& node) {
  int64_t elements = 0;
  for (ValueId value : values_of(node)) elements += graph.meta(value).layout.numel();
  return elements;
}

bool is_of(const Vocabulary& words, const Graph& graph, const Node& node) {
  const std::span<const Op* const> ops = words.of(node.op->group);
  if (std::ranges::find(ops, node.op) == ops.end()) return false;
  const std::optional<DType> first = first_dtype(node.arguments, graph);
  return words.whole() || !first || words.has(*node.op, *first);
}

// As it lies, if it has no gaps: from its first element on.
Layout layout_of_input(const Layout& layout) {
  if (!is_dense(layout)) return contiguous_layout(layout.sizes);
  return {layout.sizes, layout.strides, 0};
}

Sketch::GivenValue input_like(const Graph& graph, ValueId value) {
  const TensorMeta& meta = graph.meta(value);
  return {SourceKind::Input,
          value,
          graph.name(value),
          meta.dtype,
          layout_of_input(meta.layout),
          Tensor(meta.dtype, meta.layout.sizes),
          std::nullopt};
}

}  // namespace

Result<Around> Around::of(Case model) {
  model.later.clear();
  model.methods.clear();
  model.symbols = {};
  Around around(std::move(model));
  const Graph& graph = around.model_.graph;
  const std::size_t count = graph.nodes.size();
  std::vector<std::vector<std::size_t>> touching(graph.storages.size());  // nodes, by storage
  around.beside_.resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    const Node& node = graph.nodes[n];
    around.work_.push_back(work_of(graph, node));
    for (ValueId value : values_of(node)) {
      std::vector<std::size_t>& others = touching[graph.meta(value).storage.index];
      if (!others.empty() && others.back() == n) continue;
      for (std::size_t other : others) {
        around.beside_[n].push_back(other);
        around.beside_[other].push_back(n);
      }
      others.push_back(n);
    }
    if (around.work_[n] > most_work || elements_of(graph, node) > most_elements) continue;
    if (around.part_of(std::array{n}, std::nullopt)) around.usable_.push_back(n);
  }
  if (around.usable_.empty()) {
    return fail("{}: no node of it is small enough for the oracle ({:.0e} operations, {} elements)", around.model_.name,
                most_work, most_elements);
  }
  return around;
}

std::vector<std::size_t> Around::draw_nodes(Choices& choices, std::size_t count,
                                            std::span<const std::size_t> usable) const {
  const Graph& graph = model_.graph;
  std::vector<bool> may(graph.nodes.size(), false);
  for (std::size_t n : usable) may[n] = true;
  std::vector<std::size_t> drawn;
  std::vector<std::size_t> next = {choices.pick(usable)};
  double work = 0;
  int64_t elements = 0;
  while (!next.empty() && drawn.size() < count) {
    const std::size_t place = choices.below(next.size());
    const std::size_t n = next[place];
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(place));
    may[n] = false;
    const int64_t own = elements_of(graph, graph.nodes[n]);
    if (work + work_[n] > most_work || elements + own > most_elements) continue;
    work += work_[n];
    elements += own;
    drawn.push_back(n);
    for (std::size_t other : beside_[n]) {
      if (may[other] && std::ranges::find(next, other) == next.end()) next.push_back(other);
    }
  }
  std::ranges::sort(drawn);
  return drawn;
}

std::optional<Case> Around::part_of(std::span<const std::size_t> nodes, std::optional<DType> floats) const {
  const Graph& graph = model_.graph;
  Sketch sketch;
  sketch.stand_ins.resize(graph.metas.size());
  for (std::size_t v = 0; v < sketch.stand_ins.size(); ++v) sketch.stand_ins[v] = ValueId(v);
  std::vector<bool> known(graph.metas.size(), false);
  std::vector<bool> read(graph.metas.size(), false);
  for (std::size_t n : nodes) {
    const Node& node = graph.nodes[n];
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        read[value.index] = true;
        if (known[value.index]) return;
        known[value.index] = true;
        const auto source = std::ranges::find(graph.sources, value, &Source::value);
        sketch.sources.push_back(input_like(graph, value));
        const bool has_data = source != graph.sources.end() && source->kind != SourceKind::Input && !source->window;
        if (!has_data) return;
        sketch.sources.back().kind = source->kind;
        sketch.sources.back().data = source->data;
      });
    }
    std::vector<std::string> names;
    for (ValueId result : node.results) {
      known[result.index] = true;
      names.push_back(graph.name(result));
    }
    sketch.nodes.push_back({node.op, node.name, node.arguments, node.results, std::move(names)});
  }
  for (std::size_t n : nodes) {
    for (ValueId result : graph.nodes[n].results) {
      if (!read[result.index]) sketch.outputs.push_back(result);
    }
  }
  if (floats) convert_dtype(sketch, DType::F32, *floats);
  Case base;
  base.name = model_.name;
  return put_together(sketch, base);
}

std::optional<Case> Around::draw_part(Choices& choices, std::size_t nodes, const Vocabulary& words) const {
  const Choices::Scope scope(choices, "part");
  std::vector<std::size_t> usable;
  for (std::size_t n : usable_) {
    if (is_of(words, model_.graph, model_.graph.nodes[n])) usable.push_back(n);
  }
  if (usable.empty()) return std::nullopt;
  const std::vector<std::size_t> drawn = draw_nodes(choices, nodes, usable);
  static constexpr std::array others = {DType::F16, DType::BF16, DType::F64};
  if (choices.chance(other_floats)) {
    const DType to = choices.pick(others);
    if (words.dtypes()[static_cast<std::size_t>(to)]) {
      if (std::optional<Case> converted = part_of(drawn, to)) return converted;
    }
  }
  if (std::optional<Case> part = part_of(drawn, std::nullopt)) return part;
  return part_of(std::array{drawn.front()}, std::nullopt);
}

}  // namespace parallax
