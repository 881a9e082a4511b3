#include "oracle/ensemble.h"

#include <algorithm>
#include <cmath>

#include "oracle/legal_run.h"

namespace parallax {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// An exaggerated error shows in full where it meets a decision, and 64 times too large elsewhere; a tenth is taken off
// for what is not quite linear.
constexpr double exaggeration = accused_half_spreads;
constexpr double exaggerated_weight = 0.9 * exaggeration;

// The first only rounds, two have all errors in one direction, a quarter exaggerates, an eighth cancels to 0, and in an
// eighth numbers coincide.
LegalRun::Style style_of(int member) {
  LegalRun::Style style{.rounds = member % 3 != 0, .seed = static_cast<uint64_t>(member)};
  switch (member) {
    case 0:
      style.rounds = true;
      return style;
    case 1:
      style.errors = LegalRun::Errors::Up;
      return style;
    case 2:
      style.errors = LegalRun::Errors::Down;
      return style;
    default:
      style.errors = LegalRun::Errors::Random;
      if (member % 4 == 3) style.exaggeration = exaggeration;
      style.cancels = member % 8 == 4;
      style.coincides = member % 8 == 6;
      return style;
  }
}

// How far an element of a member is from the program in double; infinite where they differ in kind.
double distance(const Ball& value, const Ball& other) {
  if (!value.decided() || !other.decided() || value.radius > 0 || other.radius > 0) return infinite;
  if (value.may_nan || value.may_inf || other.may_nan || other.may_inf) return infinite;
  if (std::isnan(value.mid) || std::isnan(other.mid))
    return std::isnan(value.mid) == std::isnan(other.mid) ? 0 : infinite;
  return value.mid == other.mid ? 0 : std::fabs(value.mid - other.mid);
}

double distance(const IntegerBall& value, const IntegerBall& other) {
  const bool decided = value.undecided == Undecided::No && other.undecided == Undecided::No;
  return decided && value.value == other.value ? 0 : infinite;
}

template <class F>
bool for_each_tensor(ExpectedRuns& runs, const ExpectedRuns& others, F visit) {
  if (runs.b.has_value() != others.b.has_value() || runs.later.size() != others.later.size()) return false;
  const auto each = [&](Expected& run, const Expected& other) {
    const auto pairs = [&](std::vector<BallTensor>& list, const std::vector<BallTensor>& other_list) {
      for (std::size_t i = 0; i < list.size(); ++i) visit(list[i], other_list[i]);
    };
    pairs(run.outputs, other.outputs);
    pairs(run.inputs, other.inputs);
    pairs(run.buffers, other.buffers);
  };
  each(runs.a, others.a);
  if (runs.b) each(*runs.b, *others.b);
  for (std::size_t i = 0; i < runs.later.size(); ++i) each(runs.later[i], others.later[i]);
  return true;
}

Result<ExpectedRuns> run_of(const Profile& profile, const Case& test, const LegalRun::Style& style) {
  LegalRun run(test.graph, style);
  return expected_runs(
      profile, test, [&](NodeId node, std::span<const BallView> values) { run.decide(node, values); },
      [&](const Node& node, std::span<const BallView> values) { run.decide(node, values); });
}

// A member's distances, over the values that are noted already.
void widen(BallTensor& noted, const BallTensor& value, const BallTensor& member, double weight) {
  const auto count = static_cast<std::size_t>(value.numel());
  for (std::size_t i = 0; i < count; ++i) {
    const double off = is_floating(value.dtype) ? distance(value.balls[i], member.balls[i])
                                                : distance(value.integers[i], member.integers[i]);
    Spread& spread = noted.spreads[i];
    spread.half = std::max(spread.half, off / weight);
    ++spread.members;
  }
}

// The rounding of the value into its dtype is every implementation's.
void start(BallTensor& noted, const BallTensor& value, const Profile& profile) {
  const auto count = static_cast<std::size_t>(value.numel());
  noted.spreads.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    Spread& spread = noted.spreads[i];
    spread.half = 0;
    if (!is_floating(value.dtype)) {
      spread.value = static_cast<double>(value.integers[i].value);
      continue;
    }
    spread.value = value.balls[i].mid;
    if (!std::isfinite(spread.value)) continue;
    spread.half = profile.unit_roundoff(value.dtype) * std::fabs(spread.value) + profile.underflow(value.dtype);
  }
}

void forget(ExpectedRuns& expected) {
  for_each_tensor(expected, ExpectedRuns(expected),
                  [](BallTensor& tensor, const BallTensor&) { tensor.spreads.clear(); });
}

}  // namespace

bool add_spreads(const Profile& profile, const Case& test, int members, ExpectedRuns& expected) {
  const Result<ExpectedRuns> values = run_of(profile, test, LegalRun::in_double());
  if (!values) return false;
  // Tensors of the proof, the values and each member lie side by side in the same order.
  std::vector<const BallTensor*> plain;
  const auto begin = [&](BallTensor& noted, const BallTensor& value) {
    start(noted, value, profile);
    plain.push_back(&value);
  };
  if (!for_each_tensor(expected, *values, begin)) return false;
  for (int member = 0; member < members; ++member) {
    const LegalRun::Style style = style_of(member);
    const double weight = style.exaggeration > 1 ? exaggerated_weight : 1;
    const Result<ExpectedRuns> run = run_of(profile, test, style);
    std::size_t at = 0;
    const auto compare = [&](BallTensor& noted, const BallTensor& other) { widen(noted, *plain[at++], other, weight); };
    if (!run || !for_each_tensor(expected, *run, compare)) {
      forget(expected);
      return false;
    }
  }
  return true;
}

}  // namespace parallax
