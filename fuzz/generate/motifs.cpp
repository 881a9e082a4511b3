#include "fuzz/generate/motifs.h"

#include <array>

#include "fuzz/generate/pool.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Views and copies say where elements are, so two of them after each other are one; other ops seldom are.
constexpr int moving_weight = 4;

bool moves_elements(const Op& op) { return op.group == OpGroup::View || op.group == OpGroup::Copy; }

std::optional<ProposedCall> bound(std::string_view name, std::vector<Argument> positional,
                                  std::vector<std::pair<std::string, Argument>> named = {}) {
  const Op& op = op_named(name);
  Result<std::vector<Argument>> arguments = bind_arguments(op, std::move(positional), std::move(named));
  if (!arguments) return std::nullopt;
  return ProposedCall{&op, *std::move(arguments)};
}

// An earlier node's call once more, on the same tensors as they are by now. Nothing where there is no node.
std::optional<ProposedCall> repeat_call(Choices& choices, const Graph& graph) {
  if (graph.nodes.empty()) return std::nullopt;
  const Node& node = choices.pick(graph.nodes);
  return ProposedCall{node.op, node.arguments};
}

// An earlier node's op with arguments of its own, on what that node made; views and copies more often than others.
// Nothing where that fits no such op.
std::optional<ProposedCall> stack_call(Choices& choices, const Graph& graph, const OperandLimits& limits) {
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes) {
    if (!node.op->sample || node.results.size() != 1 || !limits.admit(graph.meta(node.results.front()))) continue;
    nodes.insert(nodes.end(), moves_elements(*node.op) ? moving_weight : 1, &node);
  }
  if (nodes.empty()) return std::nullopt;
  const Node& node = *choices.pick(nodes);
  const std::array alone = {Candidate{node.results.front(), true, false}};
  SampleContext context(choices, alone, graph.metas);
  std::optional<std::vector<Argument>> arguments = node.op->sample(*node.op, context);
  if (!arguments) return std::nullopt;
  return ProposedCall{node.op, *std::move(arguments)};
}

// What brings an earlier node's result back to the dtype or the sizes of its operand. Nothing where no node has changed
// either.
std::optional<ProposedCall> lead_back(Choices& choices, const Graph& graph) {
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes) {
    const auto* operand = node.arguments.empty() ? nullptr : std::get_if<ValueId>(&node.arguments.front());
    if (!operand || node.results.size() != 1) continue;
    const TensorMeta& from = graph.meta(*operand);
    const TensorMeta& to = graph.meta(node.results.front());
    const bool differs = from.dtype != to.dtype || from.layout.sizes != to.layout.sizes;
    if (differs && from.layout.numel() == to.layout.numel()) nodes.push_back(&node);
  }
  if (nodes.empty()) return std::nullopt;
  const Node& node = *choices.pick(nodes);
  const ValueId result = node.results.front();
  const TensorMeta& from = graph.meta(std::get<ValueId>(node.arguments.front()));
  if (from.dtype != graph.meta(result).dtype) return bound("aten._to_copy.default", {result}, {{"dtype", from.dtype}});
  return bound("aten.reshape.default", {result, IntList(from.layout.sizes.begin(), from.layout.sizes.end())});
}

// A value beside what a pointwise call made of it: x - f(x), x * f(x), f(x) / x. Activations are written out so, and so
// is what is left of a number beside its approximation. Nothing where no node has made such a value.
std::optional<ProposedCall> meet_operand(Choices& choices, const Graph& graph) {
  static constexpr std::array<std::string_view, 5> ops = {"aten.sub.Tensor", "aten.mul.Tensor", "aten.div.Tensor",
                                                          "aten.add.Tensor", "aten.maximum.default"};
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes) {
    const auto* operand = node.arguments.empty() ? nullptr : std::get_if<ValueId>(&node.arguments.front());
    if (!operand || node.op->group != OpGroup::Pointwise || node.results.size() != 1) continue;
    if (graph.meta(*operand).layout.sizes == graph.meta(node.results.front()).layout.sizes) nodes.push_back(&node);
  }
  if (nodes.empty()) return std::nullopt;
  const Node& node = *choices.pick(nodes);
  const auto operand = std::get<ValueId>(node.arguments.front());
  const ValueId result = node.results.front();
  const std::string_view op = choices.pick(ops);
  return choices.chance(50) ? bound(op, {result, operand}) : bound(op, {operand, result});
}

}  // namespace

std::optional<ProposedCall> motif_call(Choices& choices, std::span<const uint32_t> weights, const Graph& graph,
                                       const OperandLimits& limits) {
  const std::size_t motif = choices.weighted(weights);
  if (motif == 0) return std::nullopt;
  const Choices::Scope scope(choices, "operands");
  switch (motif) {
    case 1:
      return repeat_call(choices, graph);
    case 2:
      return stack_call(choices, graph, limits);
    case 3:
      return lead_back(choices, graph);
    default:
      return meet_operand(choices, graph);
  }
}

}  // namespace parallax
