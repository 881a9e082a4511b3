// The ops that the generator draws from, by group, so that a new op takes part without a line here; and the dtypes that
// its tensors may have.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "backends/target.h"
#include "ops/op.h"

namespace parallax {

class DrawnOps {
 public:
  // The ops that can be sampled and are accepted.
  explicit DrawnOps(const std::function<bool(const Op& op)>& accept);
  // The ops and dtypes that every one of the targets takes, so that all of them judge the same cases. Where there is
  // no such op, or no such dtype, all are drawn, and the summary says who did not take them.
  static DrawnOps taken_by(const std::vector<const Target*>& targets);
  // Every op that can be sampled.
  static const DrawnOps& all();

  // Those of a group, in registry order.
  std::span<const Op* const> of(OpGroup group) const { return by_group_[static_cast<std::size_t>(group)]; }
  // Whether a case may hold tensors of this dtype.
  bool takes(DType dtype) const { return dtypes_[static_cast<std::size_t>(dtype)]; }
  bool takes_every_dtype() const { return std::ranges::all_of(dtypes_, std::identity()); }

 private:
  std::array<std::vector<const Op*>, op_group_count> by_group_;
  std::array<bool, dtype_count> dtypes_;
};

}  // namespace parallax
