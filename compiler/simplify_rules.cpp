#include "compiler/simplify_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "planner/mutant_switches.h"

namespace parallax {
namespace {

using Arguments = std::span<const Argument>;

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> stems) {
  return std::ranges::any_of(stems, [&](std::string_view stem) { return name.starts_with(stem); });
}

// Operand 1 where it is one number, a Python number or a tensor of it.
std::optional<Scalar> second_number(Matcher& matcher, Arguments arguments) {
  if (const auto* number = std::get_if<Scalar>(&arguments[1])) return *number;
  return matcher.uniform(std::get<ValueId>(arguments[1]));
}

// Whether x op number is x. Adding 0 makes 0 of -0, which taking it off does not.
bool is_neutral(Matcher& matcher, const Op& op, Arguments arguments) {
  if (!starts_with_any(op.name, {"aten.add.", "aten.sub.", "aten.mul.", "aten.div.Tensor", "aten.div.Scalar"}))
    return false;
  if (op.name.ends_with("_mode")) return false;
  const std::optional<Scalar> number = second_number(matcher, arguments);
  if (!number) return false;
  if (starts_with_any(op.name, {"aten.mul.", "aten.div."})) return as_double(*number) == 1;
  const double alpha = as_double(std::get<Scalar>(arguments[2]));
  const double added = alpha * as_double(*number) *
                       first_unless_swapped<"neutral_to_subtract">(op.name.starts_with("aten.sub.") ? -1 : 1, 1);
  const bool integers = is_integral(matcher.meta(std::get<ValueId>(arguments[0])).dtype);
  return added == 0 && holds_unless_dropped<"zero_of_any_sign">(integers || std::signbit(added));
}

// f(f(x)) is f(x), and g(g(x)) is x.
constexpr std::array<std::string_view, 2> idempotent = {"aten.abs.default", "aten.relu.default"};
constexpr std::array<std::string_view, 2> self_inverse = {"aten.neg.default", "aten.logical_not.default"};
constexpr std::array<std::string_view, 2> of_equals = {"aten.maximum.default", "aten.minimum.default"};
constexpr std::array<std::string_view, 2> casts = {"aten._to_copy.default", "aten.to.dtype"};

template <std::size_t n>
bool one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_same(const Argument& a, const Argument& b) { return std::holds_alternative<ValueId>(a) && a == b; }

Replacement copy_of(ValueId value) { return call_of("aten.clone.default", {value}); }

// -(-x), and |-x|.
std::optional<Replacement> of_function_twice(Matcher& matcher, const Op& op, Arguments arguments) {
  if (!one_of(self_inverse, op.name) && op.name != "aten.abs.default") return std::nullopt;
  const auto operand = std::get<ValueId>(arguments[0]);
  if (op.name == "aten.abs.default") {
    const Node* negation = matcher.maker(operand, "aten.neg.default");
    // -1 is 255 in u8, and stays it.
    if (!negation || !holds_unless_dropped<"absolute_of_unsigned">(matcher.meta(operand).dtype != DType::U8))
      return std::nullopt;
    return Replacement{&op, {negation->arguments[0]}};
  }
  const Node* inner = matcher.maker(operand, op.name);
  if (!inner) return std::nullopt;
  return copy_of(std::get<ValueId>(inner->arguments[0]));
}

// A cast of what another cast made of x, as a cast of x.
std::optional<Replacement> of_cast_twice(Matcher& matcher, const Op& op, Arguments arguments, const Algebra& algebra) {
  if (op.name != "aten._to_copy.default") return std::nullopt;
  const auto operand = std::get<ValueId>(arguments[0]);
  const Node* inner = matcher.maker(operand, casts);
  if (!inner) return std::nullopt;
  const auto source = std::get<ValueId>(inner->arguments[0]);
  if (!holds_unless_dropped<"casts_through_anything">(
          algebra.survives(matcher.meta(source).dtype, matcher.meta(operand).dtype)))
    return std::nullopt;
  Replacement one = {&op, {arguments.begin(), arguments.end()}};
  one.arguments[0] = source;
  return one;
}

// What is 0 whatever x is, and what undoes itself.
std::optional<Replacement> of_ring(Matcher& matcher, const Op& op, Arguments arguments, const Algebra& algebra) {
  const auto* operand = arguments.empty() ? nullptr : std::get_if<ValueId>(&arguments[0]);
  if (!operand || !algebra.is_a_ring(matcher.meta(*operand).dtype)) return std::nullopt;
  const auto is_one = [](const Argument& number) { return as_double(std::get<Scalar>(number)) == 1; };
  if (op.name == "aten.sub.Tensor" && is_same(arguments[0], arguments[1]) &&
      holds_unless_dropped<"scaled_difference">(is_one(arguments[2]))) {
    return call_of("aten.zeros_like.default", {*operand});
  }
  if (op.name.starts_with("aten.mul.")) {
    const std::optional<Scalar> number = second_number(matcher, arguments);
    if (number && as_double(*number) == 0) return call_of("aten.zeros_like.default", {*operand});
  }
  if (op.name == "aten.log.default") {
    if (const Node* inner = matcher.maker(*operand, "aten.exp.default")) {
      return copy_of(std::get<ValueId>(inner->arguments[0]));
    }
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
  const auto* operand = arguments.empty() ? nullptr : std::get_if<ValueId>(&arguments[0]);
  if (op.name == "aten.cat.default") {
    const auto& joined = std::get<ValueList>(arguments[0]);
    return joined.size() == 1 ? std::optional(joined.front()) : std::nullopt;
  }
  if (op.name == "aten.where.self") {
    const std::optional<Scalar> condition = matcher.uniform(std::get<ValueId>(arguments[0]));
    if (!condition && !is_same(arguments[1], arguments[2])) return std::nullopt;
    return std::get<ValueId>(
        arguments[condition && as_double(*condition) == 0 ? first_unless_swapped<"where_swapped">(2, 1)
                                                          : first_unless_swapped<"where_swapped">(1, 2)]);
  }
  if (!operand) return std::nullopt;
  const bool unchanged = is_neutral(matcher, op, arguments) ||
                         (one_of(of_equals, op.name) && is_same(arguments[0], arguments[1])) ||
                         (one_of(idempotent, op.name) && matcher.maker(*operand, op.name));
  return unchanged ? std::optional(*operand) : std::nullopt;
}

std::optional<Replacement> simpler(Matcher& matcher, const Op& op, Arguments arguments, const Algebra& algebra) {
  if (auto view = one_view(matcher, op, arguments, algebra.views)) return view;
  std::optional<Replacement> found;
  if (const auto copied = copied_operand(matcher, op, arguments)) found = copy_of(*copied);
  if (!found) found = of_function_twice(matcher, op, arguments);
  if (!found) found = of_cast_twice(matcher, op, arguments, algebra);
  if (!found) found = of_ring(matcher, op, arguments, algebra);
  if (!found || !matcher.makes_the_same(*found, op, arguments)) return std::nullopt;
  return found;
}

}  // namespace parallax
