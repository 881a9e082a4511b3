// Arithmetic of a few operands, logic, and tests of single elements.
#include <array>

#include "compiler/decomposition.h"
#include "core/limits.h"

namespace parallax {
namespace {

Terms square(Composer& c) {
  const Term x = c.operand(arg::self);
  return {x * x};
}

Terms reciprocal(Composer& c) {
  const Term x = c.operand(arg::self);
  return {c.number(1, c.computed_in()) / x};
}

Terms rsqrt(Composer& c) {
  const Term x = c.operand(arg::self);
  return {c.number(1, c.computed_in()) / apply("sqrt", x)};
}

// other - alpha self
Terms rsub(Composer& c) { return {c.operand(arg::other) - c.operand(arg::self) * c.scalar(arg::alpha)}; }

Terms addcdiv(Composer& c) {
  const Term quotient = c.operand(arg::tensor1) * c.scalar(arg::value) / c.operand(arg::tensor2);
  return {c.operand(arg::self) + quotient};
}

// From the end that is nearer, so that both ends are hit.
Term lerp_of(Term start, Term end, Scalar weight) {
  const Term difference = end - start;
  if (as_double(weight) < 0.5) return start + difference * weight;
  return end - difference * (1 - as_double(weight));
}

Terms lerp_number(Composer& c) { return {lerp_of(c.operand(arg::self), c.operand(arg::end), c.scalar(arg::weight))}; }

Terms lerp_tensor(Composer& c) {
  const Term start = c.operand(arg::self);
  const Term end = c.operand(arg::end);
  const Term weight = c.operand(arg::weight);
  const Term difference = end - start;
  const Term rest = c.number(1, c.computed_in()) - weight;
  return {choose(less(apply("abs", weight), 0.5), start + difference * weight, end - difference * rest)};
}

Terms clamp_numbers(Composer& c) {
  const auto bound = [&](arg name) { return c.takes(name) ? c.argument(name) : Argument(); };
  return {c.call("aten.clamp.default", {c.converted(arg::self).value, bound(arg::min), bound(arg::max)})};
}

// NaN of either operand goes through, as in maximum.
Terms clamp_tensors(Composer& c) {
  Term x = c.converted(arg::self);
  const auto bounded = [&](std::string_view op, arg name) {
    if (c.has(name)) x = c.call(op, {x.value, c.converted(name).value});
  };
  bounded("aten.maximum.default", arg::min);
  bounded("aten.minimum.default", arg::max);
  return {x};
}

template <bool larger>
Terms extremum(Composer& c) {
  return {c.call(larger ? "aten.maximum.default" : "aten.minimum.default",
                 {c.converted(arg::self).value, c.converted(arg::other).value})};
}

// Whether each of both is not 0 once they have one dtype, in which a number may have become 0.
std::array<Term, 2> truths(Composer& c) {
  const Term self = c.raw(arg::self);
  const Term other = c.raw(arg::other);
  const DType common = c.common_dtype(self, other);
  return {differs(c.cast(self, common), 0), differs(c.cast(other, common), 0)};
}

Terms logical_and(Composer& c) {
  const auto [self, other] = truths(c);
  return {self * other};
}

Terms logical_or(Composer& c) {
  const auto [self, other] = truths(c);
  return {self + other};
}

Terms logical_xor(Composer& c) {
  const auto [self, other] = truths(c);
  return {c.call("aten.ne.Tensor", {self.value, other.value})};
}

// Nothing but NaN differs from itself.
Terms isnan(Composer& c) { return {c.call("aten.ne.Tensor", {c.raw(arg::self).value, c.raw(arg::self).value})}; }

// The magnitude as a float, which infinities of integers are not.
Term magnitude(Composer& c) {
  const Term x = c.raw(arg::self);
  return apply("abs", is_floating(c.meta(x).dtype) ? x : c.cast(x, DType::F64));
}

Terms isinf(Composer& c) { return {equal(magnitude(c), infinity)}; }

Terms isfinite(Composer& c) { return {less(magnitude(c), infinity)}; }

template <bool positive>
Terms is_one_infinity(Composer& c) {
  const Term x = c.raw(arg::self);
  return {equal(is_floating(c.meta(x).dtype) ? x : c.cast(x, DType::F64), positive ? infinity : -infinity)};
}

// Numbers stand for one or both of the tensors.
Terms where_number(Composer& c) {
  return {choose(c.raw(arg::condition), c.converted(arg::self), c.converted(arg::other))};
}

// Of the pairs of numbers that the operands hold, or of one number.
Terms float_power(Composer& c) {
  if (std::holds_alternative<Scalar>(c.argument(arg::self)))
    return {c.call("aten.pow.Scalar", {c.argument(arg::self), c.operand(arg::exponent).value})};
  const bool by_number = std::holds_alternative<Scalar>(c.argument(arg::exponent));
  if (by_number) return {c.call("aten.pow.Tensor_Scalar", {c.operand(arg::self).value, c.argument(arg::exponent)})};
  return {c.call("aten.pow.Tensor_Tensor", {c.operand(arg::self).value, c.operand(arg::exponent).value})};
}

// With the power of two rounded, so that it overflows where eager's does. By integers eager shifts the exponent, which
// a kernel does.
Terms ldexp(Composer& c) {
  if (!is_floating(c.meta(c.raw(arg::other)).dtype)) return {};
  return {c.raw(arg::self) * c.call("aten.pow.Scalar", {Scalar(2.0), c.raw(arg::other).value})};
}

constexpr std::array arithmetic_rows = {
    Decomposition{"aten.float_power.Tensor_Tensor", float_power},
    Decomposition{"aten.float_power.Tensor_Scalar", float_power},
    Decomposition{"aten.float_power.Scalar", float_power},
    Decomposition{"aten.ldexp.Tensor", ldexp},
    Decomposition{"aten.square.default", square},
    Decomposition{"aten.reciprocal.default", reciprocal},
    Decomposition{"aten.rsqrt.default", rsqrt},
    Decomposition{"aten.rsub.Tensor", rsub},
    Decomposition{"aten.rsub.Scalar", rsub},
    Decomposition{"aten.addcdiv.default", addcdiv},
    Decomposition{"aten.lerp.Scalar", lerp_number},
    Decomposition{"aten.lerp.Tensor", lerp_tensor},
    Decomposition{"aten.clamp_min.default", clamp_numbers},
    Decomposition{"aten.clamp_max.default", clamp_numbers},
    Decomposition{"aten.clamp.Tensor", clamp_tensors},
    Decomposition{"aten.clamp_min.Tensor", clamp_tensors},
    Decomposition{"aten.clamp_max.Tensor", clamp_tensors},
    Decomposition{"aten.max.other", extremum<true>},
    Decomposition{"aten.min.other", extremum<false>},
    Decomposition{"aten.logical_and.default", logical_and},
    Decomposition{"aten.logical_or.default", logical_or},
    Decomposition{"aten.logical_xor.default", logical_xor},
    Decomposition{"aten.isnan.default", isnan},
    Decomposition{"aten.isinf.default", isinf},
    Decomposition{"aten.isfinite.default", isfinite},
    Decomposition{"aten.isposinf.default", is_one_infinity<true>},
    Decomposition{"aten.isneginf.default", is_one_infinity<false>},
    Decomposition{"aten.where.ScalarSelf", where_number},
    Decomposition{"aten.where.ScalarOther", where_number},
    Decomposition{"aten.where.Scalar", where_number},
};

}  // namespace

DecompositionTable::Rows arithmetic_decompositions() { return arithmetic_rows; }

}  // namespace parallax
