#include "compiler/simplify_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/op_names.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

using Arguments = std::span<const Argument>;

constexpr std::array<std::string_view, 2> sums = {"aten.add.Tensor", "aten.add.Scalar"};
constexpr std::array<std::string_view, 2> differences = {"aten.sub.Tensor", "aten.sub.Scalar"};
constexpr std::array<std::string_view, 2> products = {"aten.mul.Tensor", "aten.mul.Scalar"};
constexpr std::array<std::string_view, 2> quotients = {"aten.div.Tensor", "aten.div.Scalar"};
// f(f(x)) is f(x), and g(g(x)) is x.
constexpr std::array<std::string_view, 2> idempotent = {"aten.abs.default", "aten.relu.default"};
constexpr std::array<std::string_view, 2> self_inverse = {"aten.neg.default", "aten.logical_not.default"};
constexpr std::array<std::string_view, 2> of_equals = {"aten.maximum.default", "aten.minimum.default"};
constexpr std::array<std::string_view, 2> casts = {"aten._to_copy.default", "aten.to.dtype"};

// The second operand where it is one number, a Python number or a tensor of it.
std::optional<Scalar> second_number(Matcher& matcher, const Call& call) {
  if (const auto* number = std::get_if<Scalar>(&call.argument(arg::other))) return *number;
  return matcher.uniform(call.value(arg::other));
}

// Whether x op number is x. Adding 0 makes 0 of -0, which taking it off does not.
bool is_neutral(Matcher& matcher, const Call& call) {
  const std::string_view op = call.op().name;
  const bool scales = one_of(products, op) || one_of(quotients, op);
  if (!scales && !one_of(sums, op) && !one_of(differences, op)) return false;
  const std::optional<Scalar> number = second_number(matcher, call);
  if (!number) return false;
  if (scales) return as_double(*number) == 1;
  const int sign = first_unless_swapped<"neutral_to_subtract">(one_of(differences, op) ? -1 : 1, 1);
  const double added = call.real(arg::alpha) * as_double(*number) * sign;
  const bool integers = is_integral(call.tensor(arg::self).dtype);
  return added == 0 && holds_unless_dropped<"zero_of_any_sign">(integers || std::signbit(added));
}

const ValueId* first_tensor(Arguments arguments) {
  return arguments.empty() ? nullptr : std::get_if<ValueId>(&arguments.front());
}

bool is_same(const Argument& a, const Argument& b) { return std::holds_alternative<ValueId>(a) && a == b; }

ValueId operand_of(const Node& node) { return std::get<ValueId>(node.arguments.front()); }

Replacement copy_of(ValueId value) { return call_of("aten.clone.default", {value}); }

// -(-x), and |-x|.
std::optional<Replacement> of_function_twice(Matcher& matcher, const Call& call) {
  static const Op& absolute = op_named("aten.abs.default");
  const Op& op = call.op();
  if (!one_of(self_inverse, op.name) && &op != &absolute) return std::nullopt;
  const ValueId operand = call.value(arg::self);
  if (&op == &absolute) {
    const Node* negation = matcher.maker(operand, "aten.neg.default");
    // -1 is 255 in u8, and stays it.
    if (!negation || !holds_unless_dropped<"absolute_of_unsigned">(matcher.meta(operand).dtype != DType::U8))
      return std::nullopt;
    return Replacement{&op, {negation->arguments.front()}};
  }
  const Node* inner = matcher.maker(operand, op.name);
  if (!inner) return std::nullopt;
  return copy_of(operand_of(*inner));
}

// A cast of what another cast made of x, as a cast of x.
std::optional<Replacement> of_cast_twice(Matcher& matcher, const Call& call, const Algebra& algebra) {
  static const Op& cast = op_named("aten._to_copy.default");
  if (&call.op() != &cast) return std::nullopt;
  const ValueId operand = call.value(arg::self);
  const Node* inner = matcher.maker(operand, casts);
  if (!inner) return std::nullopt;
  const ValueId source = operand_of(*inner);
  if (!holds_unless_dropped<"casts_through_anything">(
          algebra.survives(matcher.meta(source).dtype, matcher.meta(operand).dtype)))
    return std::nullopt;
  Replacement one = {&cast, {call.arguments().begin(), call.arguments().end()}};
  one.argument(arg::self) = source;
  return one;
}

// What is 0 whatever x is, and what undoes itself.
std::optional<Replacement> of_ring(Matcher& matcher, const Call& call, const Algebra& algebra) {
  static const Op& difference = op_named("aten.sub.Tensor");
  static const Op& logarithm = op_named("aten.log.default");
  const ValueId* operand = first_tensor(call.arguments());
  if (!operand || !algebra.is_a_ring(matcher.meta(*operand).dtype)) return std::nullopt;
  const Op& op = call.op();
  if (&op == &difference && is_same(call.argument(arg::self), call.argument(arg::other)) &&
      holds_unless_dropped<"scaled_difference">(call.real(arg::alpha) == 1)) {
    return call_of("aten.zeros_like.default", {*operand});
  }
  if (one_of(products, op.name)) {
    const std::optional<Scalar> number = second_number(matcher, call);
    if (number && as_double(*number) == 0) return call_of("aten.zeros_like.default", {*operand});
  }
  if (&op == &logarithm) {
    if (const Node* inner = matcher.maker(*operand, "aten.exp.default")) return copy_of(operand_of(*inner));
  }
  return std::nullopt;
}

bool is_ring_of_integers(DType dtype) { return is_integral(dtype) && dtype != DType::Bool; }

}  // namespace

bool holds_all(DType through, DType from) {
  if (from == through || from == DType::Bool) return true;
  if (through == DType::Bool) return false;
  const DTypeInfo& wide = info(first_unless_swapped<"narrow_significands">(through, from));
  const DTypeInfo& narrow = info(first_unless_swapped<"narrow_significands">(from, through));
  if (is_floating(from)) {
    return is_floating(through) && wide.precision >= narrow.precision && wide.max_finite >= narrow.max_finite &&
           wide.smallest_subnormal <= narrow.smallest_subnormal;
  }
  if (is_floating(through)) {
    return holds_unless_dropped<"integers_beyond_floats">(static_cast<double>(narrow.max_integer) <
                                                          std::ldexp(1.0, wide.precision));
  }
  return wide.min_integer <= narrow.min_integer && wide.max_integer >= narrow.max_integer;
}

const Algebra exact_algebra = {[](DType from, DType through) { return holds_all(through, from); }, is_ring_of_integers,
                               view_rules};

std::optional<ValueId> copied_operand(Matcher& matcher, const Op& op, Arguments arguments) {
  static const Op& concatenation = op_named("aten.cat.default");
  static const Op& choice = op_named("aten.where.self");
  const Call call(op, arguments, matcher.graph().metas);
  if (&op == &concatenation) {
    const ValueList& joined = call.values(arg::tensors);
    return joined.size() == 1 ? std::optional(joined.front()) : std::nullopt;
  }
  if (&op == &choice) {
    const std::optional<Scalar> condition = matcher.uniform(call.value(arg::condition));
    if (!condition && !is_same(call.argument(arg::self), call.argument(arg::other))) return std::nullopt;
    const bool is_false = condition && as_double(*condition) == 0;
    return call.value(is_false ? first_unless_swapped<"where_swapped">(arg::other, arg::self)
                               : first_unless_swapped<"where_swapped">(arg::self, arg::other));
  }
  const ValueId* operand = first_tensor(arguments);
  if (!operand) return std::nullopt;
  const bool unchanged = is_neutral(matcher, call) ||
                         (one_of(of_equals, op.name) && is_same(call.argument(arg::self), call.argument(arg::other))) ||
                         (one_of(idempotent, op.name) && matcher.maker(*operand, op.name));
  return unchanged ? std::optional(*operand) : std::nullopt;
}

std::optional<Replacement> simpler(Matcher& matcher, const Op& op, Arguments arguments, const Algebra& algebra) {
  if (auto view = one_view(matcher, op, arguments, algebra.views)) return view;
  std::optional<Replacement> found;
  if (const auto copied = copied_operand(matcher, op, arguments)) found = copy_of(*copied);
  const Call call(op, arguments, matcher.graph().metas);
  if (!found) found = of_function_twice(matcher, call);
  if (!found) found = of_cast_twice(matcher, call, algebra);
  if (!found) found = of_ring(matcher, call, algebra);
  if (!found || !matcher.makes_the_same(*found, op, arguments)) return std::nullopt;
  return found;
}

}  // namespace parallax
