// What the structural families draw their arguments from, beside ops/sample.h: factorisations, partitions, slices.
//
// As everywhere on the tape, choice 0 is the simplest: one factor, the whole dim.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Generated tensors stay this small, so that a case is quick to run and slots of few sizes collide.
inline constexpr int max_sample_rank = 5;
inline constexpr int64_t max_sample_elements = 1024;

// Two different dims; the rank is at least 2.
std::pair<int64_t, int64_t> draw_dim_pair(Choices& choices, int rank);
// Sizes whose product is `numel` (at least 1), at most max_sample_rank of them; some are 1.
IntList draw_factorisation(Choices& choices, int64_t numel);
// Sizes that sum to `total`, a 0 among them now and then.
IntList draw_partition(Choices& choices, int64_t total);

// Arguments start, end and step of a slice of a dim: clamped, negative and open bounds, steps over 1, rarely an empty
// one.
struct DrawnSlice {
  Argument start;
  Argument end;
  int64_t step = 1;
};
DrawnSlice draw_slice(Choices& choices, int64_t size);

// Any value of the pool with at least `rank` dims.
std::optional<ValueId> pick_of_rank(const SampleContext& context, int rank);

// A number as an argument.
inline Argument integer_argument(int64_t x) { return Scalar(x); }

// The sample of a copying twin: the view's own arguments, since the parameters are the same.
std::optional<std::vector<Argument>> sample_view_twin(const Op& op, SampleContext& context);
// The sample of an in-place view: its functional twin's arguments over the writable values.
std::optional<std::vector<Argument>> sample_inplace_twin(const Op& op, SampleContext& context);

}  // namespace parallax
