#include "oracle/judgement_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace parallax {
namespace {

constexpr std::array<std::string_view, 5> divergence_names = {"values", "shape", "dtype", "count", "identity"};

// By RunKind; "{}" is the number of the run.
constexpr std::array<std::string_view, 8> run_texts = {"A",
                                                       "B",
                                                       "run {}",
                                                       "A, read again after B",
                                                       "A, read again after the last run",
                                                       "run {}, read again after the last run",
                                                       "A on a fresh instance",
                                                       "run {} on a fresh instance"};
static_assert(run_texts.size() == static_cast<std::size_t>(RunKind::LaterOnFreshInstance) + 1);

struct PlaceText {
  std::string_view tensor;    // {0} is the index, {1} the name
  std::string_view observed;  // what follows where it is observed
};
// By PlaceKind.
constexpr std::array<PlaceText, 5> place_texts = {{{"out[{0}] {1}", ""},
                                                   {"input {1}", " after the run"},
                                                   {"buffer {1}", " after the run"},
                                                   {"gradient of {1}", ""},
                                                   {"the outputs", ""}}};

// "41,000" of 41,017.3: two digits are all that a factor tells.
std::string with_commas(double factor) {
  if (!std::isfinite(factor)) return "infinitely many";
  if (factor > 0) {
    const double unit = std::pow(10, std::floor(std::log10(factor)) - 1);
    factor = std::round(factor / unit) * unit;
  }
  std::string digits = fmt::format("{:.0f}", factor);
  if (digits.size() > 15) return fmt::format("{:.1e}", factor);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(digits.begin() + at, ',');
  }
  return digits;
}

const PlaceText& text_of(const Place& place) { return place_texts[static_cast<std::size_t>(place.kind)]; }

}  // namespace

std::string_view name(DivergenceKind kind) { return divergence_names[static_cast<std::size_t>(kind)]; }

std::string run_text(const RunId& run) {
  return fmt::format(fmt::runtime(run_texts[static_cast<std::size_t>(run.kind)]), run.number);
}

std::string tensor_text(const Place& place) {
  return fmt::format(fmt::runtime(text_of(place).tensor), place.index, place.name);
}

std::string place_text(const Place& place) { return tensor_text(place).append(text_of(place).observed); }

std::string ball_text(DType dtype, const Ball& ball) {
  if (!ball.decided()) return fmt::format("undecided ({})", name(ball.undecided));
  std::string text = dtype == DType::F64 ? fmt::format("{:.17g}", ball.mid) : fmt::format("{:.9g}", ball.mid);
  if (ball.radius > 0) text += fmt::format(" ± {:.2g}", ball.radius);
  if (ball.may_nan) text += " or nan";
  if (ball.may_inf.is_of_one_sign()) {
    text += ball.mid > 0 ? " or inf" : " or -inf";
  } else if (ball.may_inf) {
    text += " or ±inf";
  }
  return text;
}

std::string alternatives_text(DType dtype, std::span<const Ball> balls) {
  std::string text;
  for (const Ball& ball : balls) text += fmt::format("{}{}", text.empty() ? "" : " or ", ball_text(dtype, ball));
  return text;
}

std::string integer_text(const IntegerBall& integer) {
  if (integer.is_interval()) return fmt::format("{} to {}", integer.low, integer.high);
  if (!integer.decided()) return fmt::format("undecided ({})", name(integer.undecided));
  return fmt::format("{}", integer.value);
}

std::string spread_text(DType dtype, const Spread& spread) {
  const std::string value =
      dtype == DType::F64 ? fmt::format("{:.17g}", spread.value) : fmt::format("{:.9g}", spread.value);
  return fmt::format("{} (half-spread {:.2g})", value, spread.half);
}

std::string element_line(const Divergence& divergence) {
  const std::string line = fmt::format("{} element {}: expected {} got {}", place_text(divergence.place),
                                       divergence.element, divergence.expected, divergence.got);
  return divergence.statistical() ? fmt::format("{}, {}", line, statistics_text(divergence)) : line;
}

std::string statistics_text(const Divergence& divergence) {
  return fmt::format("{} half-spreads of {} legal runs", with_commas(divergence.half_spreads), divergence.legal_runs);
}

std::string reason_line(const Divergence& divergence) {
  const std::string run = run_text(divergence.run);
  if (divergence.kind == DivergenceKind::Values) return fmt::format("{}: {}", run, element_line(divergence));
  return fmt::format("{}: {}: expected {}, got {}", run, place_text(divergence.place), divergence.expected,
                     divergence.got);
}

std::string undecided_line(const ElementCounts& counts) {
  if (counts.weak == counts.undecided) {
    return fmt::format("weak: nothing would show an error of {} of {} elements", counts.weak, counts.total);
  }
  const std::string weak = counts.weak > 0 ? fmt::format(", {} of them weak", counts.weak) : "";
  return fmt::format("{} of {} elements cannot be decided{}", counts.undecided, counts.total, weak);
}

std::string explanation_line(const Judgement& judgement) {
  if (!judgement.divergence) return judgement.reason;
  const Divergence& d = *judgement.divergence;
  if (d.kind != DivergenceKind::Values) return reason_line(d);
  const std::string outside =
      d.statistical() ? fmt::format("further than {:.0f} half-spreads ({})", accused_half_spreads, statistics_text(d))
                      : "outside the bound";
  return fmt::format("{}: {}   element {}: expected {}   got {}   {} of {} elements {}{}", place_text(d.place),
                     type_text(d.dtype, d.sizes), d.element, d.expected, d.got, d.outside, d.total, outside,
                     d.run == RunId{} ? "" : fmt::format(" ({})", run_text(d.run)));
}

}  // namespace parallax
