// SureQuotient: what is quantized to one integer in every way that a profile may allow, as most numbers are.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/quantization_plan.h"

namespace parallax {

// A quotient that is far from every boundary: a division of doubles tells the integer, many times as fast as the steps
// of an implementation in all their ways.
class SureQuotient {
 public:
  SureQuotient(const CallProfile& profile, const NumberParameters& numbers, DType dtype);

  // The integer; nothing of a number that lies near a boundary, is too large or is not decided.
  std::optional<int64_t> of(const Ball& x) const;

 private:
  double finished(double quotient) const;

  double scale_;
  double zero_point_;
  double low_;
  double high_;
  double relative_;  // how far the steps may be off together, relative to the quotient
  bool applies_ = false;
};

}  // namespace parallax
