#include "compiler/view_chains.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/functional_form.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

constexpr std::string_view slicing = "aten.slice.Tensor";
// What sees its operand in another shape, in the same order of elements.
constexpr std::array<std::string_view, 6> reshaping = {"aten.view.default",    "aten.unsqueeze.default",
                                                       "aten.squeeze.default", "aten.squeeze.dim",
                                                       "aten.squeeze.dims",    "aten.alias.default"};
constexpr std::string_view expanding = "aten.expand.default";

bool one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

ValueId operand_of(std::span<const Argument> arguments) { return std::get<ValueId>(arguments[0]); }

int64_t integer(const Argument& argument) { return as_integer(std::get<Scalar>(argument)); }

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
std::pair<int64_t, int64_t> slice_of(const Graph& graph, std::span<const Argument> arguments, int dim) {
  const int64_t size = graph.meta(operand_of(arguments)).layout.sizes[dim];
  int64_t start = is_none(arguments[2]) ? 0 : integer(arguments[2]);
  if (less_unless_flipped<"slice_starts_at_the_end">(start, int64_t{0})) start += size;
  return {std::clamp<int64_t>(start, 0, size), integer(arguments[4])};
}

int front_dim(const Argument& dim, int rank) {
  return static_cast<int>(integer(dim) < 0 ? integer(dim) + rank : integer(dim));
}

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
  const Dims& sizes = graph.meta(operand_of(arguments)).layout.sizes;
  const int dim = front_dim(arguments[1], sizes.size());
  if (!holds_unless_dropped<"slices_of_any_dim">(front_dim(maker->arguments[1], sizes.size()) == dim))
    return std::nullopt;
  const std::optional<Dims> result = result_sizes(graph, op, arguments);
  if (!result) return std::nullopt;
  const int64_t length = (*result)[dim];
  if (length == 0) return std::nullopt;
  const auto [start, step] = rules.slice(slice_of(graph, maker->arguments, dim), slice_of(graph, arguments, dim));
  const int64_t end = exact_or_one_more<"slice_ends_late">(start + (length - 1) * step + 1);
  return call_of(slicing,
                 {operand_of(maker->arguments), Scalar(int64_t{dim}), Scalar(start), Scalar(end), Scalar(step)});
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
  const int rank = graph.meta(operand_of(arguments)).layout.rank();
  IntList order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (op.name == "aten.permute.default") {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int64_t dim = std::get<IntList>(arguments[1])[i];
      order[i] = dim < 0 ? dim + rank : dim;
    }
  } else if (op.name == "aten.t.default") {
    std::ranges::reverse(order);
  } else if (rank > 0) {
    const int a = front_dim(arguments[1], rank);
    const int b = front_dim(arguments[2], rank);
    if (op.name == "aten.transpose.int") {
      std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    } else {
      const int from = first_unless_swapped<"movedim_backwards">(a, b);
      order.erase(order.begin() + from);
      order.insert(order.begin() + first_unless_swapped<"movedim_backwards">(b, a), from);
    }
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
