// Reductions: extremes, truth, variance and the standard deviation.
#include <array>

#include "compiler/decomposition.h"
#include "compiler/decompositions/moments.h"

namespace parallax {
namespace {

// The dims that parameter i names: one, a list, or all where there is none.
IntList named_dims(Composer& c, int i) {
  const IntList all = dims_from(0, c.meta(c.raw(0)).layout.rank());
  if (i < 0 || !c.has(i)) return all;
  if (const auto* list = std::get_if<IntList>(&c.argument(i))) return list->empty() ? all : *list;
  return {c.integer(i)};
}

// The sum of integers over the named dims; of a number, itself.
Term counted(Composer& c, Term flags, int i) {
  const IntList dims = named_dims(c, i);
  const Term numbers = c.cast(flags, DType::I64);
  return viewed(c.sizes(numbers).empty() ? numbers : total(numbers, dims), c.result().layout.sizes);
}

template <int dims>
Terms count_nonzero(Composer& c) {
  return {counted(c, differs(c.raw(0), 0), dims)};
}

// Empty lists of the overloads `dims` reduce nothing.
bool reduces_nothing(Composer& c, int i) {
  const auto* list = i < 0 ? nullptr : std::get_if<IntList>(&c.argument(i));
  return list && list->empty();
}

template <int dims>
Terms any(Composer& c) {
  const Term flags = differs(c.raw(0), 0);
  return {reduces_nothing(c, dims) ? flags : differs(counted(c, flags, dims), 0)};
}

template <int dims>
Terms all(Composer& c) {
  if (reduces_nothing(c, dims)) return {differs(c.raw(0), 0)};
  return {equal(counted(c, equal(c.raw(0), 0), dims), 0)};
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
  const Term x = c.raw(0);
  return larger ? largest(x, dims) : mirrored(largest(mirrored(x), dims));
}

Terms amin(Composer& c) { return {viewed(extreme(c, c.integers(1), false), c.result().layout.sizes)}; }

template <bool larger>
Terms extreme_of_all(Composer& c) {
  return {viewed(extreme(c, {}, larger), c.result().layout.sizes)};
}

Terms aminmax(Composer& c) {
  const IntList dims = c.has(1) ? IntList{c.integer(1)} : IntList{};
  const Dims& sizes = c.result().layout.sizes;
  return {viewed(extreme(c, dims, false), sizes), viewed(extreme(c, dims, true), sizes)};
}

// The norm of the difference.
Terms dist(Composer& c) {
  return {c.call("aten.linalg_vector_norm.default", {(c.operand(0) - c.operand(1)).value, c.argument(2)})};
}

struct Spread {
  int dims = -1;        // the parameter that names them
  int unbiased = -1;    // a correction of 1 or 0
  int correction = -1;  // or that, 1 where it is None
  bool root = false;
};

template <Spread at>
Terms spread(Composer& c) {
  const Term x = c.operand(0);
  double correction = 1;
  if (at.unbiased >= 0) correction = c.boolean(at.unbiased) ? 1 : 0;
  if (at.correction >= 0 && c.has(at.correction)) correction = c.real(at.correction);
  const IntList dims = c.sizes(x).empty() ? IntList{} : named_dims(c, at.dims);
  const Moments moments = moments_of(x, dims);
  Term variance = moments.squares / std::max(0.0, static_cast<double>(moments.count) - correction);
  if (at.root) variance = apply("sqrt", variance);
  Terms results = {viewed(variance, c.result().layout.sizes)};
  if (c.result_count() > 1) results.push_back(viewed(moments.mean, c.result(1).layout.sizes));
  return results;
}

constexpr Spread by_correction = {.dims = 1, .correction = 2};
constexpr Spread by_dims = {.dims = 1, .unbiased = 2};
constexpr Spread of_all = {.unbiased = 1};
constexpr Spread rooted(Spread at) {
  at.root = true;
  return at;
}

constexpr std::array rows = {
    Decomposition{"aten.dist.default", dist},
    Decomposition{"aten.count_nonzero.default", count_nonzero<1>},
    Decomposition{"aten.count_nonzero.dim_IntList", count_nonzero<1>},
    Decomposition{"aten.any.default", any<-1>},
    Decomposition{"aten.any.dim", any<1>},
    Decomposition{"aten.any.dims", any<1>},
    Decomposition{"aten.all.default", all<-1>},
    Decomposition{"aten.all.dim", all<1>},
    Decomposition{"aten.all.dims", all<1>},
    Decomposition{"aten.amin.default", amin},
    Decomposition{"aten.max.default", extreme_of_all<true>},
    Decomposition{"aten.min.default", extreme_of_all<false>},
    Decomposition{"aten.aminmax.default", aminmax},
    Decomposition{"aten.var.correction", spread<by_correction>},
    Decomposition{"aten.var.dim", spread<by_dims>},
    Decomposition{"aten.var.default", spread<of_all>},
    Decomposition{"aten.var_mean.correction", spread<by_correction>},
    Decomposition{"aten.var_mean.dim", spread<by_dims>},
    Decomposition{"aten.var_mean.default", spread<of_all>},
    Decomposition{"aten.std.correction", spread<rooted(by_correction)>},
    Decomposition{"aten.std.dim", spread<rooted(by_dims)>},
    Decomposition{"aten.std.default", spread<rooted(of_all)>},
    Decomposition{"aten.std_mean.correction", spread<rooted(by_correction)>},
    Decomposition{"aten.std_mean.dim", spread<rooted(by_dims)>},
    Decomposition{"aten.std_mean.default", spread<rooted(of_all)>},
};

}  // namespace

DecompositionTable::Rows reduction_decompositions() { return rows; }

}  // namespace parallax
