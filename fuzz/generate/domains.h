// Domains: where functions of reals are numbers, and the calls that bring an operand there.
//
// A logarithm of a negative number is NaN, and so is what reads it. A system that may lose NaN may then give anything,
// so that such a graph says little of it.
#pragma once

#include <cstddef>
#include <optional>

#include "core/choices.h"
#include "ops/op.h"

namespace parallax {

// A call that leads an operand into the domain of the function that reads it.
struct DomainGuard {
  const Op* op;         // of one operand; in place where the function is
  std::size_t operand;  // which of the function's it leads
};

// In `percent` of 100 draws a guard of the op's operand. Nothing is drawn for an op that is a number everywhere.
std::optional<DomainGuard> draw_domain_guard(Choices& choices, const Op& op, int percent);

}  // namespace parallax
