#include "compiler/view_chains.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/functional_form.h"
#include "compiler/op_names.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

constexpr std::string_view slicing = "aten.slice.Tensor";
// What sees its operand in another shape, in the same order of elements.
constexpr std::array<std::string_view, 6> reshaping = {"aten.view.default",    "aten.unsqueeze.default",
                                                       "aten.squeeze.default", "aten.squeeze.dim",
                                                       "aten.squeeze.dims",    "aten.alias.default"};
constexpr std::string_view expanding = "aten.expand.default";

ValueId operand_of(std::span<const Argument> arguments) { return std::get<ValueId>(arguments.front()); }

IntList composed_order(const IntList& inner, const IntList& outer) {
  IntList order;
  for (int64_t dim : first_unless_swapped<"permutations_composed_backwards">(outer, inner)) {
    order.push_back(
        first_unless_swapped<"permutations_composed_backwards">(inner, outer)[static_cast<std::size_t>(dim)]);
  }
  return order;
}

std::pair<int64_t, int64_t> composed_slice(std::pair<int64_t, int64_t> inner, std::pair<int64_t, int64_t> outer) {
  return {inner.first + outer.first * first_unless_swapped<"slice_start_by_outer_step">(inner.second, outer.second),
          inner.second * outer.second};
}

// Of the call's first result; nothing where it does not infer, as in a graph that a fault made invalid: what builds it
// again says so.
std::optional<Dims> result_sizes(const Graph& graph, const Op& op, std::span<const Argument> arguments) {
  const auto results = op.infer(Call(op, arguments, graph.metas));
  if (!results) return std::nullopt;
  return results->front().layout.sizes;
}

// A slice's first element and step, after clamping.
std::pair<int64_t, int64_t> slice_of(const Call& call, int dim) {
  const int64_t size = call.tensor(arg::self).layout.sizes[dim];
  int64_t start = call.has(arg::start) ? call.integer(arg::start) : 0;
  if (less_unless_flipped<"slice_starts_at_the_end">(start, int64_t{0})) start += size;
  return {std::clamp<int64_t>(start, 0, size), call.integer(arg::step)};
}

int front_dim(int64_t dim, int rank) { return static_cast<int>(dim < 0 ? dim + rank : dim); }

std::optional<Replacement> one_permutation(Matcher& matcher, const Op& op, std::span<const Argument> arguments,
                                           const ViewRules& rules) {
  const auto outer = permutation_of(matcher.graph(), op, arguments);
  if (!outer) return std::nullopt;
  ValueId source = operand_of(arguments);
  IntList order = *outer;
  if (const Node* maker = matcher.maker(source, permuting_ops)) {
    order = rules.compose(*permutation_of(matcher.graph(), *maker->op, maker->arguments), *outer);
    source = operand_of(maker->arguments);
  } else if (!std::ranges::is_sorted(order)) {
    return std::nullopt;
  }
  if (std::ranges::is_sorted(order)) return call_of("aten.alias.default", {source});
  return call_of("aten.permute.default", {source, order});
}

std::optional<Replacement> one_slice(Matcher& matcher, const Op& op, std::span<const Argument> arguments,
                                     const ViewRules& rules) {
  if (op.name != slicing) return std::nullopt;
  const Graph& graph = matcher.graph();
  const Node* maker = matcher.maker(operand_of(arguments), slicing);
  if (!maker) return std::nullopt;
  const Call inner(*maker->op, maker->arguments, graph.metas);
  const Call outer(op, arguments, graph.metas);
  const int rank = outer.tensor(arg::self).layout.rank();
  const int dim = front_dim(outer.integer(arg::dim), rank);
  if (!holds_unless_dropped<"slices_of_any_dim">(front_dim(inner.integer(arg::dim), rank) == dim)) return std::nullopt;
  const std::optional<Dims> result = result_sizes(graph, op, arguments);
  if (!result) return std::nullopt;
  const int64_t length = (*result)[dim];
  if (length == 0) return std::nullopt;
  const auto [start, step] = rules.slice(slice_of(inner, dim), slice_of(outer, dim));
  const int64_t end = exact_or_one_more<"slice_ends_late">(start + (length - 1) * step + 1);
  return call_of(slicing, {inner.value(arg::self), Scalar(int64_t{dim}), Scalar(start), Scalar(end), Scalar(step)});
}

// The sizes alone tell what becomes of elements that stay in order.
std::optional<Replacement> one_reshape(Matcher& matcher, const Op& op, std::span<const Argument> arguments) {
  if (!one_of(reshaping, op.name)) return std::nullopt;
  const std::optional<Dims> sizes = result_sizes(matcher.graph(), op, arguments);
  if (!sizes) return std::nullopt;
  ValueId source = operand_of(arguments);
  const Node* maker = matcher.maker(source, reshaping);
  if (maker) source = operand_of(maker->arguments);
  if (matcher.meta(source).layout.sizes == *sizes) return call_of("aten.alias.default", {source});
  if (!maker) return std::nullopt;
  return call_of("aten.view.default", {source, to_list(*sizes)});
}

std::optional<Replacement> one_expansion(Matcher& matcher, const Op& op, std::span<const Argument> arguments) {
  if (op.name != expanding) return std::nullopt;
  const std::optional<Dims> sizes = result_sizes(matcher.graph(), op, arguments);
  if (!sizes) return std::nullopt;
  const ValueId source = operand_of(arguments);
  if (matcher.meta(source).layout.sizes == *sizes) return call_of("aten.alias.default", {source});
  const Node* maker = matcher.maker(source, expanding);
  if (!maker) return std::nullopt;
  return call_of(expanding, {operand_of(maker->arguments), to_list(*sizes)});
}

bool is_same_call(const Replacement& call, const Op& op, std::span<const Argument> arguments) {
  return call.op == &op && std::ranges::equal(call.arguments, arguments);
}

}  // namespace

const ViewRules view_rules = {composed_order, composed_slice, false};

std::optional<IntList> permutation_of(const Graph& graph, const Op& op, std::span<const Argument> arguments) {
  if (!one_of(permuting_ops, op.name)) return std::nullopt;
  static const Op& permute = op_named("aten.permute.default");
  static const Op& transpose_matrix = op_named("aten.t.default");
  static const Op& transpose = op_named("aten.transpose.int");
  const Call call(op, arguments, graph.metas);
  const int rank = call.tensor(arg::self).layout.rank();
  IntList order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (&op == &permute) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = front_dim(call.integers(arg::dims)[i], rank);
  } else if (&op == &transpose_matrix) {
    std::ranges::reverse(order);
  } else if (&op == &transpose && rank > 0) {
    const auto place = [&](arg name) { return static_cast<std::size_t>(front_dim(call.integer(name), rank)); };
    std::swap(order[place(arg::dim0)], order[place(arg::dim1)]);
  } else if (rank > 0) {
    const int source = front_dim(call.integer(arg::source), rank);
    const int destination = front_dim(call.integer(arg::destination), rank);
    const int from = first_unless_swapped<"movedim_backwards">(source, destination);
    order.erase(order.begin() + from);
    order.insert(order.begin() + first_unless_swapped<"movedim_backwards">(destination, source), from);
  }
  return order;
}

std::optional<Replacement> one_view(Matcher& matcher, const Op& op, std::span<const Argument> arguments,
                                    const ViewRules& rules) {
  std::optional<Replacement> one = one_permutation(matcher, op, arguments, rules);
  if (!one) one = one_slice(matcher, op, arguments, rules);
  if (!one) one = one_reshape(matcher, op, arguments);
  if (!one) one = one_expansion(matcher, op, arguments);
  if (!one || is_same_call(*one, op, arguments)) return std::nullopt;
  if (!matcher.makes_the_same(*one, op, arguments, rules.any_strides)) return std::nullopt;
  return one;
}

}  // namespace parallax
