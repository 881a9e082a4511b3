// Products of matrices in double.
#pragma once

#include <optional>
#include <vector>

#include "ops/contraction.h"

namespace parallax {

// result[b][i][j] = sum over k of left[b][i][k] * right[b][j][k], all row-major.
struct PlainProduct {
  int64_t batches = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t inner = 1;

  std::vector<double> operator()(const std::vector<double>& left, const std::vector<double>& right) const;
};

// The plain kernel of a contraction: alpha * product + beta * addend.
bool contract_plainly(const ReferenceCall& call, ParameterRef left, ParameterRef right, const Contraction& contraction,
                      const Scaling& scaling);

}  // namespace parallax
