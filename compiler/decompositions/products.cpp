// What is more than a product of matrices: something added to it, a sum over batches, products that need no sum.
#include "compiler/decompositions/products.h"

#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

Term multiplied(Term a, Term b) { return a.composer->call("aten.matmul.default", {a.value, b.value}); }

Term column(Term vector) { return unsqueezed(vector, 1); }

Term as_it_is(Term addend, const Dims&) { return addend; }

// beta self + alpha product. With a beta of 0 not even NaN of self is seen.
Terms added(Composer& c, Term product, PlaceAddendFn place = as_it_is) {
  const auto scaled = [](Term x, Scalar by) { return as_double(by) == 1 ? x : x * by; };
  const Term sum = scaled(product, c.scalar(4));
  if (as_double(c.scalar(3)) == 0) return {sum};
  return {scaled(place(c.operand(0), c.result().layout.sizes), c.scalar(3)) + sum};
}

// Of matrices, of their batches, or of a matrix and a vector.
Terms add_product(Composer& c) { return addmm_parts(c, as_it_is); }

Terms linear(Composer& c) { return linear_parts(c, as_it_is); }

// The products of all batches, summed.
Terms addbmm(Composer& c) { return added(c, total(multiplied(c.operand(1), c.operand(2)), {0}, false)); }

Terms outer(Composer& c) { return {column(c.operand(0)) * c.operand(1)}; }

Terms addr(Composer& c) { return added(c, column(c.operand(1)) * c.operand(2)); }

constexpr std::array rows = {
    Decomposition{"aten.linear.default", linear},     Decomposition{"aten.addmm.default", add_product},
    Decomposition{"aten.addmv.default", add_product}, Decomposition{"aten.baddbmm.default", add_product},
    Decomposition{"aten.addbmm.default", addbmm},     Decomposition{"aten.outer.default", outer},
    Decomposition{"aten.ger.default", outer},         Decomposition{"aten.addr.default", addr},
};

}  // namespace

Terms addmm_parts(Composer& c, PlaceAddendFn place) { return added(c, multiplied(c.operand(1), c.operand(2)), place); }

Terms linear_parts(Composer& c, PlaceAddendFn place) {
  const Term weight = c.operand(1);
  const bool is_matrix = c.sizes(weight).size() > 1;
  const Term product = multiplied(c.operand(0), is_matrix ? swapped(weight, 0, 1) : weight);
  if (!c.has(2)) return {product};
  return {product + place(c.operand(2), c.result().layout.sizes)};
}

DecompositionTable::Rows product_decompositions() { return rows; }

}  // namespace parallax
