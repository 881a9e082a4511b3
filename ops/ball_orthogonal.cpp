#include "ops/ball_orthogonal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/limits.h"
#include "ops/ball_functions.h"

namespace parallax {
namespace {

using Real = long double;
using Family = OrthogonalFamily;

// Recurrences are followed to this degree.
constexpr int most_steps = 64;

bool is_chebyshev(Family family) { return family <= Family::ChebyshevW; }
bool is_hermite(Family family) { return family == Family::HermiteH || family == Family::HermiteHe; }

// p[k + 1] = (a p[k] - b p[k - 1]) / divisor.
template <class Number>
struct Step {
  Number a = 0;
  Number b = 0;
  Number divisor = 1;
};

template <class Number>
Step<Number> step_of(Family family, Number x, int k) {
  const auto degree = static_cast<Number>(k);
  switch (family) {
    case Family::HermiteH:
      return {2 * x, 2 * degree, 1};
    case Family::HermiteHe:
      return {x, degree, 1};
    case Family::Laguerre:
      return {2 * degree + 1 - x, degree, degree + 1};
    case Family::Legendre:
      return {(2 * degree + 1) * x, degree, degree + 1};
    default:
      return {2 * x, 1, 1};
  }
}

// p[1]; p[0] is 1.
template <class Number>
Number first_of(Family family, Number x) {
  switch (family) {
    case Family::ChebyshevU:
    case Family::HermiteH:
      return 2 * x;
    case Family::ChebyshevV:
      return 2 * x - 1;
    case Family::ChebyshevW:
      return 2 * x + 1;
    case Family::Laguerre:
      return 1 - x;
    default:
      return x;
  }
}

// How many roundings a itself takes, each as large as that of 1: Laguerre's is two sums, Legendre's a product, and that
// of a shifted polynomial, 4 x - 2 = 2 (2 x - 1), a sum in any order.
double rounding_of_a(Family family, bool shifted, int k, double reach) {
  if (shifted) return 6 * reach + 2;
  if (family == Family::Laguerre) return 2 * (2 * k + 1 + reach);
  return family == Family::Legendre ? (2 * k + 1) * reach : 0;
}

// One number a degree.
using ByDegree = std::array<double, most_steps + 2>;

// What the results of a recurrence are off by: as x is, and as each step rounds.
struct RecurrenceError {
  double inherited = 0;
  double rounding = 0;
};

// The recurrence at one point and what its rounding makes of it.
class Recurrence {
 public:
  Recurrence(const BallMath& math, Family family, bool shifted, double x, int degree);

  Real value() const { return values_[static_cast<std::size_t>(degree_)]; }
  // Whether each step is a number of the dtype, so that nothing rounds.
  bool exact() const { return exact_; }
  // The largest magnitude on the way.
  double largest() const { return largest_; }
  // What rounding adds up to at x itself: each error obeys the recurrence from the step that makes it, which is
  // followed backwards from the result.
  double error_at_point() const;
  // The same for all points within `radius` of x, as bounds of magnitudes that are carried forwards.
  RecurrenceError error_within(double radius) const;
  // The same for Chebyshev polynomials, where an error grows as U does, and slopes are known.
  RecurrenceError chebyshev_error_within(double radius) const;

 private:
  double magnitude(int k) const { return static_cast<double>(std::fabs(values_[static_cast<std::size_t>(k)])); }
  double first_error(double reach, double magnitude_of_first) const;
  double step_error(int k, double reach, double at, double before, double next) const;
  double amplified(int degree, const ByDegree& errors) const;

  const BallMath* math_;
  Family family_;
  bool shifted_;
  double x_;
  int degree_;
  std::array<Real, most_steps + 2> values_{};
  bool exact_ = true;
  double largest_ = 1;
};

// Whether the product of two numbers is a third, and the dtype holds it.
bool holds_product(const BallMath& math, Real a, Real b) {
  const Real product = a * b;
  const bool exact = a == 0 || b == 0 || (std::fabs(product) > 0x1p-900L && std::fma(a, b, -product) == 0);
  return exact && static_cast<Real>(static_cast<double>(product)) == product &&
         math.holds(static_cast<double>(product));
}

Recurrence::Recurrence(const BallMath& math, Family family, bool shifted, double x, int degree)
    : math_(&math), family_(family), shifted_(shifted), x_(x), degree_(degree) {
  const auto point = static_cast<Real>(x);
  values_[0] = 1;
  values_[1] = first_of<Real>(family, point);
  const auto held = [&](Real value) {
    return static_cast<Real>(static_cast<double>(value)) == value && math.holds(static_cast<double>(value));
  };
  exact_ = held(values_[1]);
  // The sums on the way to 4 x - 2.
  if (shifted) exact_ = exact_ && held(1.5L * point + 0.5L) && held(2 * point + 1);
  largest_ = std::max(1.0, static_cast<double>(std::fabs(values_[1])));
  for (int k = 1; k < degree; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Step<Real> step = step_of<Real>(family, point, k);
    const Real gained = step.a * values_[at];
    const Real lost = step.b * values_[at - 1];
    values_[at + 1] = (gained - lost) / step.divisor;
    const bool difference_is_exact = gained - values_[at + 1] == lost && values_[at + 1] + lost == gained;
    exact_ = exact_ && step.divisor == 1 && holds_product(math, step.a, values_[at]) &&
             holds_product(math, step.b, values_[at - 1]) && difference_is_exact && held(values_[at + 1]);
    largest_ = std::max(
        largest_, static_cast<double>(std::max({std::fabs(gained), std::fabs(lost), std::fabs(values_[at + 1])})));
  }
}

double Recurrence::first_error(double reach, double magnitude_of_first) const {
  const double shift = shifted_ ? rounding_of_a(family_, shifted_, 0, reach) : 0;
  return 2 * math_->rounding(magnitude_of_first) + shift * math_->profile().unit_roundoff(math_->dtype());
}

// One rounding of each product and of their difference, which a divisor divides and rounds once more, and those of a
// before. What the centre loses in long double is in the margin.
double Recurrence::step_error(int k, double reach, double at, double before, double next) const {
  const Step<double> step = step_of(family_, x_, k);
  const double moved =
      std::max(0.0, reach - std::fabs(x_)) * std::fabs(step_of(family_, 1.0, k).a - step_of(family_, 0.0, k).a);
  const double a = std::fabs(step.a) + moved + rounding_of_a(family_, shifted_, k, reach);
  const double unit = math_->profile().unit_roundoff(math_->dtype());
  const double products = (a * at + step.b * before) / step.divisor;
  return unit * (products + (step.divisor == 1 ? 1 : 2) * next) * (1 + 0x1p-9) + 5 * math_->rounding(0);
}

// The sum of the errors made at the steps 1 to `degree`, each times what the rest of the recurrence makes of it.
double Recurrence::amplified(int degree, const ByDegree& errors) const {
  double sum = 0;
  double factor = 1;
  double after = 0;
  double most = 1;
  for (int k = degree; k >= 1; --k) {
    // The factors are a recurrence too, and off by a few of their last bits.
    most = std::max(most, std::fabs(factor));
    sum += errors[static_cast<std::size_t>(k)] * (std::fabs(factor) + 0x1p-40 * most);
    const Step<double> into = step_of(family_, x_, k - 1);
    const Step<double> beyond = step_of(family_, x_, k);
    const double next = into.a / into.divisor * factor - beyond.b / beyond.divisor * after;
    after = factor;
    factor = next;
  }
  return sum;
}

double Recurrence::error_at_point() const {
  ByDegree errors{};
  ByDegree totals{};
  errors[1] = totals[1] = first_error(std::fabs(x_), magnitude(1));
  for (int k = 1; k < degree_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Step<double> step = step_of(family_, x_, k);
    const double next = magnitude(k + 1) + (std::fabs(step.a) * totals[i] + step.b * totals[i - 1]) / step.divisor;
    errors[i + 1] = step_error(k, std::fabs(x_), magnitude(k) + totals[i], magnitude(k - 1) + totals[i - 1], next);
    totals[i + 1] = amplified(k + 1, errors);
  }
  return totals[static_cast<std::size_t>(degree_)];
}

RecurrenceError Recurrence::error_within(double radius) const {
  const double reach = std::fabs(x_) + radius;
  RecurrenceError before;
  RecurrenceError at = {radius * std::fabs(first_of(family_, 1.0) - first_of(family_, 0.0)), 0};
  at.rounding = first_error(reach, magnitude(1) + at.inherited);
  for (int k = 1; k < degree_; ++k) {
    const Step<double> step = step_of(family_, x_, k);
    const double moved = radius * std::fabs(step_of(family_, 1.0, k).a - step_of(family_, 0.0, k).a);
    const double a = std::fabs(step.a) + moved;
    RecurrenceError next;
    next.inherited = (a * at.inherited + moved * magnitude(k) + step.b * before.inherited) / step.divisor;
    next.rounding = (a * at.rounding + step.b * before.rounding) / step.divisor;
    next.rounding += step_error(k, reach, magnitude(k) + at.inherited + at.rounding,
                                magnitude(k - 1) + before.inherited + before.rounding,
                                magnitude(k + 1) + next.inherited + next.rounding);
    before = at;
    at = next;
  }
  return at;
}

// The most that a polynomial of this degree that stays within `height` on [-1, 1] changes where |x| <= reach: as
// height T does (Chebyshev), whose slope is degree U.
double change_of_bounded(double height, int degree, double reach, double radius) {
  const double x = std::max(1.0, reach);
  double before = 0;
  double slope = 1;
  for (int k = 1; k < degree; ++k) {
    const double next = 2 * x * slope - before;
    before = slope;
    slope = next;
  }
  return height * degree * slope * radius * (1 + 0x1p-40);
}

double height_of(Family family, int degree) {
  if (family == Family::ChebyshevU) return degree + 1;
  return family == Family::ChebyshevV || family == Family::ChebyshevW ? 2 * degree + 1 : 1;
}

// An error made at a step is multiplied by U of the degree that is left, which is largest at the end of the interval or
// at 1.
RecurrenceError Recurrence::chebyshev_error_within(double radius) const {
  const double reach = std::fabs(x_) + radius;
  ByDegree growth{};
  growth[0] = 1;
  growth[1] = 2 * std::max(1.0, reach);
  for (std::size_t k = 2; k < growth.size(); ++k) growth[k] = growth[1] * growth[k - 1] - growth[k - 2];
  ByDegree errors{};
  ByDegree totals{};
  ByDegree changes{};
  for (int k = 1; k <= degree_; ++k) {
    changes[static_cast<std::size_t>(k)] = change_of_bounded(height_of(family_, k), k, reach, radius);
  }
  errors[1] = totals[1] = first_error(reach, magnitude(1) + changes[1]);
  for (int k = 1; k < degree_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double next = magnitude(k + 1) + changes[i + 1] + growth[1] * totals[i] + totals[i - 1];
    errors[i + 1] = step_error(k, reach, magnitude(k) + changes[i] + totals[i],
                               magnitude(k - 1) + changes[i - 1] + totals[i - 1], next);
    for (std::size_t j = 1; j <= i + 1; ++j) totals[i + 1] += errors[j] * growth[i + 1 - j];
  }
  const auto last = static_cast<std::size_t>(degree_);
  return {changes[last], totals[last]};
}

Ball by_recurrence(const BallMath& math, Family family, bool shifted, const Ball& x, int degree) {
  const Recurrence recurrence(math, family, shifted, x.mid, degree);
  const auto value = static_cast<double>(recurrence.value());
  if (!std::isfinite(value) || !std::isfinite(recurrence.largest())) return Ball::unknown(Undecided::Unbounded);
  if (x.radius == 0 && recurrence.exact()) return Ball::exact(value);
  RecurrenceError error;
  if (x.radius == 0) {
    error.rounding = recurrence.error_at_point();
  } else if (is_chebyshev(family)) {
    error = recurrence.chebyshev_error_within(x.radius);
  } else {
    error = recurrence.error_within(x.radius);
    if (family == Family::Legendre) {
      const double change = change_of_bounded(1, degree, reach(x), x.radius);
      error.inherited = std::min(error.inherited, change);
    }
  }
  Ball result = math.with_error(value, error.inherited, error.rounding);
  if (!result.decided()) return result;
  if (recurrence.largest() + result.radius < largest_computed(math) / 8) return result;
  // Rounded toward zero, a step over the largest number is that number, and the next ones go on from it.
  if (math.profile().rounding_mode_open) return Ball::unknown(Undecided::Unbounded);
  // Once a step is over the largest number, its infinity meets another.
  result.may_nan = true;
  result.may_inf = true;
  return result;
}

// The end that the trigonometric form of V and W does not reach: where the angle's cosine or sine rounds to 1, eager
// takes the value at the end itself, and for the shifted W that of the other end.
Ball with_end(const BallMath& math, Family family, bool shifted, const Ball& x, double degree, const Ball& result) {
  const double near = 8 * math.profile().unit_roundoff(math.dtype());
  const double sign = std::fmod(degree, 2) == 0 ? 1 : -1;
  if (family == Family::ChebyshevV && x.low() < -1 + near) return including(result, sign * (2 * degree + 1));
  if (family != Family::ChebyshevW || x.high() <= 1 - near) return result;
  const Ball at_end = including(result, 2 * degree + 1);
  return shifted ? including(at_end, sign) : at_end;
}

// The trigonometric form between -1 and 1.
Ball by_angle(const BallMath& math, Family family, const Ball& x, double degree) {
  const Ball angle = math.acos(x);
  const Ball half = math.mul(angle, Ball::exact(0.5));
  const Ball half_more = math.mul(math.scalar(degree + 0.5), angle);
  switch (family) {
    case Family::ChebyshevT:
      return math.cos(math.mul(math.scalar(degree), angle));
    case Family::ChebyshevU:
      return math.div(math.sin(math.mul(math.scalar(degree + 1), angle)), math.sin(angle));
    case Family::ChebyshevV:
      return math.div(math.cos(half_more), math.cos(half));
    default:
      return math.div(math.sin(half_more), math.sin(half));
  }
}

// Infinities and NaN take the recurrence as floating point does; eager stops at the first NaN, and then returns what
// it has not set.
Ball at_not_finite(Family family, double x, double degree) {
  double before = 1;
  double at = first_of(family, x);
  for (int k = 1; k < degree; ++k) {
    if (std::isnan(at)) return is_hermite(family) || k > 1 ? Ball::exact(nan) : Ball::unknown(Undecided::Uninitialized);
    const Step<double> step = step_of(family, x, k);
    const double next = (step.a * at - step.b * before) / step.divisor;
    before = at;
    at = next;
  }
  return Ball::exact(at);
}

// The degree from which on eager uses the trigonometric form.
int last_by_recurrence(Family family, bool shifted) {
  if (shifted) return family == Family::ChebyshevW ? 4 : 6;
  return family == Family::ChebyshevT ? 6 : 8;
}

Ball of_degree(const BallMath& math, Family family, bool shifted, const Ball& x, double degree) {
  const bool angular = is_chebyshev(family) && degree > last_by_recurrence(family, shifted);
  if (!std::isfinite(x.mid)) return at_not_finite(family, x.mid, degree);
  if (!angular || x.low() >= 1 || x.high() <= -1) {
    if (degree > most_steps) return Ball::unknown(Undecided::Unbounded);
    return by_recurrence(math, family, shifted, x, static_cast<int>(degree));
  }
  const Ball inside =
      x.radius == 0 ? Ball::exact(x.mid) : ball_of_interval(std::max(-1.0, x.low()), std::min(1.0, x.high()));
  const Ball angular_form = with_end(math, family, shifted, inside, degree, by_angle(math, family, inside, degree));
  if (degree > most_steps) {
    return x.low() < -1 || x.high() > 1 ? Ball::unknown(Undecided::Unbounded) : angular_form;
  }
  return hull(angular_form, by_recurrence(math, family, shifted, x, static_cast<int>(degree)));
}

}  // namespace

Ball ball_orthogonal(const BallMath& math, OrthogonalFamily family, bool shifted, const Ball& x, const Ball& n) {
  if (!n.decided()) return n;
  if (n.may_nan || n.may_inf || !std::isfinite(n.mid) || reach(n) >= 0x1p62) {
    return Ball::unknown(Undecided::CastOutOfRange);
  }
  const double degree = std::trunc(n.low());
  if (degree != std::trunc(n.high())) return Ball::unknown(Undecided::InexactToInteger);
  if (degree < 0) return Ball::exact(0);
  if (degree == 0) return Ball::exact(1);
  if (!x.decided()) return x;
  if (x.may_inf) return Ball::unknown(Undecided::Unbounded);
  if (x.may_nan && degree > 1 && !is_hermite(family)) return Ball::unknown(Undecided::Uninitialized);
  const Ball known = {x.mid, x.radius, false, false, Undecided::No};
  const Ball at = shifted ? math.sub(math.mul(Ball::exact(2), known), Ball::exact(1)) : known;
  if (!at.decided()) return at;
  Ball result = of_degree(math, family, shifted, at, degree);
  if (result.decided() && at.may_inf) {
    result.may_nan = true;
    result.may_inf = true;
  }
  if (result.decided()) result.may_nan = result.may_nan || x.may_nan;
  return result;
}

}  // namespace parallax
