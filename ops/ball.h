// Ball: what the oracle knows of one element: every conforming implementation returned a value inside it.
//
// `mid` is the centre in real arithmetic (never rounded to the dtype) and `radius` a sound bound. A definite NaN or
// infinity is a mid of that value with radius 0. See docs/oracle.md for the rules and their sources.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/layout.h"

namespace parallax {

// Why nothing can be said of an element. A closed list: reports count by it.
enum class Undecided : uint8_t {
  No,                // the element is decided
  InexactCompare,    // an inexact value was compared with one in its radius
  InexactToInteger,  // an inexact value was cut to an integer across a breakpoint
  CastOutOfRange,    // float to integer outside the integer's range (undefined in eager)
  SignedZero,        // the result depends on the sign of a zero that is not known
  DuplicateIndex,    // two writes of one element in no defined order
  Unbounded,         // the radius is infinite (a divisor that may be 0, an overflow)
  Uninitialized,     // memory that eager itself leaves undefined
  ShiftOutOfRange,   // a shift by less than 0 bits, or by all of them or more, where the profile leaves it open
};

inline constexpr int undecided_reasons = 9;
std::string_view name(Undecided reason);

// Whether an element may be an infinity in the place of a number of its interval, and of which sign.
class MayInf {
 public:
  constexpr MayInf() = default;
  // True: an infinity of either sign.
  constexpr MayInf(bool either) : kind_(either ? Kind::Either : Kind::No) {}
  // Only the infinity of the sign that the interval's centre has, which is not 0: what overflow makes.
  static constexpr MayInf of_one_sign() {
    MayInf result;
    result.kind_ = Kind::OneSign;
    return result;
  }

  constexpr operator bool() const { return kind_ != Kind::No; }
  constexpr bool is_of_one_sign() const { return kind_ == Kind::OneSign; }

 private:
  enum class Kind : uint8_t { No, OneSign, Either };
  Kind kind_ = Kind::No;
};

struct Ball {
  double mid = 0;
  double radius = 0;
  bool may_nan = false;  // may be NaN instead
  MayInf may_inf;
  Undecided undecided = Undecided::No;
  // The standard deviation of implementations around mid, where roundings are taken as independent; negative where
  // that is not known. Good for suspicion, never for proof.
  float deviation = -1;

  static Ball exact(double x) { return {x, 0, false, false, Undecided::No, -1}; }
  // The radius is infinite, so that what is computed of it without a look at the reason is unbounded too.
  static Ball unknown(Undecided reason) { return {0, std::numeric_limits<double>::infinity(), true, true, reason, -1}; }
  // The deviation, or the radius that stands for it.
  double spread() const { return deviation < 0 ? radius : static_cast<double>(deviation); }

  double low() const { return mid - radius; }
  double high() const { return mid + radius; }
  // One number, known exactly (NaN and infinities included).
  bool is_exact() const { return radius == 0 && !may_nan && !may_inf && undecided == Undecided::No; }
  bool decided() const { return undecided == Undecided::No; }
};

// Whether they hold the same numbers.
inline bool is_same(const Ball& a, const Ball& b) {
  return (a.mid == b.mid || (std::isnan(a.mid) && std::isnan(b.mid))) && a.radius == b.radius &&
         a.may_nan == b.may_nan && a.may_inf == b.may_inf && a.undecided == b.undecided;
}
// The largest magnitude in the interval.
inline double reach(const Ball& ball) { return std::fabs(ball.mid) + ball.radius; }
// The least magnitude in the interval: 0 where it holds zero.
inline double clearance(const Ball& ball) { return std::max(0.0, std::fabs(ball.mid) - ball.radius); }

// An integer or bool element: exact, or undecided for a reason. Of an undecided one it may be known that it lies in an
// interval: a number that is rounded near a tie gives {q, q + 1}. Rules that know no intervals take it as undecided.
struct IntegerBall {
  int64_t value = 0;  // the number, or of an interval the most likely one
  Undecided undecided = Undecided::No;
  // Of an undecided element only.
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  // What lies in [low, high], for that reason where this is not one number.
  static IntegerBall between(int64_t low, int64_t high, int64_t value, Undecided reason) {
    if (low == high) return {low, Undecided::No};
    return {value, reason, low, high};
  }

  bool decided() const { return undecided == Undecided::No; }
  // Whether it is no one number and yet inside of bounds.
  bool is_interval() const {
    return !decided() && low > std::numeric_limits<int64_t>::min() && high < std::numeric_limits<int64_t>::max();
  }
  // The ends of what it can be.
  int64_t lowest() const { return decided() ? value : low; }
  int64_t highest() const { return decided() ? value : high; }
};

// The numbers from the one end of an interval to the other.
Ball interval_as_ball(const IntegerBall& integer);

// The oracle's state of one storage, element by element. Views share it, as tensors do in eager.
struct BallStorage {
  DType dtype = DType::F32;
  std::vector<Ball> balls;            // floating dtypes
  std::vector<IntegerBall> integers;  // integers and bool

  BallStorage() = default;
  BallStorage(DType element, int64_t count);
};

// A tensor over a BallStorage.
struct BallView {
  BallStorage* storage = nullptr;
  DType dtype = DType::F32;
  Layout layout;

  bool floating() const { return is_floating(dtype); }
  Ball& ball(int64_t element) const { return storage->balls[static_cast<std::size_t>(element)]; }
  IntegerBall& integer(int64_t element) const { return storage->integers[static_cast<std::size_t>(element)]; }
  // Any element as a float ball: integers come exact (i64 over 2^53 gets the radius of its rounding).
  Ball as_ball(int64_t element) const;
};

// The storage elements of a view in row-major order: a plain list that kernels index into.
std::vector<int64_t> elements_of(const Layout& layout);

// The same, without a list where the layout is contiguous: for kernels of small tensors, whose memory costs more than
// their arithmetic.
class ViewElements {
 public:
  ViewElements() = default;
  explicit ViewElements(const Layout& layout);

  std::size_t size() const { return count_; }
  int64_t operator[](std::size_t index) const {
    return list_.empty() ? first_ + static_cast<int64_t>(index) : list_[index];
  }

 private:
  std::size_t count_ = 0;
  int64_t first_ = 0;
  std::vector<int64_t> list_;  // of a layout that is not contiguous
};

}  // namespace parallax
