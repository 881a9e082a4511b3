// ElementMath: the arithmetic of one element-wise function, halves included.
//
// Implementations compute halves in f32 and round once when they store, unless the profile has them computed as halves.
// Both ways of bounding that are sound: every step rounded to the half, or every step in f32 and the result stored. The
// first hands a value on without widening it, the second is far sharper where something is computed.
#pragma once

#include <optional>

#include "ops/ball_math.h"
#include "ops/cast.h"

namespace parallax {

class ElementMath {
 public:
  ElementMath(DType dtype, const CallProfile& profile) : own_(dtype, profile) {
    const bool half = is_floating(dtype) && size_of(dtype) == 2;
    if (half && !profile.allows(Form::AccumulateInHalf)) wide_ = BallMath(DType::F32, profile).of_elements(dtype);
  }

  // In the dtype itself.
  const BallMath& own() const { return own_; }

  // The result of `compute(math)`, in the dtype.
  template <class Compute>
  Ball operator()(Compute&& compute) const {
    const Ball own = compute(own_);
    if (!wide_ || own.is_exact()) return own;
    const Ball stored = cast_ball(compute(*wide_), DType::F32, own_.dtype(), own_.profile());
    if (!own.decided() || !stored.decided()) return own.decided() ? own : stored;
    return stored.radius < own.radius ? stored : own;
  }

 private:
  BallMath own_;
  std::optional<BallMath> wide_;
};

}  // namespace parallax
