// Op coverage: which ops are known for which dtypes, found by drawing calls and not by a list.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ops/op.h"

namespace parallax {

struct OpCoverage {
  const Op* op = nullptr;
  // Whether the generator draws it.
  bool generated = false;
  // By DType of the first tensor operand: whether a drawn call infers. Nothing where no call could be drawn, as for an
  // op without a sample.
  std::optional<std::array<bool, dtype_count>> dtypes;
};

// One entry an op of the registry, in its order. The same on every machine.
std::vector<OpCoverage> op_coverage();

}  // namespace parallax
