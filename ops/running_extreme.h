// RunningExtreme: the largest (or smallest) of a lane's elements so far and where it stands, for argmax, max and
// cummax.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// Which of equal extremes counts, and which of several NaN: a NaN is larger and smaller than any number.
enum class OfEqual { First, Last };

template <class Element>  // Ball or IntegerBall
class RunningExtreme {
 public:
  // `math` decides what becomes of a NaN; integers do not use it.
  RunningExtreme(const BallMath& math, bool smallest, OfEqual counts)
      : math_(&math), smallest_(smallest), counts_(counts) {}

  // The lane's next element, and the storage element it lies in: a tie with itself is no question.
  void add(const Element& x, int64_t element);
  // The extreme of what was added, which is something.
  Element value() const;
  // Its place in the lane, or undecided where several elements may be the extreme.
  IntegerBall index() const { return index_; }

 private:
  const BallMath* math_;
  bool smallest_;
  OfEqual counts_;
  int64_t added_ = 0;
  Element largest_;             // of the elements, negated where the smallest is wanted
  Element any_;                 // the hull of the elements, likewise; of balls alone
  bool all_can_be_nan_ = true;  // of balls alone
  IntegerBall index_;
  int64_t element_ = -1;  // where the extreme lies, or -1 where it is not known
};

extern template class RunningExtreme<Ball>;
extern template class RunningExtreme<IntegerBall>;

}  // namespace parallax
