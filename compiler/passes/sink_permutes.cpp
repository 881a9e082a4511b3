// Permute sinking: op(permute(x)) becomes permute(op(x)), so that permutations meet further down and cancel.
//
// Element-wise calls let them through where all tensors that have dims are permuted alike; what names dims names those
// of the tensor itself then. A permutation stays where the result would lie in memory in another order than eager's.
#include "compiler/passes/sink_permutes.h"

#include <algorithm>
#include <array>

#include "compiler/passes.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// Ops that name dims of their operand. The result has these dims still, unless `keepdim` says otherwise.
constexpr std::array<std::string_view, 5> names_dims = {"aten.cumsum.default", "aten.flip.default",
                                                        "aten.sum.dim_IntList", "aten.mean.dim", "aten.amax.default"};

class Sinker {
 public:
  Sinker(Matcher& matcher, MapDimsFn map_dims) : matcher_(matcher), map_dims_(map_dims) {}

  // The call on what its permuted operands permute, and the order that its result has to be brought into.
  struct Sunk {
    Replacement call;
    IntList order;
  };
  std::optional<Sunk> sunk(const Op& op, std::span<const Argument> arguments) {
    if (op.writes() || op.schema.has_list_result()) return std::nullopt;
    Sunk sunk{{&op, {arguments.begin(), arguments.end()}}, {}};
    if (std::ranges::find(names_dims, op.name) != names_dims.end()) {
      return name_dims(sunk) ? std::optional(sunk) : std::nullopt;
    }
    if (op.group != OpGroup::Pointwise && op.group != OpGroup::Comparison) return std::nullopt;
    return take_off_all(sunk) ? std::optional(sunk) : std::nullopt;
  }

 private:
  // Replaces a permuted tensor by what it permutes; its order must be that of the others.
  bool take_off(Argument& argument, IntList& order) {
    const Node* maker = matcher_.maker(std::get<ValueId>(argument), permuting_ops);
    if (!maker) return false;
    const IntList found = *permutation_of(matcher_.graph(), *maker->op, maker->arguments);
    if (!order.empty() && !holds_unless_dropped<"orders_mixed">(order == found)) return false;
    order = found;
    argument = maker->arguments.front();
    return true;
  }

  // Numbers have no dims to permute.
  bool take_off_all(Sunk& sunk) {
    for (Argument& argument : sunk.call.arguments) {
      if (std::holds_alternative<ValueList>(argument)) return false;
      const auto* value = std::get_if<ValueId>(&argument);
      if (value && matcher_.meta(*value).layout.rank() > 0 && !take_off(argument, sunk.order)) return false;
    }
    return !sunk.order.empty();
  }

  bool name_dims(Sunk& sunk) {
    if (!take_off(sunk.call.argument(arg::self), sunk.order)) return false;
    const auto takes = [&](arg name) { return sunk.call.op->schema.index_of(name) >= 0; };
    const auto rank = static_cast<int64_t>(sunk.order.size());
    IntList dims;
    Argument& named = sunk.call.argument(takes(arg::dims) ? arg::dims : arg::dim);
    if (auto* list = std::get_if<IntList>(&named)) {
      dims = *list;
    } else if (const auto* dim = std::get_if<Scalar>(&named)) {
      dims = {as_integer(*dim)};
    }
    if (dims.empty()) return false;
    for (int64_t& dim : dims) dim += dim < 0 ? rank : 0;
    const IntList mapped = map_dims_(sunk.order, dims);
    named = std::holds_alternative<IntList>(named) ? Argument(mapped) : Argument(Scalar(mapped.front()));
    const bool keeps = !takes(arg::keepdim) || std::get<bool>(std::get<Scalar>(sunk.call.argument(arg::keepdim)));
    if (!keeps) sunk.order = order_of_rest(sunk.order, dims);
    return true;
  }

  // The order of the dims that a reduction leaves, once the others are gone.
  static IntList order_of_rest(const IntList& order, const IntList& reduced) {
    IntList kept;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (std::ranges::find(reduced, static_cast<int64_t>(i)) == reduced.end()) kept.push_back(order[i]);
    }
    IntList rest;
    for (int64_t dim : kept)
      rest.push_back(
          std::ranges::count_if(kept, [&](int64_t other) { return less_unless_flipped<"rank_of_rest">(other, dim); }));
    return rest;
  }

  Matcher& matcher_;
  MapDimsFn map_dims_;
};

// Whether eager's result is what the call makes, permuted: element for element in the same place of fresh memory.
bool lies_alike(const Matcher& matcher, const Sinker::Sunk& sunk, const Op& op, std::span<const Argument> arguments) {
  const std::vector<TensorMeta>& metas = matcher.graph().metas;
  const auto wanted = op.infer(Call(op, arguments, metas));
  const auto made = sunk.call.op->infer(Call(*sunk.call.op, sunk.call.arguments, metas));
  if (!wanted || !made || wanted->front().alias.valid() || made->front().alias.valid()) return false;
  const Layout& from = made->front().layout;
  Layout permuted = from;
  for (int i = 0; i < from.rank(); ++i) {
    permuted.sizes[i] = from.sizes[static_cast<int>(sunk.order[static_cast<std::size_t>(i)])];
    permuted.strides[i] = from.strides[static_cast<int>(sunk.order[static_cast<std::size_t>(i)])];
  }
  return made->front().dtype == wanted->front().dtype &&
         holds_unless_dropped<"laid_out_otherwise">(permuted == wanted->front().layout);
}

Result<void> add_sunk(Rewriter& rewriter, Matcher& matcher, const Node& node, const Sinker::Sunk& sunk) {
  if (std::ranges::is_sorted(sunk.order)) return matcher.add(node, sunk.call);
  TRY(const std::vector<ValueId> made,
      rewriter.builder().add_node(*sunk.call.op, sunk.call.arguments, rewriter.fresh_name(node.name + "_unpermuted")));
  return matcher.add(node, call_of("aten.permute.default", {made.front(), sunk.order}));
}

}  // namespace

IntList unpermuted_dims(const IntList& order, const IntList& dims) {
  IntList mapped;
  for (int64_t dim : dims)
    mapped.push_back(first_unless_swapped<"dims_by_place">(order[static_cast<std::size_t>(dim)], dim));
  return mapped;
}

Result<Graph> sink_permutes_with(const Graph& graph, MapDimsFn map_dims, const ViewRules& views) {
  Rewriter rewriter(graph);
  Matcher matcher(rewriter);
  Sinker sinker(matcher, map_dims);
  for (const Node& node : graph.nodes) {
    Replacement call = {node.op, rewriter.mapped_arguments(node)};
    const auto sunk = sinker.sunk(*call.op, call.arguments);
    if (sunk && lies_alike(matcher, *sunk, *call.op, call.arguments)) {
      TRY_VOID(add_sunk(rewriter, matcher, node, *sunk));
      continue;
    }
    if (auto view = one_view(matcher, *call.op, call.arguments, views)) call = *std::move(view);
    TRY_VOID(matcher.add(node, std::move(call)));
  }
  return rewriter.finish();
}

bool holds_permutes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return std::ranges::find(permuting_ops, node.op->name) != permuting_ops.end();
  });
}

Result<Graph> sink_permutes(const Graph& graph) { return sink_permutes_with(graph, unpermuted_dims, view_rules); }

}  // namespace parallax
