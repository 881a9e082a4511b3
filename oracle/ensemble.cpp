#include "oracle/ensemble.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <thread>

#include "core/limits.h"
#include "oracle/legal_run.h"

namespace parallax {
namespace {

// An exaggerated error shows in full where it meets a decision, and 64 times too large elsewhere; a tenth is taken off
// for what is not quite linear.
constexpr double exaggeration = accused_half_spreads;
constexpr double exaggerated_weight = 0.9 * exaggeration;

// The first only rounds, two have all errors in one direction, a quarter exaggerates, an eighth cancels to 0, in an
// eighth numbers coincide, and in an eighth equal numbers deviate alike.
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
      style.alike = member % 8 == 2;
      return style;
  }
}

// How far an element of a member is from the program in double; infinite where they differ in kind.
double distance(const Ball& value, const Ball& other) {
  if (!value.decided() || !other.decided() || value.radius > 0 || other.radius > 0) return infinity;
  if (value.may_nan || value.may_inf || other.may_nan || other.may_inf) return infinity;
  if (std::isnan(value.mid) || std::isnan(other.mid))
    return std::isnan(value.mid) == std::isnan(other.mid) ? 0 : infinity;
  return value.mid == other.mid ? 0 : std::fabs(value.mid - other.mid);
}

double distance(const IntegerBall& value, const IntegerBall& other) {
  const bool decided = value.undecided == Undecided::No && other.undecided == Undecided::No;
  return decided && value.value == other.value ? 0 : infinity;
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

// The program in double, with notes of how far its results may be off.
Result<ExpectedRuns> run_in_double(const Profile& profile, const Case& test, ErrorNotes& notes) {
  LegalRun run(test.graph, LegalRun::in_double());
  const auto decide = [&](const Node& node, std::span<const BallView> values) {
    notes.after(node, values);
    run.decide(node, values);
  };
  return expected_runs(
      profile, test, [&](NodeId node, std::span<const BallView> values) { decide(test.graph.node(node), values); },
      decide,
      [&](const ReferenceCall& call) {
        notes.before(call);
        return false;
      });
}

Result<ExpectedRuns> run_of(const Profile& profile, const Case& test, LegalRun::Style style, const ErrorNotes& notes,
                            const VanishingResults& vanishing) {
  style.flushes = profile.flush_to_zero || profile.flushes_operands;
  LegalRun run(test.graph, style, notes, vanishing);
  return expected_runs(
      profile, test, [&](NodeId node, std::span<const BallView> values) { run.decide(node, values); },
      [&](const Node& node, std::span<const BallView> values) { run.decide(node, values); },
      [&](const ReferenceCall& call) { return run.compute(call); });
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

// Of all values of a program.
int64_t elements_of(const Graph& graph) {
  int64_t elements = 0;
  for (const TensorMeta& meta : graph.metas) elements += meta.layout.numel();
  return elements;
}

// A program with so many is worth a thread, and not worth another run with bounds.
constexpr int64_t many_elements = 50'000;

// How many members run at the same time.
int members_together(const Graph& graph) {
  if (elements_of(graph) < many_elements) return 1;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
}

// By tensor and element: how large the number of each member is, of tensors of floats.
class Magnitudes {
 public:
  void add(std::size_t tensor, const BallTensor& member) {
    if (!is_floating(member.dtype)) return;
    if (tensor >= of_.size()) of_.resize(tensor + 1);
    std::vector<float>& of = of_[tensor];
    for (const Ball& ball : member.balls) of.push_back(static_cast<float>(std::fabs(ball.mid)));
  }

  // That of the median member.
  double typical(std::size_t tensor, std::size_t element, std::size_t elements) const {
    std::vector<float> members;
    for (std::size_t at = element; at < of_[tensor].size(); at += elements) members.push_back(of_[tensor][at]);
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
    std::ranges::nth_element(members, middle);
    return *middle;
  }

 private:
  std::vector<std::vector<float>> of_;  // a member after the other
};

// Near a pole that members meet by chance, the next one may lie far beyond all others: the largest distance of a few
// says nothing then. It shows in a member that is as far off as an accused value, beside what members mostly are. Where
// most are 0, a member that is not met a decision.
void leave_out_poles(ExpectedRuns& expected, const Magnitudes& magnitudes) {
  std::size_t at = 0;
  for_each_tensor(expected, expected, [&](BallTensor& noted, const BallTensor&) {
    const std::size_t tensor = at++;
    if (!is_floating(noted.dtype)) return;
    for (std::size_t i = 0; i < noted.spreads.size(); ++i) {
      Spread& spread = noted.spreads[i];
      if (!std::isfinite(spread.half) || !std::isfinite(spread.value)) continue;
      const double typical = magnitudes.typical(tensor, i, noted.spreads.size());
      if (typical > 0 && spread.half > accused_half_spreads * typical) spread.half = infinity;
    }
  });
}

void forget(ExpectedRuns& expected) {
  for_each_tensor(expected, ExpectedRuns(expected),
                  [](BallTensor& tensor, const BallTensor&) { tensor.spreads.clear(); });
}

}  // namespace

std::span<const int> looks_at(const Graph& graph) {
  static constexpr std::array looks = {first_look_members, reported_members, small_program_members,
                                       least_program_members};
  constexpr int64_t few_elements = 10'000;
  constexpr int64_t least_elements = 5'000;
  const int64_t elements = elements_of(graph);
  return std::span(looks).first(elements < least_elements ? 4 : elements < few_elements ? 3 : 2);
}

bool add_spreads(const Profile& profile, const Case& test, int members, ExpectedRuns& expected) {
  ErrorNotes notes;
  const Result<ExpectedRuns> values = run_in_double(profile, test, notes);
  if (!values) return false;
  const VanishingResults vanishing =
      elements_of(test.graph) < many_elements ? VanishingResults::of(profile, test) : VanishingResults();
  // Tensors of the proof, the values and each member lie side by side in the same order.
  std::vector<const BallTensor*> plain;
  const auto begin = [&](BallTensor& noted, const BallTensor& value) {
    start(noted, value, profile);
    plain.push_back(&value);
  };
  if (!for_each_tensor(expected, *values, begin)) return false;
  Magnitudes magnitudes;
  const int together = members_together(test.graph);
  for (int first = 0; first < members; first += together) {
    const int count = std::min(together, members - first);
    std::vector<std::future<Result<ExpectedRuns>>> others;
    for (int i = 1; i < count; ++i) {
      others.push_back(std::async(std::launch::async,
                                  [&, i] { return run_of(profile, test, style_of(first + i), notes, vanishing); }));
    }
    const Result<ExpectedRuns> own = run_of(profile, test, style_of(first), notes, vanishing);
    for (int i = 0; i < count; ++i) {
      const Result<ExpectedRuns> run = i == 0 ? own : others[static_cast<std::size_t>(i - 1)].get();
      const double weight = style_of(first + i).exaggeration > 1 ? exaggerated_weight : 1;
      std::size_t at = 0;
      const auto compare = [&](BallTensor& noted, const BallTensor& other) {
        widen(noted, *plain[at], other, weight);
        magnitudes.add(at++, other);
      };
      if (!run || !for_each_tensor(expected, *run, compare)) {
        forget(expected);
        return false;
      }
    }
  }
  leave_out_poles(expected, magnitudes);
  return true;
}

}  // namespace parallax
