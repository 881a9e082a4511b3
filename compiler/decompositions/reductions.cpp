// Reductions: extremes, truth, variance and the standard deviation.
#include <array>

#include "compiler/decomposition.h"
#include "compiler/decompositions/moments.h"

namespace parallax {
namespace {

// The dims that the call names: one, a list, or all where there is none.
IntList named_dims(Composer& c) {
  const IntList all = dims_from(0, c.meta(c.raw(arg::self)).layout.rank());
  if (!c.has(arg::dim)) return all;
  if (const auto* list = std::get_if<IntList>(&c.argument(arg::dim))) return list->empty() ? all : *list;
  return {c.integer(arg::dim)};
}

// The sum of integers over the named dims; of a number, itself.
Term counted(Composer& c, Term flags) {
  const IntList dims = named_dims(c);
  const Term numbers = c.cast(flags, DType::I64);
  return viewed(c.sizes(numbers).empty() ? numbers : total(numbers, dims), c.result().layout.sizes);
}

Terms count_nonzero(Composer& c) { return {counted(c, differs(c.raw(arg::self), 0))}; }

// Empty lists of the overloads `dims` reduce nothing.
bool reduces_nothing(Composer& c) {
  const auto* list = c.takes(arg::dim) ? std::get_if<IntList>(&c.argument(arg::dim)) : nullptr;
  return list && list->empty();
}

Terms any(Composer& c) {
  const Term flags = differs(c.raw(arg::self), 0);
  return {reduces_nothing(c) ? flags : differs(counted(c, flags), 0)};
}

Terms all(Composer& c) {
  if (reduces_nothing(c)) return {differs(c.raw(arg::self), 0)};
  return {equal(counted(c, equal(c.raw(arg::self), 0)), 0)};
}

// The smallest is the largest of what mirrors the order: -x of floats, not x of bools and -1 - x of integers, which
// unlike -x has a mirror image of every number.
Term mirrored(Term x) {
  const DType dtype = x.composer->meta(x).dtype;
  if (is_floating(dtype)) return -x;
  if (dtype == DType::Bool) return apply("logical_not", x);
  return x * -1 - 1;
}

Term extreme(Composer& c, const IntList& dims, bool larger) {
  const Term x = c.raw(arg::self);
  return larger ? largest(x, dims) : mirrored(largest(mirrored(x), dims));
}

Terms amin(Composer& c) { return {viewed(extreme(c, c.integers(arg::dim), false), c.result().layout.sizes)}; }

template <bool larger>
Terms extreme_of_all(Composer& c) {
  return {viewed(extreme(c, {}, larger), c.result().layout.sizes)};
}

Terms aminmax(Composer& c) {
  const IntList dims = c.has(arg::dim) ? IntList{c.integer(arg::dim)} : IntList{};
  const Dims& sizes = c.result().layout.sizes;
  return {viewed(extreme(c, dims, false), sizes), viewed(extreme(c, dims, true), sizes)};
}

// The norm of the difference.
Terms dist(Composer& c) {
  return {c.call("aten.linalg_vector_norm.default",
                 {(c.operand(arg::self) - c.operand(arg::other)).value, c.argument(arg::p)})};
}

// What is taken off the number of elements that the squares are divided by: 1 where the call says nothing.
double correction_of(Composer& c) {
  if (c.takes(arg::unbiased)) return c.boolean(arg::unbiased) ? 1 : 0;
  return c.has(arg::correction) ? c.real(arg::correction) : 1;
}

// The variance, or its root.
template <bool root>
Terms spread(Composer& c) {
  const Term x = c.operand(arg::self);
  const double correction = correction_of(c);
  const IntList dims = c.sizes(x).empty() ? IntList{} : named_dims(c);
  const Moments moments = moments_of(x, dims);
  Term variance = moments.squares / std::max(0.0, static_cast<double>(moments.count) - correction);
  if (root) variance = apply("sqrt", variance);
  Terms results = {viewed(variance, c.result().layout.sizes)};
  if (c.result_count() > 1) results.push_back(viewed(moments.mean, c.result(1).layout.sizes));
  return results;
}

constexpr auto variance = spread<false>;
constexpr auto deviation = spread<true>;

constexpr std::array reduction_rows = {
    Decomposition{"aten.dist.default", dist},
    Decomposition{"aten.count_nonzero.default", count_nonzero},
    Decomposition{"aten.count_nonzero.dim_IntList", count_nonzero},
    Decomposition{"aten.any.default", any},
    Decomposition{"aten.any.dim", any},
    Decomposition{"aten.any.dims", any},
    Decomposition{"aten.all.default", all},
    Decomposition{"aten.all.dim", all},
    Decomposition{"aten.all.dims", all},
    Decomposition{"aten.amin.default", amin},
    Decomposition{"aten.max.default", extreme_of_all<true>},
    Decomposition{"aten.min.default", extreme_of_all<false>},
    Decomposition{"aten.aminmax.default", aminmax},
    Decomposition{"aten.var.correction", variance},
    Decomposition{"aten.var.dim", variance},
    Decomposition{"aten.var.default", variance},
    Decomposition{"aten.var_mean.correction", variance},
    Decomposition{"aten.var_mean.dim", variance},
    Decomposition{"aten.var_mean.default", variance},
    Decomposition{"aten.std.correction", deviation},
    Decomposition{"aten.std.dim", deviation},
    Decomposition{"aten.std.default", deviation},
    Decomposition{"aten.std_mean.correction", deviation},
    Decomposition{"aten.std_mean.dim", deviation},
    Decomposition{"aten.std_mean.default", deviation},
};

}  // namespace

DecompositionTable::Rows reduction_decompositions() { return reduction_rows; }

}  // namespace parallax
