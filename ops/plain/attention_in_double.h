// Attention in double.
#pragma once

#include <vector>

#include "ops/attention_plan.h"
#include "ops/op.h"

namespace parallax {

// What softmax(scale query key^T + mask) value is made of, by batch and query: the results, the weights of the keys and
// the logarithm of the sum of the scores' exponentials.
struct PlainAttention {
  std::vector<double> results;
  std::vector<double> weights;
  std::vector<double> log_sums;
};

// Nothing where an operand is no exact number, or a query has no key left.
std::optional<PlainAttention> attend_plainly(const ReferenceCall& call, const AttentionPlan& plan);

}  // namespace parallax
