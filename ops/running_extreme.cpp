#include "ops/running_extreme.h"

#include <algorithm>
#include <type_traits>

#include "core/limits.h"

namespace parallax {
namespace {

enum class Order { Below, Tie, Above, Unknown };

// How a newcomer stands to the largest so far. NaN stands above all numbers, and ties with NaN, so that the last NaN
// and the first one need no other element to be known.
Order order(const BallMath& math, OfEqual counts, const Ball& x, const Ball& largest) {
  if ((is_definite_nan(x) || is_definite_nan(largest)) && math.allows(Form::DroppedNan)) return Order::Unknown;
  if (is_definite_nan(x) && counts == OfEqual::Last) return Order::Above;
  if (is_definite_nan(largest) && counts == OfEqual::First) return Order::Below;
  if (!x.decided() || !largest.decided()) return Order::Unknown;
  if (is_definite_nan(x)) return largest.may_nan ? Order::Unknown : Order::Above;
  if (x.may_nan) return Order::Unknown;
  if (is_definite_nan(largest)) return Order::Below;
  if (largest.may_nan) return Order::Unknown;
  if (x.is_exact() && largest.is_exact() && x.mid == largest.mid) return Order::Tie;
  if (lowest(x) > highest(largest)) return Order::Above;
  if (highest(x) < lowest(largest)) return Order::Below;
  return Order::Unknown;
}

Order order(const BallMath&, OfEqual, const IntegerBall& x, const IntegerBall& largest) {
  if (x.undecided != Undecided::No || largest.undecided != Undecided::No) return Order::Unknown;
  return x.value == largest.value ? Order::Tie : x.value > largest.value ? Order::Above : Order::Below;
}

Ball larger(const BallMath& math, const Ball& a, const Ball& b) { return math.maximum(a, b); }

IntegerBall larger(const BallMath&, const IntegerBall& a, const IntegerBall& b) {
  return {std::max(a.value, b.value), a.undecided != Undecided::No ? a.undecided : b.undecided};
}

Ball reversed(const BallMath& math, const Ball& x) { return math.neg(x); }
// The complement turns the order around without overflow.
IntegerBall reversed(const BallMath&, const IntegerBall& x) { return {~x.value, x.undecided}; }

}  // namespace

template <class Element>
void RunningExtreme<Element>::add(const Element& x, int64_t element) {
  const Element candidate = smallest_ ? reversed(*math_, x) : x;
  const int64_t place = added_++;
  const bool same = element == element_;
  const Order found = place == 0 ? Order::Above : same ? Order::Tie : order(*math_, counts_, candidate, largest_);
  largest_ = place == 0 || found == Order::Above ? candidate : larger(*math_, largest_, candidate);
  if constexpr (std::is_same_v<Element, Ball>) {
    // A NaN that is dropped takes along what it had absorbed, in an order that nobody promises: any element may be
    // left.
    any_ = place == 0 ? candidate : hull(any_, candidate);
    all_can_be_nan_ = all_can_be_nan_ && can_be_nan(candidate);
    if (math_->allows(Form::DroppedNan) && can_be_nan(any_)) largest_ = any_;
  }
  if (found == Order::Above || (found == Order::Tie && counts_ == OfEqual::Last)) {
    index_ = {place, Undecided::No};
    element_ = element;
  } else if (found == Order::Unknown) {
    index_ = {0, Undecided::InexactCompare};
    element_ = -1;
  }
}

template <class Element>
Element RunningExtreme<Element>::value() const {
  Element largest = largest_;
  if constexpr (std::is_same_v<Element, Ball>) {
    // Where each element may be dropped, what is left is what a fold starts from: -infinity or the lowest number.
    if (math_->allows(Form::DroppedNan) && all_can_be_nan_ && largest.decided()) {
      largest = including(including(largest, -info(math_->dtype()).max_finite), -infinity);
    }
  }
  return smallest_ ? reversed(*math_, largest) : largest;
}

template class RunningExtreme<Ball>;
template class RunningExtreme<IntegerBall>;

}  // namespace parallax
