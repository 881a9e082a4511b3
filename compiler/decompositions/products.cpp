// Products of matrices and vectors: every product of two elements is made, and then summed.
#include "compiler/decompositions/products.h"

#include <algorithm>
#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

// More products than these are not made at once.
constexpr int64_t most_products = int64_t{1} << 22;

// [..., m, k] by [..., k, n]. Nothing where it is too large.
Terms multiplied(Term a, Term b) {
  Composer& c = *a.composer;
  if (c.failed()) return {a};
  const int64_t inner = c.sizes(a).back();
  const int64_t results = c.meta(a).layout.numel() / std::max<int64_t>(inner, 1) * c.sizes(b).back();
  if (std::max(results, c.result().layout.numel()) * inner > most_products) return {};
  const Term products = unsqueezed(a, -1) * unsqueezed(b, -3);
  return {total(products, {-2}, false)};
}

Term row(Term vector) { return unsqueezed(vector, 0); }
Term column(Term vector) { return unsqueezed(vector, 1); }

Term as_it_is(Term addend, const Dims&) { return addend; }

// beta self + alpha product. With a beta of 0 not even NaN of self is seen.
Terms added(Composer& c, const Terms& product, PlaceAddendFn place = as_it_is) {
  if (product.empty()) return {};
  const auto scaled = [](Term x, Scalar by) { return as_double(by) == 1 ? x : x * by; };
  const Term sum = scaled(product.front(), c.scalar(4));
  if (as_double(c.scalar(3)) == 0) return {sum};
  return {scaled(place(c.operand(0), c.result().layout.sizes), c.scalar(3)) + sum};
}

template <int first>
Terms mm(Composer& c) {
  return multiplied(c.operand(first), c.operand(first + 1));
}

Terms addmm(Composer& c) { return addmm_parts(c, as_it_is); }

// The dims of size 1 that made vectors matrices are taken away at the end.
Terms shaped(Composer& c, const Terms& product) {
  if (product.empty()) return {};
  return {viewed(product.front(), c.result().layout.sizes)};
}

template <int first>
Terms mv(Composer& c) {
  return shaped(c, multiplied(c.operand(first), column(c.operand(first + 1))));
}

Terms addmv(Composer& c) { return added(c, mv<1>(c)); }

Terms dot(Composer& c) { return shaped(c, multiplied(row(c.operand(0)), column(c.operand(1)))); }

Terms matmul(Composer& c) {
  Term a = c.operand(0);
  Term b = c.operand(1);
  if (c.sizes(a).size() == 1) a = row(a);
  if (c.sizes(b).size() == 1) b = column(b);
  return shaped(c, multiplied(a, b));
}

Terms linear(Composer& c) { return linear_parts(c, as_it_is); }

// The products of all batches, summed.
Terms addbmm(Composer& c) {
  const Terms products = multiplied(c.operand(1), c.operand(2));
  if (products.empty()) return {};
  return added(c, {total(products.front(), {0}, false)});
}

Terms outer(Composer& c) { return {column(c.operand(0)) * c.operand(1)}; }

Terms addr(Composer& c) {
  const Term product = column(c.operand(1)) * c.operand(2);
  return added(c, {product});
}

constexpr std::array rows = {
    Decomposition{"aten.mm.default", mm<0>},      Decomposition{"aten.bmm.default", mm<0>},
    Decomposition{"aten.mv.default", mv<0>},      Decomposition{"aten.dot.default", dot},
    Decomposition{"aten.vdot.default", dot},      Decomposition{"aten.matmul.default", matmul},
    Decomposition{"aten.linear.default", linear}, Decomposition{"aten.addmm.default", addmm},
    Decomposition{"aten.addmv.default", addmv},   Decomposition{"aten.baddbmm.default", addmm},
    Decomposition{"aten.addbmm.default", addbmm}, Decomposition{"aten.outer.default", outer},
    Decomposition{"aten.ger.default", outer},     Decomposition{"aten.addr.default", addr},
};

}  // namespace

Terms addmm_parts(Composer& c, PlaceAddendFn place) { return added(c, mm<1>(c), place); }

Terms linear_parts(Composer& c, PlaceAddendFn place) {
  Term x = c.operand(0);
  Term weight = c.operand(1);
  if (c.sizes(x).size() == 1) x = row(x);
  if (c.sizes(weight).size() == 1) weight = row(weight);
  const Terms product = shaped(c, multiplied(x, swapped(weight, 0, 1)));
  if (product.empty() || !c.has(2)) return product;
  return {product.front() + place(c.operand(2), c.result().layout.sizes)};
}

DecompositionTable::Rows product_decompositions() { return rows; }

}  // namespace parallax
