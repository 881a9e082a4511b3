#include "ops/sure_quotient.h"

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

constexpr double exact_sums = 0x1p22;  // whole numbers whose sums f32 holds

}  // namespace

SureQuotient::SureQuotient(const CallProfile& profile, const NumberParameters& numbers, DType dtype)
    : scale_(numbers.scale.value),
      zero_point_(numbers.zero_point.value),
      low_(numbers.low.value),
      high_(numbers.high.value),
      // The scale, its reciprocal, the product and the half that is added are rounded by at most 2^-23 each.
      relative_(0x1p-20 + 0x1p-22 * static_cast<double>(profile.error_of(FunctionKind::Division, DType::F32).ulp)) {
  const DTypeInfo& limits = info(dtype);
  const bool points =
      numbers.scale.is_point() && numbers.zero_point.is_point() && numbers.low.is_point() && numbers.high.is_point();
  // Its reciprocal is normal then, and a subnormal operand that is flushed changes less than the margin.
  const bool usual_scale = scale_ >= 0x1p-100 && scale_ <= 0x1p100;
  const bool usual_limits = low_ <= high_ && low_ >= static_cast<double>(limits.min_integer) &&
                            high_ <= static_cast<double>(limits.max_integer);
  applies_ = points && usual_scale && usual_limits && std::fabs(zero_point_) <= exact_sums &&
             std::max(-low_, high_) <= exact_sums;
}

std::optional<int64_t> SureQuotient::of(const Ball& x) const {
  if (!applies_ || !x.decided() || x.may_nan || x.may_inf) return std::nullopt;
  const double low = x.low() / scale_;
  const double high = x.high() / scale_;
  const double most = std::max(std::fabs(low), std::fabs(high));
  if (!(most <= exact_sums)) return std::nullopt;
  const double margin = most * relative_ + 0x1p-20;
  const double least = finished(low - margin);
  return least == finished(high + margin) ? std::optional(static_cast<int64_t>(least)) : std::nullopt;
}

double SureQuotient::finished(double quotient) const {
  return std::min(std::max(std::nearbyint(quotient) + zero_point_, low_), high_);
}

}  // namespace parallax
