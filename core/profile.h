// Profile: what a target promises of its arithmetic. The oracle's bound holds for every implementation that keeps it.
#pragma once

#include <string_view>

#include "core/dtype.h"

namespace parallax {

struct Profile {
  std::string_view name;
  // Worst error of a transcendental function, in units in the last place of its result, and an absolute one on top.
  double function_ulp = 4;
  double function_absolute = 0;
  // Worst error of a square root that is no number of its dtype, in units in the last place of the dtype it is computed
  // in (f32 for the halves). IEEE 754 rounds it correctly; roots that are numbers come out exact either way.
  double root_ulp = 0.5;
  bool flush_to_zero = false;         // subnormal results may become 0
  bool rounding_mode_open = false;    // round to zero is allowed: the unit roundoff doubles
  bool half_accumulates_half = false; // f16 and bf16 sums may be carried in their own dtype, not in f32
  bool max_drops_nan = false;         // max, min, relu, clamp may return the other operand for NaN
  bool promises_identity = false;     // outputs share storage with inputs, buffers and each other exactly as in eager

  // The unit roundoff of one operation into `dtype`.
  double unit_roundoff(DType dtype) const { return info(dtype).unit_roundoff * (rounding_mode_open ? 2 : 1); }
  // The absolute error of one rounding near zero. Half of f64's smallest subnormal is no double: there it is the whole.
  double underflow(DType dtype) const {
    if (flush_to_zero) return info(dtype).smallest_normal;
    return dtype == DType::F64 ? info(dtype).smallest_subnormal : info(dtype).smallest_subnormal / 2;
  }
};

// The profile of that name ("eager", "portable", "executorch"), or null.
const Profile* find_profile(std::string_view name);

}  // namespace parallax
