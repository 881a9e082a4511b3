#include "fuzz/findings/numeric_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "graph/sketch.h"
#include "oracle/ensemble.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

const Expected* expected_of(const ExpectedRuns& runs, const RunId& run) {
  switch (run.kind) {
    case RunKind::B:
      return runs.b ? &*runs.b : nullptr;
    case RunKind::Later:
    case RunKind::LaterOnFreshInstance: {
      const auto place = static_cast<std::size_t>(run.number - 2);
      return run.number >= 2 && place < runs.later.size() ? &runs.later[place] : nullptr;
    }
    default:
      return &runs.a;
  }
}

const Observation* observed_in(const Outcome& outcome, const RunId& run) {
  const auto later = [&](const std::vector<Observation>& all) -> const Observation* {
    const auto place = static_cast<std::size_t>(run.number - 2);
    return run.number >= 2 && place < all.size() ? &all[place] : nullptr;
  };
  switch (run.kind) {
    case RunKind::A:
      return outcome.a ? &*outcome.a : nullptr;
    case RunKind::B:
      return outcome.b ? &*outcome.b : nullptr;
    case RunKind::AOnFreshInstance:
      return outcome.a_again ? &*outcome.a_again : nullptr;
    case RunKind::Later:
      return later(outcome.later);
    case RunKind::LaterOnFreshInstance:
      return later(outcome.later_again);
    default:
      return nullptr;
  }
}

const Tensor* tensor_at(const Outcome& outcome, const RunId& run, const Place& place) {
  const auto at = static_cast<std::size_t>(place.index);
  if (run.kind == RunKind::AKeptAfterB || run.kind == RunKind::AKeptAfterTheLast) {
    return place.kind == PlaceKind::Output && at < outcome.a_kept.size() ? &outcome.a_kept[at] : nullptr;
  }
  if (run.kind == RunKind::LaterKept) {
    const auto place_of_run = static_cast<std::size_t>(run.number) - 2;
    if (place.kind != PlaceKind::Output || place_of_run >= outcome.later_kept.size()) return nullptr;
    const std::vector<Tensor>& outputs = outcome.later_kept[place_of_run];
    return at < outputs.size() ? &outputs[at] : nullptr;
  }
  const Observation* seen = observed_in(outcome, run);
  if (!seen) return nullptr;
  if (place.kind == PlaceKind::Output) return at < seen->outputs.size() ? &seen->outputs[at] : nullptr;
  const auto& state = place.kind == PlaceKind::Input ? seen->inputs : seen->buffers;
  return at < state.size() && state[at] ? &*state[at] : nullptr;
}

const BallTensor* reference_at(const Expected& expected, const Place& place) {
  const auto& tensors = place.kind == PlaceKind::Output  ? expected.outputs
                        : place.kind == PlaceKind::Input ? expected.inputs
                                                         : expected.buffers;
  const auto at = static_cast<std::size_t>(place.index);
  return at < tensors.size() ? &tensors[at] : nullptr;
}

double number(const Tensor& tensor, int64_t i) {
  return is_floating(tensor.dtype) ? tensor.get_double(i) : static_cast<double>(tensor.get_integer(i));
}

// Whether a number that lies within its bounds may be far from their middle and right: what was made of an integer that
// may be one of several is.
bool may_be_right(const Ball& ball, double got, DType dtype) {
  return got >= ball.low() && got <= ball.high() && !default_tolerances(dtype).accept(ball.high(), ball.mid);
}

// The number that must come out, in f64: where legal runs were made, the program in double; of alternatives the one
// nearest to what came; nothing where it is not decided.
std::optional<double> reference(const BallTensor& expected, int64_t i, double got) {
  const auto at = static_cast<std::size_t>(i);
  if (!expected.spreads.empty()) {
    const Spread& spread = expected.spreads[at];
    return std::isfinite(spread.half) ? std::optional(spread.value) : std::nullopt;
  }
  if (const auto found = expected.alternatives.find(i); found != expected.alternatives.end()) {
    return std::ranges::min(found->second, {}, [&](const Ball& ball) { return std::fabs(ball.mid - got); }).mid;
  }
  if (!is_floating(expected.dtype)) {
    const IntegerBall& integer = expected.integers[at];
    return integer.undecided == Undecided::No ? std::optional(static_cast<double>(integer.value)) : std::nullopt;
  }
  const Ball& ball = expected.balls[at];
  if (!ball.decided() || !std::isfinite(ball.radius) || may_be_right(ball, got, expected.dtype)) return std::nullopt;
  // An infinity whose sign is not known, or what only a wider format holds.
  const bool is_infinite = ball.may_inf && std::fabs(ball.mid) >= info(expected.dtype).max_finite;
  return is_infinite ? std::copysign(infinity, ball.mid) : ball.mid;
}

bool alike(const Tensor& a, const Tensor& b) { return a.dtype == b.dtype && a.sizes == b.sizes; }

bool is_odd(const Tensor& tensor) {
  if (tensor.numel() == 0) return true;
  if (!is_floating(tensor.dtype)) return false;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const double x = tensor.get_double(i);
    if (!std::isfinite(x) || (x != 0 && std::abs(x) < info(tensor.dtype).smallest_normal)) return true;
  }
  return false;
}

}  // namespace

std::optional<NumericEvidence> numeric_evidence(const Profile& profile, const Case& test, const Examination& seen,
                                                const Outcome* eager) {
  const auto& divergence = seen.judgement.divergence;
  if (seen.judgement.verdict != Verdict::Mismatch || !divergence || divergence->kind != DivergenceKind::Values) {
    return std::nullopt;
  }
  if (divergence->place.kind == PlaceKind::Gradient || divergence->place.kind == PlaceKind::Outputs)
    return std::nullopt;
  Result<ExpectedRuns> runs = expected_runs(profile, test);
  // The proof does not exclude what came then, and its middle is nobody's number.
  if (runs && divergence->statistical() && !add_spreads(profile, test, divergence->legal_runs, *runs))
    return std::nullopt;
  const Expected* expected = runs ? expected_of(*runs, divergence->run) : nullptr;
  const BallTensor* wanted = expected ? reference_at(*expected, divergence->place) : nullptr;
  const Tensor* got = tensor_at(seen.outcome, divergence->run, divergence->place);
  if (!wanted || !got || got->dtype != wanted->dtype || got->sizes != wanted->sizes) return std::nullopt;
  const Tensor* eagerly = eager ? tensor_at(*eager, divergence->run, divergence->place) : nullptr;
  if (eagerly && !alike(*eagerly, *got)) eagerly = nullptr;
  NumericEvidence evidence;
  evidence.dtype = got->dtype;
  evidence.total = got->numel();
  evidence.reference_from = "the oracle in f64";
  const Tolerances tolerances = default_tolerances(got->dtype);
  double farthest = -1;
  for (int64_t i = 0; i < got->numel(); ++i) {
    const double value = number(*got, i);
    const std::optional<double> right = reference(*wanted, i, value);
    if (!right) continue;
    const double held = is_floating(got->dtype) ? round_to(got->dtype, *right) : *right;
    if (!tolerances.accept(value, eagerly ? number(*eagerly, i) : held)) ++evidence.mismatched;
    const NumericError error = error_of(value, *right, got->dtype);
    if (!(error.ulps > farthest)) continue;
    farthest = error.ulps;
    evidence.place = fmt::format("{} element {}", place_text(divergence->place), i);
    evidence.reference = *right;
    evidence.target = error;
    if (eagerly) evidence.eager = error_of(number(*eagerly, i), *right, got->dtype);
  }
  return farthest < 0 ? std::nullopt : std::optional(std::move(evidence));
}

bool is_at_an_edge(const Case& test) {
  Sketch sketch = take_apart(test);
  for (const Sketch::GivenValue& source : sketch.sources) {
    if (!source.storage && is_odd(source.data)) return true;
  }
  for (const Sketch::DeclaredStorage& storage : sketch.storages) {
    if (storage.data.numel() > 0 && is_odd(storage.data)) return true;
  }
  const auto is_empty = [](const TensorMeta& meta) {
    return std::ranges::find(meta.layout.sizes, int64_t{0}) != meta.layout.sizes.end();
  };
  return std::ranges::any_of(test.graph.metas, is_empty);
}

Grade grade_of_finding(const Finding& finding) {
  const Graph& graph = finding.reduced.graph;
  const auto is_0d = [&](const Source& source) { return graph.meta(source.value).layout.sizes.empty(); };
  const bool only_0d = !graph.sources.empty() && std::ranges::all_of(graph.sources, is_0d);
  const bool is_edge = is_at_an_edge(finding.reduced) || (finding.verdict == Verdict::InternalError && only_0d) ||
                       (finding.evidence && !std::isfinite(finding.evidence->reference));
  return grade_of({.verdict = finding.verdict,
                   .is_edge = is_edge,
                   .inside_tolerances = finding.evidence && finding.evidence->inside_tolerances()});
}

}  // namespace parallax
