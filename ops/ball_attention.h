// BallAttention: one row of an attention, sound for one softmax over all scores and for one that goes on block by
// block.
//
// A result is an average of the values, weighted by the softmax of the scores: so whatever the scores' errors are, it
// lies in the hull of the values that have a weight, but for the roundings of the sums.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/ball_dot.h"

namespace parallax {

class BallAttention {
 public:
  // Of queries, keys and values of the dtype, with scores times `scale`.
  BallAttention(DType dtype, const CallProfile& profile, double scale);

  // The dtype that scores are computed in: f32 for halves, unless the profile carries them as they are.
  DType accumulator() const { return math_.dtype(); }

  // The scaled score of a query and a key.
  Ball score(std::span<const Factor> query, std::span<const Factor> key) const;
  // The score with what a mask adds to it; -inf takes the key out.
  Ball masked(const Ball& score, const Ball& mask) const;

  // The weights of a row of scores; all 0 where every key is taken out.
  std::vector<Ball> weights(std::span<const Ball> scores) const;
  // The logarithm of the sum of the scores' exponentials; 0 where every key is taken out, as eager's kernel has it.
  Ball log_sum(std::span<const Ball> scores) const;
  // The weighted average of one column of the values, in the dtype. `scores` are those that the weights are of.
  Ball average(std::span<const Ball> scores, std::span<const Ball> weights, std::span<const Factor> values) const;

 private:
  // The relative error that rescaling sums leaves in each of them.
  double rescaling(std::span<const Ball> scores) const;
  double exponential_error(double farthest) const;
  std::optional<Ball> hull_of(std::span<const Ball> weights, std::span<const Factor> values, double relative) const;

  DType dtype_;
  CallProfile profile_;
  BallMath math_;    // of the accumulator
  BallMath stored_;  // of the dtype
  double scale_;
  bool splits_scale_;  // the root of the scale, which goes on both factors, rounds
};

}  // namespace parallax
