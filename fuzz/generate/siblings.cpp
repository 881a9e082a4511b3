#include "fuzz/generate/siblings.h"

#include <array>
#include <numeric>
#include <optional>
#include <variant>

#include "fuzz/generate/alias_relation.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// What makes a copy of x with its sizes, by how the sizes are said.
constexpr std::string_view plain_copies[] = {"aten.clone.default", "aten.alias_copy.default",
                                             "aten.detach_copy.default", "aten.lift_fresh_copy.default",
                                             "aten._to_copy.default"};
constexpr std::string_view sized_copies[] = {"aten.view_copy.default", "aten.expand_copy.default"};

// A handful a kind. Which of them a call can become is read off their schemas.
constexpr std::string_view common_ops[] = {
    "aten.neg.default",   "aten.abs.default",  "aten.exp.default",  "aten.sigmoid.default", "aten.relu.default",
    "aten.add.Tensor",    "aten.sub.Tensor",   "aten.mul.Tensor",   "aten.maximum.default", "aten.eq.Tensor",
    "aten.lt.Tensor",     "aten.neg_.default", "aten.abs_.default", "aten.exp_.default",    "aten.relu_.default",
    "aten.zero_.default", "aten.add_.Tensor",  "aten.sub_.Tensor",  "aten.mul_.Tensor",     "aten.copy_.default",
    "aten.add_.Scalar",   "aten.mul_.Scalar",  "aten.fill_.Scalar", "aten.add.Scalar",      "aten.mul.Scalar",
    "aten.sum.default",   "aten.mean.default", "aten.prod.default", "aten.max.default",     "aten.sum.dim_IntList",
    "aten.mean.dim",      "aten.amax.default", "aten.amin.default", "aten.cumsum.default",  "aten.cumprod.default"};

// The node's arguments for another op: kind by kind from the front, defaults for the rest. Nothing where an argument
// that is not a default has no place.
std::optional<std::vector<Argument>> arguments_for(const Op& op, const Node& node) {
  const std::vector<Parameter>& from = node.op->schema.parameters;
  const std::vector<Parameter>& to = op.schema.parameters;
  std::vector<Argument> arguments;
  std::size_t common = 0;
  while (common < from.size() && common < to.size() && from[common].kind == to[common].kind &&
         from[common].keyword_only == to[common].keyword_only) {
    const Argument& argument = node.arguments[common];
    if (is_none(argument) && !to[common].optional) return std::nullopt;  // slice's start may be None, narrow's not
    const bool is_number = std::holds_alternative<Scalar>(argument) && to[common].kind == ArgKind::Tensor;
    if (is_number && !to[common].takes_number) return std::nullopt;
    arguments.push_back(argument);
    ++common;
  }
  for (std::size_t i = common; i < from.size(); ++i) {
    if (!from[i].default_value || node.arguments[i] != *from[i].default_value) return std::nullopt;
  }
  for (std::size_t i = common; i < to.size(); ++i) {
    if (!to[i].default_value) return std::nullopt;
    arguments.push_back(*to[i].default_value);
  }
  return arguments;
}

// "alias_copy", "sum.dim_IntList": without the overload where it says nothing.
std::string short_name(const Op& op) {
  return op.schema.overload == "default" ? op.schema.name : op.schema.name + "." + op.schema.overload;
}

class SiblingList {
 public:
  explicit SiblingList(const Node& node) : node_(node) {}

  void offer(const Op* op, std::optional<std::vector<Argument>> arguments, std::string name = "") {
    if (!op || op == node_.op || !arguments) return;
    found_.push_back({name.empty() ? short_name(*op) : std::move(name), op, *std::move(arguments)});
  }
  std::vector<Sibling> take() { return std::move(found_); }

 private:
  const Node& node_;
  std::vector<Sibling> found_;
};

void offer_copies(SiblingList& list, const Graph& graph, ValueId operand) {
  for (const std::string_view name : plain_copies) {
    const Op* op = find_op(name);
    if (!op) continue;
    if (auto arguments = bind_arguments(*op, {operand})) list.offer(op, *std::move(arguments));
  }
  const Dims& sizes = graph.meta(operand).layout.sizes;
  for (const std::string_view name : sized_copies) {
    const Op* op = find_op(name);
    if (!op) continue;
    if (auto arguments = bind_arguments(*op, {operand, IntList(sizes.begin(), sizes.end())})) {
      list.offer(op, *std::move(arguments));
    }
  }
  if (graph.meta(operand).dtype == DType::Bool) return;
  const Op& add = op_named("aten.add.Scalar");
  list.offer(&add, std::vector<Argument>{operand, Scalar(int64_t{0}), Scalar(int64_t{1})}, "add 0");
}

void offer_views(SiblingList& list, const Node& node) {
  for (const Op& op : all_ops()) {
    const bool view = op.is_view() && !op.writes();
    if (view || op.view_twin == node.op) list.offer(&op, arguments_for(op, node));
  }
}

}  // namespace

std::vector<Sibling> siblings_of(const Graph& graph, const Node& node) {
  SiblingList list(node);
  const auto* operand = node.arguments.empty() ? nullptr : std::get_if<ValueId>(&node.arguments.front());
  const bool copies = is_elidable_copy(graph, node) && operand != nullptr &&
                      graph.meta(*operand).layout.sizes == graph.meta(node.results[0]).layout.sizes;
  if (copies) {
    offer_copies(list, graph, *operand);
  } else if (node.op->is_view() && !node.op->writes()) {
    offer_views(list, node);
  } else {
    for (const std::string_view name : common_ops) {
      const Op* op = find_op(name);
      if (op && op->group == node.op->group) list.offer(op, arguments_for(*op, node));
    }
  }
  return list.take();
}

}  // namespace parallax
