// Acceptance: whether one element that a target handed back lies in the oracle's ball, and how sharp the ball is.
#pragma once

#include "core/tensor.h"
#include "oracle/interpreter.h"

namespace parallax {

// Whether one element lies in the ball: in [round_down(mid - radius), round_up(mid + radius)] of its dtype, or a NaN or
// infinity that the ball allows. Undecided balls take anything.
bool accepts(DType dtype, const Ball& ball, double got);

// Whether an element lies in what is expected there: its alternatives, or else its ball or integer.
bool accepts(const BallTensor& expected, const Tensor& got, int64_t element);

// How many standard deviations from the centre an element is suspect: no verdict by itself
// (fuzz/findings/adjudicate.h).
inline constexpr double suspicion_deviations = 8;
bool is_suspect(const Ball& ball, double got);

// The bits of an inexact element that its ball proves: log2 of its magnitude over its radius, rounded down.
int proved_bits(const Ball& ball);

// How many radii of its bound an element lies outside it, of alternatives the nearest one; infinite where the bound is
// exact, and for what is no number.
double excess_of(const BallTensor& expected, const Tensor& got, int64_t element);

// Whether an element of two tensors of the expected type is the same number, or both are NaN, or it is undecided. One
// that may be NaN as well as a number may be so in one of them.
bool is_same_or_undecided(const BallTensor& expected, const Tensor& a, const Tensor& b, int64_t element);

}  // namespace parallax
