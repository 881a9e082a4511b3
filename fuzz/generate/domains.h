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

// What the profiles of targets leave open of a call, beside what it is for all.
struct LeftOpen {
  bool nan = false;        // it may give anything for NaN
  bool quotients = false;  // its quotients are not the nearest number: the floor of one that is whole is open
};

// In `percent` of 100 draws a guard of the op's operand. Nothing is drawn for an op that is a number everywhere, nor
// for one whose domain matters only where something is left open that is not.
std::optional<DomainGuard> draw_domain_guard(Choices& choices, const Op& op, int percent, const LeftOpen& open = {});

}  // namespace parallax
