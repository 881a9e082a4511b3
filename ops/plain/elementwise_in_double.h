// Functions of elements in double.
#pragma once

#include "ops/op.h"

namespace parallax {

// The plain kernel of a function of one operand, whose further arguments are those of the call.
bool compute_plainly(const ReferenceCall& call, double (*function)(double x, const ReferenceCall& call));

// That of a function of two operands, tensors or numbers, by these parameters: function(a, scale b).
struct PlainPair {
  ParameterRef a;
  ParameterRef b;
  double scale = 1;
};
bool compute_plainly(const ReferenceCall& call, const PlainPair& pair, double (*function)(double a, double b));

}  // namespace parallax
