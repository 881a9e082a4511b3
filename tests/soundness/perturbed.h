// Perturbed: the arithmetic of one conforming implementation, drawn at random from all that a profile allows.
//
// It works on plain doubles and shares no code with the oracle: rounding to a format is done on the bits. What an
// implementation may choose is drawn once a run, as one implementation has it: the order of its sums, whether it uses
// FMA, whether it computes in the dtype, in f32 or in a wider type, which way it rounds where that is open, whether it
// flushes subnormals, and how far off its functions are.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/call_profile.h"

namespace parallax {

// A binary float format, rounded to on the bits of a double.
struct FloatFormat {
  explicit FloatFormat(DType dtype);

  // To nearest, ties to even, with infinity over the largest number; or toward zero, which stays at that. In f64 x is
  // what the hardware rounded already.
  double round(double x, bool toward_zero) const;
  // The unit in the last place of x.
  double ulp(double x) const;

  DType dtype;
  int precision;
  double smallest_subnormal;
  double smallest_normal;
  double largest;
};

// How one implementation works.
struct Habits {
  enum class Order : uint8_t { Sequential, Reversed, Pairwise, Shuffled, Lanes };
  enum class FunctionError : uint8_t { None, Up, Down, Either, Any };

  Order order = Order::Sequential;
  int lanes = 1;
  bool fma = false;
  bool toward_zero = false;
  bool flushes = false;
  // Its results and intermediates are kept as wide as they are computed, where nothing makes it store them.
  bool fused = false;
  FunctionError function_error = FunctionError::None;
  bool other_form = false;  // of two usual formulas for one thing, the second
  std::mt19937_64 random;
};

// Arithmetic at one level of an implementation: of single elements, or of its accumulators.
class Arithmetic {
 public:
  // Rounds to `width`; the errors of functions are counted in units of `nominal`.
  Arithmetic(const CallProfile& profile, Habits& habits, DType nominal, DType width);

  DType width() const { return width_.dtype; }
  double round(double x) const;
  double add(double a, double b) const { return round(a + b); }
  double sub(double a, double b) const { return round(a - b); }
  // A factor of 1 does not round.
  double mul(double a, double b) const { return std::fabs(a) == 1 || std::fabs(b) == 1 ? a * b : round(a * b); }
  double div(double a, double b) const { return round(a / b); }
  // a b + c, rounded once or twice.
  double fma(double a, double b, double c) const { return habits_->fma ? round(std::fma(a, b, c)) : add(mul(a, b), c); }
  double sqrt(double x) const;
  // A function's result, as far off as the profile allows. `f` takes double and long double: in f64 the longer one
  // tells what double's own function is off by.
  template <class Function>
  double fn(Function f, double x) const {
    if (nominal_.dtype != DType::F64) return off(f(x), function_ulp_);
    return off(f(static_cast<long double>(x)), function_ulp_);
  }
  template <class Function>
  double fn(Function f, double x, double y) const {
    if (nominal_.dtype != DType::F64) return off(f(x, y), function_ulp_);
    return off(f(static_cast<long double>(x), static_cast<long double>(y)), function_ulp_);
  }
  // C99 has a base of 1 and an exponent of 0 exact, and so has everybody.
  double pow(double a, double b) const {
    return a == 1 || b == 0 ? 1 : fn([](auto x, auto y) { return std::pow(x, y); }, a, b);
  }

  // In the implementation's order, each addition rounded; 0 of nothing.
  double sum(std::span<const double> terms) const;
  double dot(std::span<const double> a, std::span<const double> b) const;
  double product(std::span<const double> factors) const;

 private:
  double flushed(double x) const;
  double off(long double exact, double units) const;
  double pairwise(std::span<const double> terms) const;
  std::vector<std::size_t> order(std::size_t count) const;

  Habits* habits_;
  FloatFormat nominal_;
  FloatFormat width_;
  double function_ulp_;
  double root_ulp_;
  FloatFormat root_format_;
};

class Perturbed {
 public:
  Perturbed(DType dtype, const CallProfile& profile, uint64_t seed);
  Perturbed(const Perturbed&) = delete;
  Perturbed& operator=(const Perturbed&) = delete;

  DType dtype() const { return dtype_; }
  const Habits& habits() const { return habits_; }
  // Whether it takes a form that the profile allows. Halves are carried as the arithmetic below says.
  bool takes(Form form) const { return taken_.has(form); }
  const Arithmetic& element() const { return element_; }
  const Arithmetic& accumulator() const { return accumulator_; }
  // Of places between elements, which are at least of f32.
  const Arithmetic& index() const { return index_; }

  double add(double a, double b) const { return element_.add(a, b); }
  double sub(double a, double b) const { return element_.sub(a, b); }
  double mul(double a, double b) const { return element_.mul(a, b); }
  double div(double a, double b) const { return element_.div(a, b); }
  double fma(double a, double b, double c) const { return element_.fma(a, b, c); }
  double sqrt(double x) const { return element_.sqrt(x); }
  template <class Function>
  double fn(Function f, double x) const {
    return element_.fn(f, x);
  }
  template <class Function>
  double fn(Function f, double x, double y) const {
    return element_.fn(f, x, y);
  }
  // Sums as the profile lets them be carried.
  double sum(std::span<const double> terms) const { return accumulator_.sum(terms); }
  double dot(std::span<const double> a, std::span<const double> b) const { return accumulator_.dot(a, b); }

  double maximum(double a, double b) const;
  double minimum(double a, double b) const { return -maximum(-a, -b); }

  // A Python number as the implementation has it: rounded to the dtype, or not.
  double number(double x) const { return habits_.fused ? x : format_.round(x, false); }
  // A number of the formula itself, as what is computed in has it.
  double constant(double x) const { return FloatFormat(element_.width()).round(x, false); }
  // What is put into a tensor of the dtype. Moving a subnormal does not flush it.
  double store(double x) const;
  // What is put there by some implementations only.
  double kept(double x) const { return habits_.fused ? x : store(x); }
  // Whether it takes the second of two usual formulas.
  bool other_form() const { return habits_.other_form; }

 private:
  DType dtype_;
  FormSet taken_;
  Habits habits_;
  FloatFormat format_;
  Arithmetic element_;
  Arithmetic accumulator_;
  Arithmetic index_;
};

}  // namespace parallax
