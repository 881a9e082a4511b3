// Clamps: relu and all that bounds a tensor by numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/xnnpack/definer.h"

namespace parallax::xnnpack {
namespace {

Range bounds(const NodeCall& call, int low, int high) {
  Range range;
  if (low >= 0 && call.has(low)) range.low = static_cast<float>(call.real(low));
  if (high >= 0 && call.has(high)) range.high = static_cast<float>(call.real(high));
  return range;
}

// The library refuses an empty range, which NaN makes too, and one of a single number.
template <int low, int high>
bool is_range(const NodeCall& call) {
  const Range range = bounds(call, low, high);
  return range.low < range.high;
}

xnn_status bounded(Definer& definer, const NodeCall& call, Range range) {
  const uint32_t x = definer.operand(call, 0);
  const uint32_t result = definer.result(call);
  const Range before = definer.range(x);
  const Range both = {std::max(before.low, range.low), std::min(before.high, range.high)};
  definer.set_range(result, both);
  if (both.low < both.high) return xnn_define_clamp(definer.subgraph(), range.low, range.high, x, result, 0);
  // The library fuses a clamp into what makes its operand, and refuses the empty range of clamp [-3, 3] and then
  // [4, 6]: these two do the same and are never fused.
  const uint32_t lower = definer.temporary(definer.sizes(call.value(0)));
  const xnn_status status = xnn_define_maximum2(definer.subgraph(), x, definer.number(range.low), lower, 0);
  if (status != xnn_status_success) return status;
  return xnn_define_minimum2(definer.subgraph(), lower, definer.number(range.high), result, 0);
}

template <int low, int high>
xnn_status clamp(Definer& definer, const NodeCall& call) {
  return bounded(definer, call, bounds(call, low, high));
}

template <int high>
xnn_status rectified(Definer& definer, const NodeCall& call) {
  return bounded(definer, call, high > 0 ? Range{0, high} : Range{.low = 0});
}

constexpr std::array rows = {
    OpRow{"aten.relu.default", always_fits, rectified<0>},
    OpRow{"aten.relu6.default", always_fits, rectified<6>},
    OpRow{"aten.clamp.default", is_range<1, 2>, clamp<1, 2>},
    OpRow{"aten.clamp_min.default", is_range<1, -1>, clamp<1, -1>},
    OpRow{"aten.clamp_max.default", is_range<-1, 1>, clamp<-1, 1>},
    OpRow{"aten.hardtanh.default", is_range<1, 2>, clamp<1, 2>},
};

}  // namespace

std::span<const OpRow> clamp_rows() { return rows; }

}  // namespace parallax::xnnpack
