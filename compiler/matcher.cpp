#include "compiler/matcher.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/written_operands.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// Fills by the parameter that holds their number; -1: a number of the op.
struct Fill {
  std::string_view op;
  int parameter;
  int64_t number;
};
constexpr std::array fill_makers = {
    Fill{"aten.full.default", 1, 0},
    Fill{"aten.full_like.default", 1, 0},
    Fill{"aten.zeros_like.default", -1, 0},
    Fill{"aten.ones_like.default", -1, 1},
};

// Looking at more elements of a constant costs more than it saves.
constexpr int64_t most_elements = 1024;

// The number as the dtype holds it, if it holds it.
std::optional<Scalar> exactly(DType dtype, const Scalar& number) {
  const double real = as_double(number);
  if (is_floating(dtype)) return round_to(dtype, real) == real ? std::optional<Scalar>(real) : std::nullopt;
  if (is_floating(number)) return std::nullopt;
  const int64_t integer = as_integer(number);
  return wrap_to(dtype, integer) == integer ? std::optional<Scalar>(integer) : std::nullopt;
}

}  // namespace

Replacement call_of(std::string_view op, std::vector<Argument> positional, NamedArguments named) {
  const Op& record = op_named(op);
  Result<std::vector<Argument>> arguments = bind_arguments(record, std::move(positional), std::move(named));
  PARALLAX_CHECK(arguments.has_value());
  return {&record, *std::move(arguments)};
}

void Matcher::follow() {
  const Graph& now = graph();
  makers_.resize(now.metas.size(), -1);
  last_writes_.resize(now.storages.size(), -1);
  for (; followed_ < now.nodes.size(); ++followed_) {
    const Node& node = now.nodes[followed_];
    for (ValueId result : node.results) makers_[result.index] = static_cast<int>(followed_);
    for_each_written(node,
                     [&](ValueId value) { last_writes_[now.meta(value).storage.index] = static_cast<int>(followed_); });
  }
}

const Node* Matcher::maker(ValueId value, std::span<const std::string_view> ops) {
  follow();
  const int made_by = makers_[value.index];
  if (made_by < 0) return nullptr;
  const Node& node = graph().nodes[static_cast<std::size_t>(made_by)];
  if (std::ranges::find(ops, node.op->name) == ops.end()) return nullptr;
  bool unwritten = last_writes_[meta(value).storage.index] < made_by;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId operand) {
      unwritten = unwritten &&
                  holds_unless_dropped<"operands_written_since">(last_writes_[meta(operand).storage.index] < made_by);
    });
  }
  return unwritten ? &node : nullptr;
}

const Source* Matcher::source(ValueId value) {
  const Graph& now = graph();
  if (sources_.empty()) {
    sources_.resize(now.metas.size(), -1);
    for (std::size_t s = 0; s < now.sources.size(); ++s) sources_[now.sources[s].value.index] = static_cast<int>(s);
  }
  const int found = value.index < sources_.size() ? sources_[value.index] : -1;
  return found < 0 ? nullptr : &now.sources[static_cast<std::size_t>(found)];
}

std::optional<Scalar> Matcher::uniform_constant(const Source& source) const {
  if (source.kind != SourceKind::Constant || source.data.numel() == 0 || source.data.numel() > most_elements)
    return std::nullopt;
  const Tensor& data = source.data;
  const auto element = [&](int64_t i) {
    return is_floating(data.dtype) ? Scalar(data.get_double(i)) : Scalar(data.get_integer(i));
  };
  // The zeros are equal and are not the same.
  const Scalar first = element(0);
  for (int64_t i = 0; i < data.numel(); ++i) {
    const bool same_sign = std::signbit(as_double(element(i))) == std::signbit(as_double(first));
    if (element(i) != first || !holds_unless_dropped<"zeros_of_both_signs">(same_sign)) return std::nullopt;
  }
  return first;
}

std::optional<Scalar> Matcher::uniform(ValueId value) {
  if (const Source* given = source(value)) return uniform_constant(*given);
  for (const Fill& fill : fill_makers) {
    const Node* made = maker(value, fill.op);
    if (!made) continue;
    const Scalar number = fill.parameter < 0
                              ? Scalar(fill.number)
                              : std::get<Scalar>(made->arguments[static_cast<std::size_t>(fill.parameter)]);
    return exactly(meta(value).dtype, number);
  }
  return std::nullopt;
}

bool Matcher::makes_the_same(const Replacement& call, const Op& op, std::span<const Argument> arguments,
                             bool strides_may_differ) const {
  const Result<std::vector<ResultMeta>> wanted = op.infer(Call(op, arguments, graph().metas));
  const Result<std::vector<ResultMeta>> made = call.op->infer(Call(*call.op, call.arguments, graph().metas));
  if (!wanted || !made || wanted->size() != 1 || made->size() != 1) return false;
  const ResultMeta& a = wanted->front();
  const ResultMeta& b = made->front();
  if (a.dtype != b.dtype || a.layout.sizes != b.layout.sizes || a.same_object != b.same_object) return false;
  if (a.alias.valid() != b.alias.valid()) return false;
  if (a.alias.valid() && meta(a.alias).storage != meta(b.alias).storage) return false;
  return strides_may_differ || a.layout == b.layout;
}

Result<void> Matcher::add(const Node& node, Replacement call) {
  if (call.op == node.op) return rewriter_.add(node, std::move(call.arguments));
  return rewriter_.add(Node{call.op, node.name, {}, node.results}, std::move(call.arguments));
}

}  // namespace parallax
