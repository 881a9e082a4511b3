#include "ops/combiner.h"

#include <algorithm>
#include <cmath>

#include "ops/ball_sum.h"
#include "ops/running_extreme.h"

namespace parallax {
namespace {

int64_t floor_divided(int64_t a, int64_t b) {
  // The one quotient that no int64_t holds wraps.
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Eager counts in the dtype itself, where adding ones stops at 2^precision; another implementation may count exactly.
Ball divided(const BallMath& math, const Ball& sum, std::size_t count) {
  const double exact = static_cast<double>(count);
  const double most = std::ldexp(1.0, info(math.dtype()).precision);
  const Ball mean = math.div(sum, Ball::exact(exact));
  return exact <= most ? mean : hull(mean, math.div(sum, Ball::exact(most)));
}

}  // namespace

std::optional<Combine> parse_combine(std::string_view name) {
  if (name == "sum") return Combine::Sum;
  if (name == "prod") return Combine::Product;
  if (name == "mean") return Combine::Mean;
  if (name == "amax") return Combine::Maximum;
  if (name == "amin") return Combine::Minimum;
  return std::nullopt;
}

Combiner::Combiner(const BallView& target, Combine how, bool keeps_self, const CallProfile& profile)
    : target_(&target),
      how_(how),
      keeps_self_(keeps_self),
      // A sum of halves is rounded to the dtype at each step in eager, and may be carried in f32 elsewhere.
      profile_(profile.with(Form::AccumulateInHalf)) {}

void Combiner::add(int64_t element, const BallView& from, int64_t from_element) {
  if (target_->floating()) {
    add(element, from.ball(from_element));
  } else {
    add(element, from.integer(from_element));
  }
}

void Combiner::finish() {
  const BallMath math(target_->floating() ? target_->dtype : DType::F32, profile_);
  for (auto& [element, terms] : balls_) {
    if (keeps_self_) terms.push_back(target_->ball(element));
    target_->ball(element) = combined(math, terms);
  }
  for (auto& [element, terms] : integers_) {
    if (keeps_self_) terms.push_back(target_->integer(element));
    target_->integer(element) = combined(terms);
  }
}

Ball Combiner::combined(const BallMath& math, const std::vector<Ball>& terms) const {
  switch (how_) {
    case Combine::Sum:
    case Combine::Mean: {
      BallSum sum(math);
      for (const Ball& term : terms) sum.add(term);
      return how_ == Combine::Sum ? sum.result() : divided(math, sum.result(), terms.size());
    }
    case Combine::Product: {
      BallProduct product(math);
      for (const Ball& term : terms) product.add(term);
      return product.result();
    }
    case Combine::Maximum:
    case Combine::Minimum: {
      RunningExtreme<Ball> extreme(math, how_ == Combine::Minimum, OfEqual::First);
      for (std::size_t i = 0; i < terms.size(); ++i) extreme.add(terms[i], static_cast<int64_t>(i));
      return extreme.value();
    }
  }
  return Ball::unknown(Undecided::Unbounded);
}

// Integers wrap at every step, which comes to the same as wrapping once; bool takes a sum for `or`, a product for
// `and`.
IntegerBall Combiner::combined(const std::vector<IntegerBall>& terms) const {
  const DType dtype = target_->dtype;
  uint64_t sum = 0;
  uint64_t product = 1;
  int64_t largest = terms.front().value;
  int64_t smallest = largest;
  for (const IntegerBall& term : terms) {
    if (term.undecided != Undecided::No) return {0, term.undecided};
    sum += static_cast<uint64_t>(term.value);
    product *= static_cast<uint64_t>(term.value);
    largest = std::max(largest, term.value);
    smallest = std::min(smallest, term.value);
  }
  const auto wrapped = [dtype](uint64_t x) { return wrap_to(dtype, static_cast<int64_t>(x)); };
  switch (how_) {
    case Combine::Sum:
      return {wrapped(sum)};
    case Combine::Product:
      return {wrapped(product)};
    case Combine::Mean: {
      // The count wraps as well, and eager takes 1 for a count of 0.
      const int64_t count = wrapped(terms.size());
      return {wrapped(static_cast<uint64_t>(floor_divided(wrapped(sum), count == 0 ? 1 : count)))};
    }
    case Combine::Maximum:
      return {largest};
    case Combine::Minimum:
      return {smallest};
  }
  return {};
}

}  // namespace parallax
