#include "ops/resample.h"

#include <algorithm>

namespace parallax {
namespace {

// A position that spans more texels than this says too little.
constexpr double widest = 6;

// Whether texels can be named: few enough, and exact as numbers.
bool names_texels(const Ball& position) {
  return is_plain(position) && position.radius < widest / 2 && std::fabs(position.mid) < 0x1p52;
}

double hat(double distance) { return std::max(0.0, 1 - std::fabs(distance)); }

// Keys' cubic convolution.
double cubic(double distance) {
  constexpr double a = -0.75;
  const double x = std::fabs(distance);
  if (x >= 2) return 0;
  if (x > 1) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
// The largest slope of that, 1.35, rounded up.
constexpr double cubic_slope = 1.4;
// Its polynomials in Horner's scheme: five roundings of values up to 6, the first of which are doubled three times.
constexpr double cubic_roundings = 64;

}  // namespace

std::optional<Taps1d> linear_taps(const BallMath& math, const Ball& position) {
  if (!names_texels(position)) return std::nullopt;
  const auto first = static_cast<int64_t>(std::floor(position.low()));
  const auto last = static_cast<int64_t>(std::floor(position.high())) + 1;
  Taps1d taps;
  for (int64_t texel = first; texel <= last; ++texel) {
    const auto at = static_cast<double>(texel);
    const double distance = position.mid - at;
    const double weight = hat(distance);
    // What the two differences round by in double (both are exact the other way): in f64 as much as the rest.
    const double lost =
        std::fabs(distance + at - position.mid) + (weight == 0 ? 0 : std::fabs(1 - weight - std::fabs(distance)));
    taps.push_back({texel, math.rounded(weight, position.radius + lost, lost == 0)});
  }
  return taps;
}

std::optional<Taps1d> cubic_taps(const BallMath& math, const Ball& position) {
  if (!names_texels(position)) return std::nullopt;
  const auto first = static_cast<int64_t>(std::floor(position.low())) - 1;
  const auto last = static_cast<int64_t>(std::floor(position.high())) + 2;
  // A distance of k fractional bits has a cube of 3 k; three more are in front of the point.
  const int bits = (info(math.dtype()).precision - 6) / 3;
  const double scaled = std::ldexp(position.mid, bits);
  const bool exact = position.radius == 0 && std::floor(scaled) == scaled;
  Taps1d taps;
  for (int64_t texel = first; texel <= last; ++texel) {
    const double weight = cubic(position.mid - static_cast<double>(texel));
    taps.push_back(
        {texel, exact ? Ball::exact(weight)
                      : math.with_error(weight, cubic_slope * position.radius, cubic_roundings * math.rounding(1))});
  }
  return taps;
}

void store_weights(const BallMath& math, Taps1d& taps) {
  for (Tap& tap : taps) {
    Ball& weight = tap.weight;
    if (weight.radius == 0 && math.holds(weight.mid) && math.holds(1 - weight.mid)) continue;
    weight = math.with_error(weight.mid, weight.radius,
                             math.rounding(std::fabs(weight.mid)) + math.rounding(std::fabs(1 - weight.mid)));
  }
}

std::optional<std::vector<int64_t>> floor_texels(const Ball& position) {
  if (!names_texels(position)) return std::nullopt;
  const auto first = static_cast<int64_t>(std::floor(position.low()));
  const auto last = static_cast<int64_t>(std::floor(position.high()));
  if (last - first > 1) return std::nullopt;
  if (first == last) return std::vector{first};
  return std::vector{first, last};
}

// numerator / denominator * steps - shift, each operation rounded; exact where none of them needs it to be.
Ball ResampledDim::place(const BallMath& math, double numerator, double denominator, double steps, double shift) const {
  if (steps == 0 && shift == 0) return Ball::exact(0);  // whatever the step is rounded to
  const double step = numerator / denominator;
  const double scaled = step * steps;
  const double position = scaled - shift;
  const bool exact = std::fma(step, denominator, -numerator) == 0 && math.holds(step) &&
                     std::fma(step, steps, -scaled) == 0 && math.holds(scaled) && position + shift == scaled &&
                     math.holds(position);
  if (exact) return Ball::exact(position);
  // Two roundings of the step (a quotient, narrowed), one of the product and one of the difference, and as many in the
  // double centre.
  const double unit = math.profile().unit_roundoff(math.dtype()) + 0x1p-53;
  return math.with_error(position, 0, unit * (4 * std::fabs(scaled) + std::fabs(position) + shift));
}

Ball ResampledDim::position(const BallMath& math, int64_t index) const {
  const auto in = static_cast<double>(input);
  const auto out = static_cast<double>(output);
  const auto i = static_cast<double>(index);
  if (align_corners) return output > 1 ? place(math, in - 1, out - 1, i, 0) : Ball::exact(0);
  if (scale && *scale > 0) return place(math, 1, *scale, i + 0.5, 0.5);
  return place(math, in, out, i + 0.5, 0.5);
}

Ball ResampledDim::linear_position(const BallMath& math, int64_t index) const {
  return output == input ? Ball::exact(static_cast<double>(index)) : position(math, index);
}

Ball ResampledDim::nearest_position(const BallMath& math, int64_t index, bool from_centre) const {
  const double steps = static_cast<double>(index) + (from_centre ? 0.5 : 0);
  const bool is_scaled = scale && *scale > 0;
  const Ball stepped = is_scaled ? place(math, 1, *scale, steps, 0)
                                 : place(math, static_cast<double>(input), static_cast<double>(output), steps, 0);
  if (from_centre || (output != input && output != 2 * input)) return stepped;
  const Ball whole = Ball::exact(static_cast<double>(output == input ? index : index >> 1));
  if (!is_scaled) return whole;
  return is_alone ? stepped : hull(whole, stepped);
}

}  // namespace parallax
