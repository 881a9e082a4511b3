// What meets in one element by an index: scatters, index_add and its kin, index_put.
#include <algorithm>
#include <string>

#include "tests/soundness/plain_box.h"
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

std::size_t at(int64_t place) { return static_cast<std::size_t>(place); }

// The terms of each element of a copy of self, and what they come to.
class Meetings {
 public:
  explicit Meetings(const PlainTensor& self) : self_(self), terms_(self.size()) {}

  void add(int64_t place, double term) { terms_[at(place)].push_back(term); }

  // `how` is a `reduce` argument of any op; elements that nothing was added to stay as they are.
  PlainTensor combined(const Perturbed& p, std::string_view how, bool keeps_self) const {
    PlainTensor result = self_;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (terms_[i].empty()) continue;
      PlainTensor terms = terms_[i];
      if (keeps_self) terms.insert(terms.begin(), self_[i]);
      result[i] = combined(p, how, terms);
    }
    return result;
  }
  // The last term, or what was there.
  PlainTensor written() const {
    PlainTensor result = self_;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (!terms_[i].empty()) result[i] = terms_[i].back();
    }
    return result;
  }

 private:
  static double combined(const Perturbed& p, std::string_view how, const PlainTensor& terms) {
    const Arithmetic& a = p.accumulator();
    if (how == "prod" || how == "multiply") return a.product(terms);
    if (how == "mean") return a.div(a.sum(terms), static_cast<double>(terms.size()));
    if (how == "sum" || how == "add") return a.sum(terms);
    double extreme = terms.front();
    for (const double x : terms) extreme = how == "amax" ? p.maximum(extreme, x) : p.minimum(extreme, x);
    return extreme;
  }

  PlainTensor self_;
  std::vector<PlainTensor> terms_;
};

// The elements of src, or a number, go where the index of the same place says.
Meetings scattered(const Perturbed& p, const PlainCall& call) {
  Meetings meetings(call.elements(arg::self));
  const Box self(call.sizes(arg::self), 0);
  const Box index(call.sizes(arg::index), 0);
  for (int64_t i = 0; i < index.count(); ++i) {
    std::vector<int64_t> place = index.coordinates(i);
    const double term = call.takes(arg::src) ? call.elements(arg::src)[at(Box(call.sizes(arg::src), 0).place(place))]
                                             : p.number(call.real(arg::value));
    place[at(call.dim(arg::dim))] = static_cast<int64_t>(call.elements(arg::index)[at(i)]);
    meetings.add(self.place(place), term);
  }
  return meetings;
}

void scatter(Perturbed& p, const PlainCall& call, Results& results) { results[0] = scattered(p, call).written(); }
void scatter_add(Perturbed& p, const PlainCall& call, Results& results) {
  results[0] = scattered(p, call).combined(p, "sum", true);
}
void scatter_arithmetic(Perturbed& p, const PlainCall& call, Results& results) {
  results[0] = scattered(p, call).combined(p, call.text(arg::reduce), true);
}
void scatter_reduce(Perturbed& p, const PlainCall& call, Results& results) {
  results[0] = scattered(p, call).combined(p, call.text(arg::reduce), call.boolean(arg::include_self));
}

// A source has a slice for each index; `term_of` makes the terms of its elements.
template <class TermOf>
Meetings sliced(const PlainCall& call, TermOf term_of) {
  Meetings meetings(call.elements(arg::self));
  // A 0-d tensor counts as one of a single element.
  const Box self = call.rank(arg::self) == 0 ? Box({1}) : Box(call.sizes(arg::self), 0);
  const std::size_t dim = at(call.dim(arg::dim));
  std::vector<int64_t> sizes;
  for (int d = 0; d < self.rank(); ++d) sizes.push_back(self.size(d));
  sizes[dim] = static_cast<int64_t>(call.elements(arg::index).size());
  const Box source(sizes);
  for (int64_t i = 0; i < source.count(); ++i) {
    std::vector<int64_t> place = source.coordinates(i);
    place[dim] = static_cast<int64_t>(call.elements(arg::index)[at(place[dim])]);
    meetings.add(self.place(place), term_of(i));
  }
  return meetings;
}

void index_add(Perturbed& p, const PlainCall& call, Results& results) {
  const double alpha = p.number(call.real(arg::alpha));
  const auto term_of = [&](int64_t i) { return p.mul(alpha, call.elements(arg::source)[at(i)]); };
  results[0] = sliced(call, term_of).combined(p, "sum", true);
}
void index_reduce(Perturbed& p, const PlainCall& call, Results& results) {
  const auto term_of = [&](int64_t i) { return call.elements(arg::source)[at(i)]; };
  results[0] = sliced(call, term_of).combined(p, call.text(arg::reduce), call.boolean(arg::include_self));
}
void index_fill(Perturbed& p, const PlainCall& call, Results& results) {
  results[0] = sliced(call, [&](int64_t) { return p.number(call.real(arg::value)); }).written();
}

// Indices of neighbouring dims that broadcast together.
void index_put(Perturbed& p, const PlainCall& call, Results& results) {
  const ValueList& indices = call.values(arg::indices);
  const auto first = std::ranges::find_if(indices, [](ValueId index) { return index.valid(); });
  const auto before = static_cast<int>(first - indices.begin());
  const std::vector<ValueId> named(first, indices.end());
  Dims common;
  for (const ValueId index : named) common = *broadcast_sizes(common, call.meta(index).layout.sizes);
  std::vector<PlainTensor> chosen;
  for (const ValueId index : named) {
    chosen.push_back(broadcast(call.elements_of_value(index), call.meta(index).layout.sizes, common));
  }
  const Box self(call.sizes(arg::self), 0);
  const auto indexed = static_cast<int>(named.size());
  Dims whole;
  for (int dim = 0; dim < before; ++dim) whole.push_back(self.size(dim));
  for (const int64_t size : common) whole.push_back(size);
  for (int dim = before + indexed; dim < self.rank(); ++dim) whole.push_back(self.size(dim));
  const PlainTensor values = broadcast(call.elements(arg::values), call.sizes(arg::values), whole);
  const Box places(whole, 0);
  const Box of_index(common, 0);
  Meetings meetings(call.elements(arg::self));
  for (int64_t i = 0; i < places.count(); ++i) {
    const std::vector<int64_t> place = places.coordinates(i);
    const auto middle = place.begin() + before;
    const std::size_t choice = at(of_index.place(std::vector(middle, middle + common.size())));
    std::vector<int64_t> target(place.begin(), middle);
    for (const PlainTensor& index : chosen) target.push_back(static_cast<int64_t>(index[choice]));
    target.insert(target.end(), middle + common.size(), place.end());
    meetings.add(self.place(target), values[at(i)]);
  }
  results[0] = call.boolean(arg::accumulate) ? meetings.combined(p, "sum", true) : meetings.written();
}

// Indices of self's elements.
void put(Perturbed& p, const PlainCall& call, Results& results) {
  Meetings meetings(call.elements(arg::self));
  for (std::size_t i = 0; i < call.elements(arg::index).size(); ++i) {
    meetings.add(static_cast<int64_t>(call.elements(arg::index)[i]), call.elements(arg::source)[i]);
  }
  results[0] = call.boolean(arg::accumulate) ? meetings.combined(p, "sum", true) : meetings.written();
}

// The gradient of each maximum goes to its place in a picture.
void max_pool_backward(Perturbed& p, const PlainCall& call, Results& results) {
  const int first = call.rank(arg::grad_output) - 2;
  const int64_t plane = Box(call.result_sizes(), first).count();
  const int64_t maxima = Box(call.sizes(arg::grad_output), first).count();
  Meetings meetings(PlainTensor(results[0].size()));
  for (std::size_t i = 0; i < call.elements(arg::grad_output).size(); ++i) {
    const int64_t picture = static_cast<int64_t>(i) / maxima;
    meetings.add(picture * plane + static_cast<int64_t>(call.elements(arg::indices)[i]),
                 call.elements(arg::grad_output)[i]);
  }
  results[0] = meetings.combined(p, "sum", true);
}

PlainOp scattering(std::string_view name, PlainOp::Whole function) {
  return {.family = "scatter", .name = name, .function = function, .carries_halves = true};
}

}  // namespace

// Eager rounds sums of halves to the half at each step, others carry them in f32.
std::vector<PlainOp> plain_scatter_ops() {
  return {
      scattering("aten.scatter.value", scatter),
      scattering("aten.scatter.reduce", scatter_arithmetic),
      scattering("aten.scatter.value_reduce", scatter_arithmetic),
      scattering("aten.scatter_add.default", scatter_add),
      scattering("aten.scatter_reduce.two", scatter_reduce),
      scattering("aten.index_add.default", index_add),
      scattering("aten.index_reduce.default", index_reduce),
      scattering("aten.index_fill.int_Scalar", index_fill),
      scattering("aten.index_put.default", index_put),
      scattering("aten.put.default", put),
      {.family = "pool",
       .name = "aten.max_pool2d_with_indices_backward.default",
       .function = max_pool_backward,
       .carries_halves = true},
  };
}

}  // namespace parallax
