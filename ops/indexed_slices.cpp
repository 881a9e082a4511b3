#include "ops/indexed_slices.h"

#include <algorithm>

#include "ops/view_layout.h"

namespace parallax {
namespace {

// Whether the sizes are the same but maybe along one dim.
bool same_but_along(int dim, const Dims& self, const Dims& source) {
  for (int i = 0; i < self.size(); ++i) {
    if (i != dim && self[i] != source[i]) return false;
  }
  return true;
}

}  // namespace

Result<int> sliced_dim(const Call& call) {
  return wrap_dim(call.integer(arg::dim), call.tensor(arg::self).layout.rank());
}

Result<void> check_index_vector(const Call& call, IndexWidth width) {
  const TensorMeta& index = call.tensor(arg::index);
  TRY_VOID(check_index_dtype(index.dtype, width));
  if (index.layout.rank() > 1) return refuse("an index of {} dims is not a vector", index.layout.rank());
  return {};
}

Result<void> check_dtype_of_self(const Call& call, const TensorMeta& source) {
  if (source.dtype == call.tensor(arg::self).dtype) return {};
  return refuse("a source of {} does not go into {}", name(source.dtype), name(call.tensor(arg::self).dtype));
}

Result<void> check_source_slices(const Call& call) {
  const TensorMeta& source = call.tensor(arg::source);
  TRY(const int dim, sliced_dim(call));
  TRY_VOID(check_dtype_of_self(call, source));
  const Layout from = at_least_1d(source.layout);
  if (dim >= from.rank()) return refuse("a source of {} dims has no dim {}", source.layout.rank(), dim);
  Dims slice = call.tensor(arg::self).layout.sizes;
  Dims other = source.layout.sizes;
  if (dim < slice.size()) slice.erase(dim);
  if (dim < other.size()) other.erase(dim);
  if (slice != other) {
    return refuse("slices of shape [{}] do not go into slices of shape [{}]", to_string(other), to_string(slice));
  }
  const int64_t count = call.tensor(arg::index).layout.numel();
  const int64_t slices = from.sizes[dim];
  if (count != slices) return refuse("{} indices for {} slices", count, slices);
  return {};
}

Metas row_major_copy(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  return std::vector{ResultMeta{self.dtype, contiguous_layout(self.layout.sizes), ValueId()}};
}

Result<std::optional<std::vector<int64_t>>> named_places(const ReferenceCall& call, bool wraps) {
  const BallView& index = call.input(arg::index);
  TRY(const int dim, sliced_dim(call));
  const int64_t size = at_least_1d(call.output().layout).sizes[dim];
  std::vector<int64_t> places;
  for (int64_t position : elements_of(index.layout)) {
    IntegerBall place = index.integer(position);
    if (wraps) {
      TRY(place, wrap_index(call, place, size));
    } else {
      TRY_VOID(check_in_range(call, place, size));
    }
    if (place.undecided != Undecided::No) {
      set_all_undecided(call.output(), place.undecided);
      return std::nullopt;
    }
    places.push_back(place.value);
  }
  return places;
}

std::vector<IndexRange> ranges_of_slices(const Call& call) {
  const Result<int> dim = sliced_dim(call);
  if (!dim) return {};
  return {{call.value(arg::index), at_least_1d(call.tensor(arg::self).layout).sizes[*dim]}};
}

std::vector<IndexRange> ranges_of_elements(const Call& call) {
  return {{call.value(arg::index), call.tensor(arg::self).layout.numel()}};
}

std::optional<DrawnSlices> draw_slices(const Op& op, SampleContext& context, IndexWidth width, bool once) {
  std::vector<DrawnSlices> fitting;
  for (const Candidate& self : context.pool()) {
    const TensorMeta& written = context.meta(self.value);
    if ((op.writes() && !self.writable) || written.layout.numel() == 0) continue;
    for (const Candidate& source : context.pool()) {
      const TensorMeta& read = context.meta(source.value);
      if (read.dtype != written.dtype || (op.writes() && read.storage == written.storage)) continue;
      if (read.layout.rank() != written.layout.rank()) continue;
      for (int dim = 0; dim < written.layout.rank(); ++dim) {
        if (!same_but_along(dim, written.layout.sizes, read.layout.sizes)) continue;
        if (once && read.layout.sizes[dim] > written.layout.sizes[dim]) continue;
        fitting.push_back({self.value, dim, ValueId(), source.value});
      }
    }
  }
  // Of those, the ones that an index has an element a slice for.
  const auto fits = [&](const DrawnSlices& drawn, const TensorMeta& index) {
    return index.layout.rank() == 1 && index.storage != context.meta(drawn.self).storage &&
           index.layout.numel() == context.meta(drawn.source).layout.sizes[static_cast<int>(drawn.dim)];
  };
  std::erase_if(fitting, [&](const DrawnSlices& drawn) {
    return std::none_of(context.pool().begin(), context.pool().end(), [&](const Candidate& candidate) {
      return may_index(candidate, context.meta(candidate.value), width) && fits(drawn, context.meta(candidate.value));
    });
  });
  if (fitting.empty()) return std::nullopt;
  DrawnSlices drawn = context.choices().pick(fitting);
  drawn.index = *pick_index(context, width, [&](const TensorMeta& index) { return fits(drawn, index); });
  if (context.choices().chance(20)) drawn.dim -= context.meta(drawn.self).layout.rank();
  return drawn;
}

}  // namespace parallax
