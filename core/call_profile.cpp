#include "core/call_profile.h"

#include <cmath>

namespace parallax {

bool CallProfile::divides_as_ieee(DType dtype, double divisor) const {
  const FunctionError& error = error_of(FunctionKind::Division, dtype);
  if (error.ulp <= 0.5) return true;
  const double size = std::fabs(divisor);
  int exponent = 0;
  const bool is_power = std::frexp(size, &exponent) == 0.5;
  const double least = info(dtype).smallest_normal;
  return error.exact_by_powers && is_power && size >= least && 1 / size >= least;
}

}  // namespace parallax
