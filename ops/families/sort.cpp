// Sorting: sort, argsort, msort and topk along a dim, and the different elements of a tensor in order. NaN ranks last,
// ties stand in no defined order unless the sort is stable; the values of ties are the same either way, their indices
// are not known.
#include <algorithm>
#include <map>
#include <optional>

#include "ops/ball_math.h"
#include "ops/copying.h"
#include "ops/counted_size.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/indices.h"
#include "ops/ranking.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// Which results an overload has.
enum class Gives { Both, Values, Indices };

// What a call asks for.
struct Request {
  int64_t dim = -1;
  bool descending = false;
  bool stable = false;
  bool values = true;
  bool indices = true;
};

bool flag(const Call& call, arg name) { return call.has(name) && call.boolean(name); }

// msort has no dim: it sorts along the first.
Request request_of(const Call& call, Gives gives) {
  return {.dim = call.takes(arg::dim) ? call.integer(arg::dim) : 0,
          .descending = flag(call, arg::descending),
          .stable = flag(call, arg::stable),
          .values = gives != Gives::Indices,
          .indices = gives != Gives::Values};
}

Metas results(const Call& call, const Request& request, const Layout& layout) {
  std::vector<ResultMeta> metas;
  if (request.values) metas.push_back({call.tensor(arg::self).dtype, layout, ValueId()});
  if (request.indices) metas.push_back({DType::I64, layout, ValueId()});
  return metas;
}

// The results lie as a clone of self does.
template <Gives gives>
Metas infer_sort(const Call& call) {
  const Request request = request_of(call, gives);
  const Layout& self = call.tensor(arg::self).layout;
  if (const Result<int> dim = wrap_dim(request.dim, self.rank()); !dim) return in_op(call, dim.error());
  TRY(const Layout layout, fresh_layout(self, MemoryFormat::Preserve));
  return results(call, request, layout);
}

// Ranks each line of self along a dim and calls `visit(index of its first element, positions of the line in self's
// storage, places)`; `places` is empty for a line that has an undecided element, whose reason comes along.
template <class Visit>
void for_each_line(const ReferenceCall& call, int dim, Ties ties, Visit&& visit) {
  const BallView& self = call.input(arg::self);
  const Layout layout = at_least_1d(self.layout);
  Dims firsts = layout.sizes;
  const int64_t length = firsts[dim];
  firsts[dim] = std::min<int64_t>(length, 1);
  const auto rank_line = [&](const auto& element_of, const Dims& first) {
    std::vector<std::decay_t<decltype(element_of(0))>> line;
    Undecided undecided = Undecided::No;
    for (int64_t i = 0; i < length; ++i) {
      line.push_back(element_of(element_at(layout, first) + i * layout.strides[dim]));
      if (undecided == Undecided::No) undecided = line.back().undecided;
    }
    visit(first, std::span(std::as_const(line)),
          undecided == Undecided::No ? rank(std::span(std::as_const(line)), ties) : std::vector<RankedPlace>(),
          undecided);
  };
  for_each_index(firsts, [&](const Dims& first) {
    if (self.floating()) {
      rank_line([&](int64_t element) { return self.ball(element); }, first);
    } else {
      rank_line([&](int64_t element) { return self.integer(element); }, first);
    }
  });
}

void put(const BallView& view, int64_t element, const Ball& value) { view.ball(element) = value; }
void put(const BallView& view, int64_t element, const IntegerBall& value) { view.integer(element) = value; }

// Whether a line is one of which the profile promises no order: where a NaN stands is open, and with it what
// comparisons with it make of the rest, so that any element may come out at any place.
bool has_no_order(const CallProfile& profile, std::span<const Ball> line) {
  return profile.allows(Form::UnorderedNan) && line.size() > 1 && std::ranges::any_of(line, can_be_nan);
}
bool has_no_order(const CallProfile&, std::span<const IntegerBall>) { return false; }

Ball any_of_line(std::span<const Ball> line) {
  Ball all = line.front();
  for (const Ball& x : line) all = hull(all, x);
  return all;
}
IntegerBall any_of_line(std::span<const IntegerBall> line) { return line.front(); }  // never asked

// Writes element k of each line of the results from place `place_of(k, length)` of its ascending order.
template <class PlaceOf>
void write_ranked(const ReferenceCall& call, const Request& request, int dim, int64_t taken, PlaceOf&& place_of) {
  const Ties ties = !request.stable ? Ties::Open : request.descending ? Ties::Backward : Ties::Forward;
  const BallView* values = request.values ? &call.output() : nullptr;
  const BallView* indices = request.indices ? &call.outputs().back() : nullptr;
  for_each_line(call, dim, ties, [&](const Dims& first, auto line, const auto& places, Undecided undecided) {
    const bool open = undecided == Undecided::No && has_no_order(call.profile(), line);
    const auto any = open ? std::optional(any_of_line(line)) : std::nullopt;
    for (int64_t k = 0; k < taken; ++k) {
      Dims at = first;
      at[dim] = k;
      const auto element = [&](const BallView* view) { return element_at(at_least_1d(view->layout), at); };
      if (undecided != Undecided::No) {
        if (values) set_undecided(*values, element(values), undecided);
        if (indices) set_undecided(*indices, element(indices), undecided);
        continue;
      }
      if (any) {
        if (values) put(*values, element(values), *any);
        if (indices) set_undecided(*indices, element(indices), Undecided::InexactCompare);
        continue;
      }
      const auto length = static_cast<int64_t>(line.size());
      const RankedPlace& place = places[static_cast<std::size_t>(place_of(k, length))];
      if (values) put(*values, element(values), value_at(line, place));
      if (!indices) continue;
      const bool known = place.position >= 0;
      indices->integer(element(indices)) = {known ? place.position : 0,
                                            known ? Undecided::No : Undecided::InexactCompare};
    }
  });
}

template <Gives gives>
Result<void> reference_sort(const ReferenceCall& call) {
  const Request request = request_of(call, gives);
  const Layout self = at_least_1d(call.input(arg::self).layout);
  TRY(const int dim, wrap_dim(request.dim, self.rank()));
  write_ranked(call, request, dim, self.sizes[dim],
               [&](int64_t k, int64_t length) { return request.descending ? length - 1 - k : k; });
  return {};
}

// topk

Result<Layout> topk_layout(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const int64_t k = call.integer(arg::k);
  TRY(const int dim, wrap_dim(call.integer(arg::dim), self.layout.rank()));
  if (self.dtype == DType::Bool) return refuse("bool is not taken");
  if (k < 0 || k > at_least_1d(self.layout).sizes[dim]) return refuse("k = {} is out of range", k);
  Dims sizes = self.layout.sizes;
  if (!sizes.empty()) sizes[dim] = k;
  return contiguous_layout(sizes);
}

Metas infer_topk(const Call& call) {
  const Result<Layout> layout = topk_layout(call);
  if (!layout) return in_op(call, layout.error());
  return results(call, {}, *layout);
}

// Without `sorted`, which of the k places an element of the result comes from is not defined.
void forget_order(const ReferenceCall& call, int dim) {
  const BallView& values = call.output();
  const BallView& indices = call.outputs().back();
  const int64_t taken = values.layout.rank() == 0 ? 1 : values.layout.sizes[dim];
  if (taken < 2) return;
  set_all_undecided(indices, Undecided::InexactCompare);
  Dims firsts = values.layout.sizes;
  firsts[dim] = 1;
  for_each_index(firsts, [&](const Dims& first) {
    const int64_t start = element_at(values.layout, first);
    const int64_t stride = values.layout.strides[dim];
    if (!values.floating()) {
      for (int64_t k = 0; k < taken; ++k) {
        if (values.integer(start + k * stride).value != values.integer(start).value) {
          for (int64_t j = 0; j < taken; ++j) set_undecided(values, start + j * stride, Undecided::InexactCompare);
          break;
        }
      }
      return;
    }
    Ball all = values.ball(start);
    for (int64_t k = 1; k < taken; ++k) all = hull(all, values.ball(start + k * stride));
    for (int64_t k = 0; k < taken; ++k) values.ball(start + k * stride) = all;
  });
}

Result<void> reference_topk(const ReferenceCall& call) {
  TRY(const int dim, wrap_dim(call.integer(arg::dim), call.input(arg::self).layout.rank()));
  const bool largest = call.boolean(arg::largest);
  // A 0-d tensor keeps its element even for k = 0.
  const int64_t taken = call.output().layout.rank() == 0 ? 1 : call.integer(arg::k);
  write_ranked(call, {.descending = largest}, dim, taken,
               [largest](int64_t k, int64_t length) { return largest ? length - 1 - k : k; });
  if (!call.boolean(arg::sorted)) forget_order(call, dim);
  return {};
}

Drawn sample_sort(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  std::vector<Argument> given{*self};
  if (op.schema.index_of(arg::stable) >= 0) given.emplace_back(std::in_place_type<Scalar>, !choices.chance(10));
  if (op.schema.index_of(arg::dim) >= 0) {
    given.push_back(integer_argument(draw_dim(choices, context.meta(*self).layout.rank())));
    given.emplace_back(std::in_place_type<Scalar>, choices.chance(50));
  }
  return given;
}

Drawn sample_topk(const Op& op, SampleContext& context) {
  const auto self = pick_number(context);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const Layout& layout = context.meta(*self).layout;
  const int64_t dim = draw_dim(choices, layout.rank());
  const int64_t size = layout.rank() == 0 ? 1 : layout.sizes[static_cast<int>(dim < 0 ? dim + layout.rank() : dim)];
  return with_defaults(op, {*self, integer_argument(choices.between(std::min<int64_t>(size, 1), size)),
                            integer_argument(dim), Scalar(!choices.chance(40))});
}

template <Gives gives>
OpDef sorting(std::string_view schema) {
  return {.schema = schema, .infer = infer_sort<gives>, .reference = reference_sort<gives>, .sample = sample_sort};
}

// _unique2(self, sorted, return_inverse, return_counts): the different elements, the place of each element among them,
// and how often each comes.

constexpr ParameterRef return_inverse{2};
constexpr ParameterRef return_counts{3};

Metas infer_unique(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const auto unsupported = [&](std::string_view what) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, "", "", call.op().name + ": " + std::string(what) + " is not supported"});
  };
  // NaNs differ from each other, and of two zeros either may stand for both.
  if (is_floating(self.dtype)) return unsupported("an operand of floats");
  if (!call.boolean(arg::sorted)) return unsupported("an order that is not defined");
  TRY(const int64_t count, needed_count(call));
  const Dims inverse = call.boolean(return_inverse) ? self.layout.sizes : Dims{0};
  const Dims counts = {call.boolean(return_counts) ? count : 0};
  return std::vector{ResultMeta{self.dtype, contiguous_layout({count}), ValueId()},
                     ResultMeta{DType::I64, contiguous_layout(inverse), ValueId()},
                     ResultMeta{DType::I64, contiguous_layout(counts), ValueId()}};
}

// The results of unique.
constexpr int unique_values_result = 0;
constexpr int unique_inverse_result = 1;
constexpr int unique_counts_result = 2;

Result<void> reference_unique(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  std::map<int64_t, int64_t> times;
  for_each_element(self.layout, [&](int64_t element) { ++times[self.integer(element).value]; });
  int64_t place = 0;
  for (auto& [value, often] : times) {
    call.output(unique_values_result).integer(place) = {value, Undecided::No};
    if (call.boolean(return_counts)) call.output(unique_counts_result).integer(place) = {often, Undecided::No};
    often = place++;
  }
  if (!call.boolean(return_inverse)) return {};
  int64_t next = 0;
  for_each_element(self.layout, [&](int64_t element) {
    call.output(unique_inverse_result).integer(next++) = {times.at(self.integer(element).value), Undecided::No};
  });
  return {};
}

}  // namespace

std::vector<OpDef> sort_family() {
  return {
      sorting<Gives::Both>("sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"),
      sorting<Gives::Both>("sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> "
                           "(Tensor values, Tensor indices)"),
      sorting<Gives::Indices>("argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor"),
      sorting<Gives::Indices>("argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) "
                              "-> Tensor"),
      sorting<Gives::Values>("msort(Tensor self) -> Tensor"),
      {.schema = "topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
                 "Tensor indices)",
       .infer = infer_topk,
       .reference = reference_topk,
       .sample = sample_topk},
      {.schema = "_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
                 "(Tensor, Tensor, Tensor)",
       .infer = infer_unique,
       .reference = reference_unique},
  };
}

}  // namespace parallax
