// Cast: one element from one dtype to another, with what is known of it.
#pragma once

#include "core/call_profile.h"
#include "ops/ball.h"

namespace parallax {

// Float to float: adds the destination's rounding unless it holds every value of the source.
Ball cast_ball(const Ball& ball, DType from, DType to, const CallProfile& profile);
// Float to integer (cut towards zero) or bool (whether it is not 0): exact where all values of the ball agree.
IntegerBall ball_to_integer(const Ball& ball, DType to);
// Integer to float.
Ball integer_to_ball(const IntegerBall& integer, DType to, const CallProfile& profile);
// Integer to integer wraps; to bool it is whether it is not 0.
IntegerBall cast_integer(const IntegerBall& integer, DType to);

// Element `from_element` of a floating or integer view as a ball of `dtype`.
Ball element_as_ball(const BallView& view, int64_t element, DType dtype, const CallProfile& profile);
// Element of any view as an integer of `dtype`.
IntegerBall element_as_integer(const BallView& view, int64_t element, DType dtype);

// Converts one storage element into another; equal dtypes copy the state as it is.
void convert_element(const BallView& from, int64_t from_element, const BallView& to, int64_t to_element,
                     const CallProfile& profile);

}  // namespace parallax
