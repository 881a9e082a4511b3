#include "corpus/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax {
namespace {

constexpr std::array<std::string_view, grade_count> grade_names = {"gross", "inside tolerances", "edge", "refusal",
                                                                   "crash"};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The spacing of the dtype's numbers at a magnitude.
double ulp_at(DType dtype, double x) {
  const DTypeInfo& about = info(dtype);
  if (!about.floating) return 1;
  const double magnitude = std::max(std::abs(x), about.smallest_normal);
  return std::ldexp(1.0, std::ilogb(magnitude) + 1 - about.precision);
}

// Where units in the last place tell nothing, the difference itself says more.
std::string error_text(const NumericError& error, double reference, DType dtype) {
  if (!std::isfinite(error.ulps)) return fmt::format("{:.9g}", error.value);
  if (tells_digits(error.ulps, dtype)) return fmt::format("{:.9g}, {:.3g} ulp off", error.value, error.ulps);
  return fmt::format("{:.9g}, off by {:.3g}", error.value, std::abs(error.value - reference));
}

}  // namespace

bool tells_digits(double ulps, DType dtype) { return ulps < std::ldexp(1.0, info(dtype).precision); }

std::string_view name(Grade grade) { return grade_names[static_cast<std::size_t>(grade)]; }

std::optional<Grade> parse_grade(std::string_view name) {
  const auto found = std::ranges::find(grade_names, name);
  if (found == grade_names.end()) return std::nullopt;
  return static_cast<Grade>(found - grade_names.begin());
}

bool Tolerances::accept(double actual, double expected) const {
  if (same(actual, expected)) return true;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return false;
  return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

Tolerances default_tolerances(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return {1e-3, 1e-5};
    case DType::BF16:
      return {1.6e-2, 1e-5};
    case DType::F32:
      return {1.3e-6, 1e-5};
    case DType::F64:
      return {1e-7, 1e-7};
    default:
      return {};
  }
}

NumericError error_of(double value, double reference, DType dtype) {
  if (same(value, reference)) return {value, 0};
  if (!std::isfinite(value) || !std::isfinite(reference)) return {value, std::numeric_limits<double>::infinity()};
  return {value, std::abs(value - reference) / ulp_at(dtype, reference)};
}

std::string describe(const NumericEvidence& evidence) {
  std::string text = fmt::format("at {}, {}: {:.17g} ({})\n", evidence.place, name(evidence.dtype), evidence.reference,
                                 evidence.reference_from);
  if (evidence.eager)
    text += fmt::format("eager: {}\n", error_text(*evidence.eager, evidence.reference, evidence.dtype));
  text += fmt::format("target: {}\n", error_text(evidence.target, evidence.reference, evidence.dtype));
  text += evidence.inside_tolerances()
              ? "torch.testing.assert_close with default tolerances passes\n"
              : fmt::format("torch.testing.assert_close with default tolerances: {} of {} elements mismatch\n",
                            evidence.mismatched, evidence.total);
  return text;
}

Grade grade_of(const Graded& graded) {
  if (graded.verdict == Verdict::Crash || graded.verdict == Verdict::Hang) return Grade::Crash;
  if (graded.is_edge) return Grade::Edge;
  if (graded.verdict == Verdict::InternalError || graded.verdict == Verdict::Rejected) return Grade::Refusal;
  return graded.inside_tolerances ? Grade::InsideTolerances : Grade::Gross;
}

}  // namespace parallax
