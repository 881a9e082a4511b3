#include "tests/soundness/perturbed.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/limits.h"

namespace parallax {
namespace {

Habits draw_habits(const CallProfile& profile, uint64_t seed) {
  Habits habits;
  habits.random.seed(seed);
  auto below = [&](uint64_t n) { return habits.random() % n; };
  habits.order = static_cast<Habits::Order>(below(5));
  habits.lanes = 1 << (1 + below(4));
  habits.fma = below(2) == 0;
  habits.toward_zero = profile.rounding_mode_open && below(2) == 0;
  habits.flushes = profile.flush_to_zero && below(2) == 0;
  habits.fused = below(3) == 0;
  habits.function_error = static_cast<Habits::FunctionError>(below(5));
  habits.other_form = below(2) == 0;
  return habits;
}

bool is_half(DType dtype) { return size_of(dtype) == 2; }

// The functions of halves are those of f32, unless the profile has halves computed as halves.
DType element_dtype(DType dtype, const CallProfile& profile) {
  return is_half(dtype) && !profile.allows(Form::AccumulateInHalf) ? DType::F32 : dtype;
}

// Elements are computed in that; halves in f32 in any case now and then, and anything in double.
DType element_width(DType dtype, const CallProfile& profile, Habits& habits) {
  if (habits.fused) return DType::F64;
  return is_half(dtype) && habits.random() % 2 == 0 ? DType::F32 : element_dtype(dtype, profile);
}

DType accumulator_dtype(DType dtype, const CallProfile& profile) {
  return is_half(dtype) && !profile.allows(Form::AccumulateInHalf) ? DType::F32 : dtype;
}

DType accumulator_width(DType dtype, const CallProfile& profile, Habits& habits) {
  if (habits.fused) return DType::F64;
  return is_half(dtype) && habits.random() % 2 == 0 ? DType::F32 : accumulator_dtype(dtype, profile);
}

}  // namespace

FloatFormat::FloatFormat(DType format)
    : dtype(format),
      precision(info(format).precision),
      smallest_subnormal(info(format).smallest_subnormal),
      smallest_normal(info(format).smallest_normal),
      largest(info(format).max_finite) {}

double FloatFormat::round(double x, bool toward_zero) const {
  if (dtype == DType::F64 || !std::isfinite(x)) return x;
  const double magnitude = std::fabs(x);
  if (magnitude < smallest_normal) {
    const double steps = magnitude / smallest_subnormal;
    return std::copysign((toward_zero ? std::trunc(steps) : std::nearbyint(steps)) * smallest_subnormal, x);
  }
  auto bits = std::bit_cast<uint64_t>(magnitude);
  const int dropped = 53 - precision;
  if (!toward_zero) bits += (uint64_t{1} << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  bits &= ~((uint64_t{1} << dropped) - 1);
  const auto rounded = std::bit_cast<double>(bits);
  if (rounded > largest) return std::copysign(toward_zero ? largest : infinity, x);
  return std::copysign(rounded, x);
}

double FloatFormat::ulp(double x) const {
  const double magnitude = std::fabs(x);
  if (magnitude < smallest_normal) return smallest_subnormal;
  return std::ldexp(1.0, std::ilogb(magnitude) - precision + 1);
}

Arithmetic::Arithmetic(const CallProfile& profile, Habits& habits, DType nominal, DType width)
    : habits_(&habits),
      nominal_(nominal),
      width_(width),
      function_ulp_(profile.error_of(FunctionKind::Other, nominal).ulp),
      root_ulp_(profile.error_of(FunctionKind::Sqrt, nominal).ulp),
      // The halves' roots are taken in f32.
      root_format_(is_half(nominal) ? DType::F32 : nominal) {}

double Arithmetic::flushed(double x) const { return habits_->flushes && std::fabs(x) < width_.smallest_normal ? 0 : x; }

double Arithmetic::round(double x) const {
  // Halves are computed with f32's range, wherever they are rounded.
  if (is_half(width_.dtype) && std::fabs(x) > width_.largest)
    return FloatFormat(DType::F32).round(x, habits_->toward_zero);
  return flushed(width_.round(x, habits_->toward_zero));
}

// The error is drawn, and a result between two elements goes to the one nearer to the exact value, so that the largest
// error is met and never passed. Nobody's function crosses 0, or misses it.
double Arithmetic::off(long double exact, double units) const {
  const auto value = static_cast<double>(exact);
  if (!std::isfinite(value) || value == 0) return value;
  double share = 0;
  switch (habits_->function_error) {
    case Habits::FunctionError::None:
      return round(value);
    case Habits::FunctionError::Up:
      share = 1;
      break;
    case Habits::FunctionError::Down:
      share = -1;
      break;
    case Habits::FunctionError::Either:
      share = habits_->random() % 2 == 0 ? 1 : -1;
      break;
    case Habits::FunctionError::Any:
      share = std::ldexp(static_cast<double>(habits_->random() >> 11), -52) - 1;
      break;
  }
  const double unit = nominal_.ulp(value);
  const long double allowed = static_cast<long double>(units) * static_cast<long double>(unit);
  const auto moved = static_cast<double>(exact + static_cast<long double>(share) * allowed);
  double result = width_.round(moved, false);
  if (!std::isfinite(result)) return round(moved);
  for (int steps = 0; std::fabs(static_cast<long double>(result) - exact) > allowed && steps < 4; ++steps) {
    const double step = std::copysign(width_.ulp(result), result - value);
    result = width_.dtype == DType::F64 ? std::nextafter(result, value) : width_.round(result - step, false);
  }
  if (std::signbit(result) != std::signbit(value)) result = 0;
  return flushed(result);
}

double Arithmetic::sqrt(double x) const {
  const double root = std::sqrt(x);
  if (!std::isfinite(root) || std::fma(root, root, -x) == 0) return round(root);
  if (root_ulp_ <= 0.5) return round(root);
  const double share = habits_->function_error == Habits::FunctionError::Down ? -1
                       : habits_->function_error == Habits::FunctionError::Up ? 1
                                                                              : 0;
  const double unit = root_format_.ulp(root);
  double result = root_format_.round(root + share * root_ulp_ * unit, false);
  if (std::fabs(result - root) > root_ulp_ * unit) result = root_format_.round(root, false);
  return round(result);
}

std::vector<std::size_t> Arithmetic::order(std::size_t count) const {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (habits_->order == Habits::Order::Reversed) std::ranges::reverse(places);
  if (habits_->order == Habits::Order::Shuffled) std::ranges::shuffle(places, habits_->random);
  return places;
}

double Arithmetic::pairwise(std::span<const double> terms) const {
  if (terms.size() == 1) return terms[0];
  const std::size_t half = terms.size() / 2;
  return add(pairwise(terms.first(half)), pairwise(terms.subspan(half)));
}

double Arithmetic::sum(std::span<const double> terms) const {
  if (terms.empty()) return 0;
  if (habits_->order == Habits::Order::Pairwise) return pairwise(terms);
  const std::vector<std::size_t> places = order(terms.size());
  const std::size_t lanes =
      habits_->order == Habits::Order::Lanes ? std::min<std::size_t>(terms.size(), habits_->lanes) : 1;
  std::vector<double> partial(lanes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double& lane = partial[i % lanes];
    lane = i < lanes ? terms[places[i]] : add(lane, terms[places[i]]);
  }
  double sum = partial[0];
  for (std::size_t i = 1; i < lanes; ++i) sum = add(sum, partial[i]);
  return sum;
}

double Arithmetic::dot(std::span<const double> a, std::span<const double> b) const {
  if (a.empty()) return 0;
  if (habits_->order == Habits::Order::Pairwise) {
    std::vector<double> products(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) products[i] = mul(a[i], b[i]);
    return pairwise(products);
  }
  const std::vector<std::size_t> places = order(a.size());
  const std::size_t lanes =
      habits_->order == Habits::Order::Lanes ? std::min<std::size_t>(a.size(), habits_->lanes) : 1;
  std::vector<double> partial(lanes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double& lane = partial[i % lanes];
    lane = i < lanes ? mul(a[places[i]], b[places[i]]) : fma(a[places[i]], b[places[i]], lane);
  }
  double sum = partial[0];
  for (std::size_t i = 1; i < lanes; ++i) sum = add(sum, partial[i]);
  return sum;
}

double Arithmetic::product(std::span<const double> factors) const {
  double product = 1;
  for (const std::size_t i : order(factors.size())) product = mul(product, factors[i]);
  return product;
}

Perturbed::Perturbed(DType dtype, const CallProfile& profile, uint64_t seed)
    : dtype_(dtype),
      habits_(draw_habits(profile, seed)),
      format_(dtype),
      element_(profile, habits_, element_dtype(dtype, profile), element_width(dtype, profile, habits_)),
      accumulator_(profile, habits_, accumulator_dtype(dtype, profile), accumulator_width(dtype, profile, habits_)),
      index_(profile, habits_, is_half(dtype) ? DType::F32 : dtype, is_half(dtype) ? DType::F32 : dtype) {
  for (const FormInfo& row : forms) {
    const bool takes = row.form == Form::DroppedNan ? habits_.random() % 2 == 0 : habits_.other_form;
    if (takes && profile.allows(row.form)) taken_.add(row.form);
  }
}

double Perturbed::maximum(double a, double b) const {
  if (std::isnan(a)) return takes(Form::DroppedNan) ? b : a;
  if (std::isnan(b)) return takes(Form::DroppedNan) ? a : b;
  return std::max(a, b);
}

double Perturbed::store(double x) const { return format_.round(x, habits_.toward_zero); }

}  // namespace parallax
