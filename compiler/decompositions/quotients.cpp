// Division that rounds down and its remainder, from a division that cuts, as processors have it.
#include "compiler/decompositions/quotients.h"

#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

// What a division that cuts leaves.
Term rest_of(Term a, Term b) { return a.composer->call("aten.fmod.Tensor", {a.value, b.value}); }

// Whether a quotient that was cut lies one over that which is rounded down: something is left over, and it has not the
// divisor's sign.
Term is_over(Term rest, Term b) {
  const Term signs_differ = b.composer->call("aten.ne.Tensor", {less(rest, 0).value, less(b, 0).value});
  return differs(rest, 0) * signs_differ;
}

// The quotient of integers, cut. The lowest integer by -1 has none, and processors trap.
Term cut_quotient(Composer& c, Term a, Term b) {
  const auto divided = [&](Term by) {
    return c.call("aten.div.Tensor_mode", {a.value, by.value}, {{"rounding_mode", std::string("trunc")}});
  };
  const DType dtype = c.result().dtype;
  if (info(dtype).min_integer == 0) return divided(b);
  const Term negates = equal(b, -1);
  return choose(negates, -a, divided(choose(negates, c.number(1, dtype), b)));
}

Terms floored(Composer& c) { return floor_divide_parts(c, true); }

Terms divided_by_mode(Composer& c) {
  const bool floors = c.argument(arg::rounding_mode) == Argument(std::string("floor"));
  return floors && is_integral(c.result().dtype) ? floored(c) : Terms();
}

Terms remainder(Composer& c) { return remainder_parts(c, true); }

constexpr std::array division_rows = {
    Decomposition{"aten.floor_divide.default", floored},      Decomposition{"aten.floor_divide.Scalar", floored},
    Decomposition{"aten.div.Tensor_mode", divided_by_mode},   Decomposition{"aten.div.Scalar_mode", divided_by_mode},
    Decomposition{"aten.remainder.Tensor", remainder},        Decomposition{"aten.remainder.Scalar", remainder},
    Decomposition{"aten.remainder.Scalar_Tensor", remainder},
};

}  // namespace

Terms floor_divide_parts(Composer& c, bool rounds_down) {
  const Term a = c.operand(arg::self);
  const Term b = c.operand(arg::other);
  if (is_floating(c.result().dtype)) {
    return {c.call("aten.div.Tensor_mode", {a.value, b.value}, {{"rounding_mode", std::string("floor")}})};
  }
  const Term quotient = cut_quotient(c, a, b);
  if (!rounds_down) return {quotient};
  return {quotient - c.cast(is_over(rest_of(a, b), b), c.result().dtype)};
}

Terms remainder_parts(Composer& c, bool rounds_down) {
  const Term b = c.operand(arg::other);
  const Term rest = rest_of(c.operand(arg::self), b);
  if (!rounds_down) return {rest};
  return {choose(is_over(rest, b), rest + b, rest)};
}

DecompositionTable::Rows division_decompositions() { return division_rows; }

}  // namespace parallax
