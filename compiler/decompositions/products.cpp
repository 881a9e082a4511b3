// What is more than a product of matrices: something added to it, a sum over batches, products that need no sum.
#include "compiler/decompositions/products.h"

#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

Term column(Term vector) { return unsqueezed(vector, 1); }

Term as_it_is(Term addend, const Dims&) { return addend; }

// beta self + alpha product. With a beta of 0 not even NaN of self is seen. Integers have integer factors: 0.5 is 0.
Terms added(Composer& c, Term product, PlaceAddendFn place = as_it_is) {
  const auto scaled = [](Term x, Scalar by) { return as_double(by) == 1 ? x : x * by; };
  const auto factor = [&](arg parameter) {
    const Scalar given = c.scalar(parameter);
    if (c.result().dtype == DType::Bool) return Scalar(as_double(given) != 0);
    return is_integral(c.result().dtype) && is_floating(given) ? Scalar(as_integer(given)) : given;
  };
  const Term sum = scaled(product, factor(arg::alpha));
  if (as_double(factor(arg::beta)) == 0) return {sum};
  return {scaled(place(c.operand(arg::self), c.result().layout.sizes), factor(arg::beta)) + sum};
}

Terms addmm(Composer& c) { return addmm_parts(c, as_it_is); }
Terms addmv(Composer& c) { return added(c, multiplied(c.operand(arg::mat), c.operand(arg::vec))); }
Terms baddbmm(Composer& c) { return added(c, multiplied(c.operand(arg::batch1), c.operand(arg::batch2))); }

Terms linear(Composer& c) { return linear_parts(c, as_it_is); }

// The products of all batches, summed.
Terms addbmm(Composer& c) {
  return added(c, total(multiplied(c.operand(arg::batch1), c.operand(arg::batch2)), {0}, false));
}

Terms outer(Composer& c) { return {column(c.operand(arg::self)) * c.operand(arg::vec2)}; }

Terms addr(Composer& c) { return added(c, column(c.operand(arg::vec1)) * c.operand(arg::vec2)); }

constexpr std::array product_rows = {
    Decomposition{"aten.linear.default", linear}, Decomposition{"aten.addmm.default", addmm},
    Decomposition{"aten.addmv.default", addmv},   Decomposition{"aten.baddbmm.default", baddbmm},
    Decomposition{"aten.addbmm.default", addbmm}, Decomposition{"aten.outer.default", outer},
    Decomposition{"aten.ger.default", outer},     Decomposition{"aten.addr.default", addr},
};

}  // namespace

Terms addmm_parts(Composer& c, PlaceAddendFn place) {
  return added(c, multiplied(c.operand(arg::mat1), c.operand(arg::mat2)), place);
}

Terms linear_parts(Composer& c, PlaceAddendFn place) {
  const Term weight = c.operand(arg::weight);
  const bool is_matrix = c.sizes(weight).size() > 1;
  const Term product = multiplied(c.operand(arg::input), is_matrix ? swapped(weight, 0, 1) : weight);
  if (!c.has(arg::bias)) return {product};
  return {product + place(c.operand(arg::bias), c.result().layout.sizes)};
}

DecompositionTable::Rows product_decompositions() { return product_rows; }

}  // namespace parallax
