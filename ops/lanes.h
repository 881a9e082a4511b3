// Lanes: the input's elements that go into one element of a reduction's result, and what the reductions share: the
// dims that go, the result's shape, and how their arguments are drawn.
#pragma once

#include <span>
#include <vector>

#include "ops/ball_math.h"
#include "ops/op.h"
#include "ops/reduce_dims.h"

namespace parallax {

// The storage elements of a tensor, grouped by the result element they are reduced into; each lane is in row-major
// order, so that a place in a lane of one dim is an index along it.
class Lanes {
 public:
  Lanes(const Layout& layout, const DimMask& reduced);

  std::size_t size() const { return starts_.size() - 1; }
  std::span<const int64_t> operator[](std::size_t lane) const {
    return std::span(elements_).subspan(starts_[lane], starts_[lane + 1] - starts_[lane]);
  }

 private:
  std::vector<int64_t> elements_;
  std::vector<std::size_t> starts_;
};

// The elements of a lane, converted to a floating, and to an integer, dtype.
std::vector<Ball> lane_balls(const BallView& view, std::span<const int64_t> lane, DType dtype, const CallProfile& profile);
std::vector<IntegerBall> lane_integers(const BallView& view, std::span<const int64_t> lane, DType dtype);

// The reduced dims of self. `dim` is an int, a list (an empty one stands for all), None or not there (all).
Result<DimMask> reduced_dims(const Call& call);
// The contiguous layout of the result, by `keepdim`.
Result<Layout> reduced_layout(const Call& call);
// Refuses what eager refuses where a reduction has no value for no elements: no dim to reduce named for an empty
// tensor, or one of size 0.
Result<void> check_reduces_something(const Call& call);

// Which operand a sampled reduction takes.
struct ReductionOperand {
  bool (*accepts)(DType dtype) = nullptr;  // null: any
  bool nonempty = false;
};
// Arguments for a reduction of self: `dim` and `keepdim` are drawn, the rest is the default. Parameters
// without a default, other than these, are None.
std::optional<std::vector<Argument>> sample_lanes(const Op& op, SampleContext& context, ReductionOperand operand = {});

}  // namespace parallax
