// Clamps: relu and all that bounds a tensor by numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/xnnpack/definer.h"

namespace parallax::xnnpack {
namespace {

// Of the bounds that the op has and the call gives.
Range bounds(const NodeCall& call) {
  Range range;
  for (arg low : {arg::min, arg::min_val}) {
    if (call.has(low)) range.low = static_cast<float>(call.real(low));
  }
  for (arg high : {arg::max, arg::max_val}) {
    if (call.has(high)) range.high = static_cast<float>(call.real(high));
  }
  return range;
}

// The library refuses an empty range, which NaN makes too, and one of a single number.
bool is_range(const NodeCall& call) {
  const Range range = bounds(call);
  return range.low < range.high;
}

xnn_status bounded(Definer& definer, const NodeCall& call, Range range) {
  const uint32_t x = definer.operand(call, arg::self);
  const uint32_t result = definer.result(call);
  const Range before = definer.range(x);
  const Range both = {std::max(before.low, range.low), std::min(before.high, range.high)};
  definer.set_range(result, both);
  if (both.low < both.high) return xnn_define_clamp(definer.subgraph(), range.low, range.high, x, result, 0);
  // The library fuses a clamp into what makes its operand, and refuses the empty range of clamp [-3, 3] and then
  // [4, 6]: these two do the same and are never fused.
  const uint32_t lower = definer.temporary(definer.sizes(call.value(arg::self)));
  const xnn_status status = xnn_define_maximum2(definer.subgraph(), x, definer.number(range.low), lower, 0);
  if (status != xnn_status_success) return status;
  return xnn_define_minimum2(definer.subgraph(), lower, definer.number(range.high), result, 0);
}

xnn_status clamp(Definer& definer, const NodeCall& call) { return bounded(definer, call, bounds(call)); }

template <int high>
xnn_status rectified(Definer& definer, const NodeCall& call) {
  return bounded(definer, call, high > 0 ? Range{0, high} : Range{.low = 0});
}

constexpr std::array clamp_table = {
    OpRow{"aten.relu.default", always_fits, rectified<0>}, OpRow{"aten.relu6.default", always_fits, rectified<6>},
    OpRow{"aten.clamp.default", is_range, clamp},          OpRow{"aten.clamp_min.default", is_range, clamp},
    OpRow{"aten.clamp_max.default", is_range, clamp},      OpRow{"aten.hardtanh.default", is_range, clamp},
};

}  // namespace

std::span<const OpRow> clamp_rows() { return clamp_table; }

}  // namespace parallax::xnnpack
