// Slices at a vector of indices: what index_add, index_copy, index_fill and index_reduce share. Their slices of
// a source, or one value, go to those of self that the index names along a dim.
#pragma once

#include <optional>
#include <vector>

#include "ops/copying.h"
#include "ops/indices.h"

namespace parallax {

// The dim, in [0, rank); 0 of a 0-d tensor.
Result<int> sliced_dim(const Call& call);
// Checks the index alone. Errors of these checks have no op's name (in_op puts it in front).
Result<void> check_index_vector(const Call& call, IndexWidth width);
// Checks a source against self: its dtype, its shape without the dim, and that the index has an element a slice.
Result<void> check_source_slices(const Call& call);
// Refuses a tensor of another dtype than self's.
Result<void> check_dtype_of_self(const Call& call, const TensorMeta& source);
// A result of self's sizes and dtype, row after row whatever self's strides are.
Metas row_major_copy(const Call& call);

// The elements of self's dim that the index names; nothing where one of them is not known, which leaves the whole
// result undecided. `wraps`: indices may count from the end.
Result<std::optional<std::vector<int64_t>>> named_places(const ReferenceCall& call, bool wraps);

// Calls `visit(target element, source element)` for each element of each slice; false where nothing is known.
template <class Visit>
Result<bool> for_each_indexed(const ReferenceCall& call, const Layout& source, bool wraps, Visit&& visit) {
  const Layout target = at_least_1d(call.output().layout);
  const Layout from = at_least_1d(source);
  // Eager does not look at the indices of slices without elements.
  if (target.numel() == 0 && target.rank() > 1) return true;
  TRY(const int dim, sliced_dim(call));
  TRY(const auto places, named_places(call, wraps));
  if (!places) return false;
  Dims sizes = target.sizes;
  sizes[dim] = static_cast<int64_t>(places->size());
  for_each_index(sizes, [&](const Dims& at) {
    Dims to = at;
    to[dim] = (*places)[static_cast<std::size_t>(at[dim])];
    visit(element_at(target, to), element_at(from, at));
  });
  return true;
}

// The index_ranges of these ops.
std::vector<IndexRange> ranges_of_slices(const Call& call);
// Those of take and put, whose index counts all elements of self.
std::vector<IndexRange> ranges_of_elements(const Call& call);

// What a sample draws: self, a dim, and an index with a source that has a slice for each of its elements.
struct DrawnSlices {
  ValueId self;
  int64_t dim = 0;
  ValueId index;
  ValueId source;
};
// `once`: no more slices than self has, so that none needs to be written twice.
std::optional<DrawnSlices> draw_slices(const Op& op, SampleContext& context, IndexWidth width, bool once);

}  // namespace parallax
