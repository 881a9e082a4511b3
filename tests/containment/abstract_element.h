// Abstract elements: what the oracle may know of one element, drawn by kind, and numbers that such an element stands
// for.
#pragma once

#include <random>

#include "core/dtype.h"
#include "ops/ball.h"

namespace parallax {

// What an operand's elements are like, drawn once a tensor: a tensor of ordinary numbers holds a special one only now
// and then, as the tensors of real graphs do.
class AbstractElements {
 public:
  AbstractElements(DType dtype, std::mt19937_64& random);

  // For a floating dtype.
  Ball draw_ball();
  // For an integer dtype or bool: `value`, or undecided.
  IntegerBall draw_integer(int64_t value);

 private:
  DType dtype_;
  std::mt19937_64* random_;
  int special_percent_;
  double scale_;
};

// A number that the ball stands for, a value of the dtype: an end, a zero of either sign, an infinity or a NaN where
// the ball may hold one, or a number between.
double draw_member(DType dtype, const Ball& ball, std::mt19937_64& random);
// An integer that an undecided element may be; `value` where it is decided. `reach` limits what is drawn for it.
int64_t draw_member(DType dtype, const IntegerBall& integer, int64_t reach, std::mt19937_64& random);

}  // namespace parallax
