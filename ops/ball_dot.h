// Sums of products: the accumulator behind matrix products and convolutions, sound for every order of the additions,
// fused or not, in the accumulator's dtype or a wider one.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ops/ball_math.h"

namespace parallax {

// Whether a ball is finite, decided, and neither NaN nor infinite otherwise: products of two such need no special case.
inline bool is_plain(const Ball& ball) {
  return ball.decided() && !ball.may_nan && !ball.may_inf && std::isfinite(ball.mid);
}

// One operand of many products, with what each of them asks of it worked out once.
struct Factor {
  // Of an exact 0, which has no lowest bit.
  static constexpr int no_bit = std::numeric_limits<int>::max() / 4;

  Factor() = default;
  explicit Factor(const Ball& value);

  Ball ball;
  int lowest = no_bit;  // the exponent of the power of two that mid is an odd multiple of
  bool plain = true;    // see is_plain
  bool zero = true;     // exactly 0: products with it are, and adding them does not round
};

// The elements of a view as factors of the dtype, in row-major order.
std::vector<Factor> factors_of(const BallView& view, const Layout& layout);

// A running sum of products. Where every product is a multiple of 2^q and sum |a b| <= 2^(q + p), p the precision of
// the accumulator, nothing rounds in any order, and the result is exact.
class BallDot {
 public:
  explicit BallDot(const BallMath& math);

  void add(const Factor& a, const Factor& b) {
    if (!a.plain || !b.plain) return add_special(a.ball, b.ball);
    if (a.zero || b.zero) return;
    const double x = std::fabs(a.ball.mid);
    const double y = std::fabs(b.ball.mid);
    mid_ += a.ball.mid * b.ball.mid;
    magnitude_ += x * y;
    squares_ += x * y * (x * y);
    if (a.ball.radius != 0 || b.ball.radius != 0) {
      inexact_ = true;
      spread_ += x * b.ball.radius + a.ball.radius * (y + b.ball.radius);
      add_variance(a.ball, b.ball);
    }
    if (const int lowest = a.lowest + b.lowest; lowest < lowest_) lowest_ = lowest;
    ++products_;
  }

  // Adds what all products of two lanes of plain factors come to, once each of these sums is known (DenseContraction).
  struct Sums {
    double mid = 0;               // sum of a b
    double magnitude = 0;         // sum of |a b|
    double squares = 0;           // sum of (a b)^2
    double spread = 0;            // what the radii make of it: sum of |a| rb + ra (|b| + rb)
    double variance = 0;          // what the deviations do, squared
    double products = 0;          // that are not exactly 0
    int lowest = Factor::no_bit;  // no product is a multiple of less
    bool inexact = false;         // some factor is
  };
  void add(const Sums& sums);

  // Notes a product with a 0 that an implementation may insert (padding) or leave out: it tells where `b` is no number.
  void add_padding(const Factor& b) {
    if (!b.plain) may_nan_ = true;
  }

  // The sum in the dtype of `math`; 0 of nothing.
  Ball result() const { return result(1, Ball::exact(0)); }

  // alpha * sum + addend, for implementations that scale a factor or the sum, start from the addend or add it at the
  // end, and may store what lies between in the result's dtype. A half's sum may be made of up to `stored_parts` parts
  // that are stored and added as halves (col2im adds a column a kernel position).
  Ball result(double alpha, const Ball& addend, int64_t stored_parts = 0) const;

 private:
  void add_special(const Ball& a, const Ball& b);
  void add_variance(const Ball& a, const Ball& b) {
    const double of_a = a.spread() * (std::fabs(b.mid) + b.spread());
    const double of_b = a.mid * b.spread();
    variance_ += of_a * of_a + of_b * of_b;
  }
  bool rounds_factors() const;
  bool on_exact_grid(double alpha, const Ball& addend, DType narrowest) const;
  Inherited error(double alpha, const Ball& addend, int64_t stored_parts) const;

  const BallMath* math_;
  DType accumulator_;
  Undecided undecided_ = Undecided::No;
  bool nan_ = false;
  bool may_nan_ = false;
  int may_inf_terms_ = 0;
  bool plus_infinity_ = false;
  bool minus_infinity_ = false;
  bool any_sign_ = false;  // one of those may have the other sign
  bool inexact_ = false;
  double mid_ = 0;
  double spread_ = 0;     // what the factors' radii make of it
  double magnitude_ = 0;  // the sum of |a b|
  double squares_ = 0;    // the sum of (a b)^2
  double variance_ = 0;   // what the factors' deviations make of the sum, squared
  int64_t products_ = 0;  // that are not exactly 0
  int lowest_ = Factor::no_bit;
};

}  // namespace parallax
