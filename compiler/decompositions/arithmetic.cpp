// Arithmetic of a few operands, logic, and tests of single elements.
#include <array>
#include <limits>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Terms square(Composer& c) {
  const Term x = c.operand(0);
  return {x * x};
}

Terms reciprocal(Composer& c) {
  const Term x = c.operand(0);
  return {c.number(1, c.computed_in()) / x};
}

Terms rsqrt(Composer& c) {
  const Term x = c.operand(0);
  return {c.number(1, c.computed_in()) / apply("sqrt", x)};
}

// other - alpha self
Terms rsub(Composer& c) { return {c.operand(1) - c.operand(0) * c.scalar(2)}; }

Terms addcdiv(Composer& c) {
  const Term quotient = c.operand(1) * c.scalar(3) / c.operand(2);
  return {c.operand(0) + quotient};
}

// From the end that is nearer, so that both ends are hit.
Term lerp_of(Term start, Term end, Scalar weight) {
  const Term difference = end - start;
  if (as_double(weight) < 0.5) return start + difference * weight;
  return end - difference * (1 - as_double(weight));
}

Terms lerp_number(Composer& c) { return {lerp_of(c.operand(0), c.operand(1), c.scalar(2))}; }

Terms lerp_tensor(Composer& c) {
  const Term start = c.operand(0);
  const Term end = c.operand(1);
  const Term weight = c.operand(2);
  const Term difference = end - start;
  const Term rest = c.number(1, c.computed_in()) - weight;
  return {choose(less(apply("abs", weight), 0.5), start + difference * weight, end - difference * rest)};
}

template <int low, int high>
Terms clamp_numbers(Composer& c) {
  const auto bound = [&](int i) { return i < 0 ? Argument() : c.argument(i); };
  return {c.call("aten.clamp.default", {c.converted(0).value, bound(low), bound(high)})};
}

// NaN of either operand goes through, as in maximum.
template <int low, int high>
Terms clamp_tensors(Composer& c) {
  Term x = c.converted(0);
  const auto bounded = [&](std::string_view op, int i) {
    if (i >= 0 && c.has(i)) x = c.call(op, {x.value, c.converted(i).value});
  };
  bounded("aten.maximum.default", low);
  bounded("aten.minimum.default", high);
  return {x};
}

template <bool larger>
Terms extremum(Composer& c) {
  return {
      c.call(larger ? "aten.maximum.default" : "aten.minimum.default", {c.converted(0).value, c.converted(1).value})};
}

Terms logical_and(Composer& c) { return {differs(c.raw(0), 0) * differs(c.raw(1), 0)}; }

Terms logical_or(Composer& c) { return {differs(c.raw(0), 0) + differs(c.raw(1), 0)}; }

Terms logical_xor(Composer& c) {
  return {c.call("aten.ne.Tensor", {differs(c.raw(0), 0).value, differs(c.raw(1), 0).value})};
}

// Nothing but NaN differs from itself.
Terms isnan(Composer& c) { return {c.call("aten.ne.Tensor", {c.raw(0).value, c.raw(0).value})}; }

// The magnitude as a float, which infinities of integers are not.
Term magnitude(Composer& c) {
  const Term x = c.raw(0);
  return apply("abs", is_floating(c.meta(x).dtype) ? x : c.cast(x, DType::F64));
}

Terms isinf(Composer& c) { return {equal(magnitude(c), infinity)}; }

Terms isfinite(Composer& c) { return {less(magnitude(c), infinity)}; }

template <bool positive>
Terms is_one_infinity(Composer& c) {
  const Term x = c.raw(0);
  return {equal(is_floating(c.meta(x).dtype) ? x : c.cast(x, DType::F64), positive ? infinity : -infinity)};
}

// Numbers stand for one or both of the tensors.
Terms where_number(Composer& c) { return {choose(c.raw(0), c.converted(1), c.converted(2))}; }

// Of the pairs of numbers that the operands hold, or of one number.
Terms float_power(Composer& c) {
  if (std::holds_alternative<Scalar>(c.argument(0)))
    return {c.call("aten.pow.Scalar", {c.argument(0), c.operand(1).value})};
  const bool by_number = std::holds_alternative<Scalar>(c.argument(1));
  if (by_number) return {c.call("aten.pow.Tensor_Scalar", {c.operand(0).value, c.argument(1)})};
  return {c.call("aten.pow.Tensor_Tensor", {c.operand(0).value, c.operand(1).value})};
}

// With the power of two rounded, so that it overflows where eager's does. By integers eager shifts the exponent, which
// a kernel does.
Terms ldexp(Composer& c) {
  if (!is_floating(c.meta(c.raw(1)).dtype)) return {};
  return {c.raw(0) * c.call("aten.pow.Scalar", {Scalar(2.0), c.raw(1).value})};
}

constexpr std::array rows = {
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
    Decomposition{"aten.clamp_min.default", clamp_numbers<1, -1>},
    Decomposition{"aten.clamp_max.default", clamp_numbers<-1, 1>},
    Decomposition{"aten.clamp.Tensor", clamp_tensors<1, 2>},
    Decomposition{"aten.clamp_min.Tensor", clamp_tensors<1, -1>},
    Decomposition{"aten.clamp_max.Tensor", clamp_tensors<-1, 1>},
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

DecompositionTable::Rows arithmetic_decompositions() { return rows; }

}  // namespace parallax
