// Tensor comparison: one tensor that a target handed back, element by element against what must be there.
#pragma once

#include "core/tensor.h"
#include "oracle/interpreter.h"
#include "oracle/judgement.h"

namespace parallax {

class TensorComparison {
 public:
  // What is compared is added to the judgement, which must outlive the comparison.
  explicit TensorComparison(Judgement& judgement) : judgement_(judgement) {}

  // Compares the tensor at one place of a run. `radii` takes the radii for the statistics, or is null.
  void tensor(const BallTensor& expected, const Tensor& got, const RunId& run, const Place& place, OutputRadii* radii);

  // Makes the judgement a mismatch, by this divergence where it is the first.
  void diverge(Divergence divergence);

 private:
  Judgement& judgement_;
};

}  // namespace parallax
