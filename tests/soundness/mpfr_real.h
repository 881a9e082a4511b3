// MpfrReal: a number of 256 bits, and the interval of reals that a computation with it may stand for. For tests that
// need the real image of a function.
#pragma once

#include <mpfr.h>

#include <utility>

namespace parallax {

class MpfrReal {
 public:
  static constexpr mpfr_prec_t bits = 256;

  MpfrReal() { mpfr_init2(value_, bits); }
  MpfrReal(double x) : MpfrReal() { mpfr_set_d(value_, x, MPFR_RNDN); }  // NOLINT: a double is a real
  MpfrReal(const MpfrReal& other) : MpfrReal() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  MpfrReal& operator=(const MpfrReal& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~MpfrReal() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double nearest() const { return mpfr_get_d(value_, MPFR_RNDN); }
  bool is_nan() const { return mpfr_nan_p(value_) != 0; }
  bool is_infinite() const { return mpfr_inf_p(value_) != 0; }

  friend MpfrReal operator+(const MpfrReal& a, const MpfrReal& b) { return of(mpfr_add, a, b); }
  friend MpfrReal operator-(const MpfrReal& a, const MpfrReal& b) { return of(mpfr_sub, a, b); }
  friend MpfrReal operator*(const MpfrReal& a, const MpfrReal& b) { return of(mpfr_mul, a, b); }
  friend MpfrReal operator/(const MpfrReal& a, const MpfrReal& b) { return of(mpfr_div, a, b); }
  friend MpfrReal operator-(const MpfrReal& a) { return of(mpfr_neg, a); }
  friend bool operator<(const MpfrReal& a, const MpfrReal& b) { return mpfr_less_p(a.value_, b.value_) != 0; }
  friend bool operator<=(const MpfrReal& a, const MpfrReal& b) { return mpfr_lessequal_p(a.value_, b.value_) != 0; }

  // A function of MPFR, rounded to nearest at 256 bits.
  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  static MpfrReal of(Unary function, const MpfrReal& x) {
    MpfrReal result;
    function(result.value_, x.value_, MPFR_RNDN);
    return result;
  }
  static MpfrReal of(Binary function, const MpfrReal& x, const MpfrReal& y) {
    MpfrReal result;
    function(result.value_, x.value_, y.value_, MPFR_RNDN);
    return result;
  }

 private:
  mpfr_t value_;
};

inline MpfrReal abs(const MpfrReal& x) { return MpfrReal::of(mpfr_abs, x); }
inline MpfrReal pi() {
  MpfrReal x;
  mpfr_const_pi(x.get(), MPFR_RNDN);
  return x;
}

}  // namespace parallax
