// Grade: how much a finding weighs for the system's users, and the numbers it is told by.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "oracle/verdict.h"

namespace parallax {

// The highest first.
enum class Grade : uint8_t {
  Gross,             // wrong without an error, outside of the default tolerances of torch.testing.assert_close
  InsideTolerances,  // wrong without an error, and inside of them
  Edge,              // it takes an edge of an API: no elements, 0-d, NaN, infinity, a subnormal number
  Refusal,           // an error on a valid program
  Crash,             // of the process, or a hang, on a valid program
};
inline constexpr int grade_count = 5;
inline constexpr std::array grades = {Grade::Gross, Grade::InsideTolerances, Grade::Edge, Grade::Refusal, Grade::Crash};

// "gross", "inside tolerances", "edge", "refusal", "crash".
std::string_view name(Grade grade);
std::optional<Grade> parse_grade(std::string_view name);

// The default tolerances of torch.testing.assert_close for a dtype.
struct Tolerances {
  double relative = 0;
  double absolute = 0;

  // As torch.isclose with equal_nan: |actual - expected| <= absolute + relative * |expected|.
  bool accept(double actual, double expected) const;
};
Tolerances default_tolerances(DType dtype);

// Whether a distance in units of the last place tells how many digits are right: where none is, as of a number in the
// place of zero, it does not.
bool tells_digits(double ulps, DType dtype);

// How far one number is from the reference.
struct NumericError {
  double value = 0;
  double ulps = 0;  // of the reference's magnitude, in the tensor's dtype; infinite against NaN or an infinity
};

// What a maintainer asks of wrong numbers, at the element where the target is the farthest from the reference.
struct NumericEvidence {
  std::string place;  // "out[0][1, 2]"
  DType dtype = DType::F32;
  double reference = 0;        // in f64
  std::string reference_from;  // "the oracle in f64", "eager in f64"
  NumericError target;
  std::optional<NumericError> eager;  // in the case's dtype, where it was asked
  int64_t mismatched = 0;             // elements outside of the default tolerances, of all of that tensor …
  int64_t total = 0;

  bool inside_tolerances() const { return mismatched == 0; }
};

NumericError error_of(double value, double reference, DType dtype);
// Lines for a person: the reference, eager, the target, and what assert_close says.
std::string describe(const NumericEvidence& evidence);

// What a grade is told by.
struct Graded {
  Verdict verdict = Verdict::Mismatch;
  bool is_edge = false;  // the case needs an edge of an API
  bool inside_tolerances = false;
};
Grade grade_of(const Graded& graded);

}  // namespace parallax
