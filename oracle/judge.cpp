#include "oracle/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/bounds_by_node.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, verdict_count> verdict_names = {
    "match", "mismatch",         "suspect",           "rejected",    "internal_error", "crash",
    "hang",  "nondeterministic", "reference_refused", "unsupported", "undecided",      "audited"};

// The largest value of the dtype that is at most x.
double round_down(DType dtype, double x) {
  const double nearest = round_to(dtype, x);
  return nearest > x ? next_down(dtype, nearest) : nearest;
}
double round_up(DType dtype, double x) { return -round_down(dtype, -x); }

std::string ball_text(DType dtype, const Ball& ball) {
  if (!ball.decided()) return fmt::format("undecided ({})", name(ball.undecided));
  std::string text = dtype == DType::F64 ? fmt::format("{:.17g}", ball.mid) : fmt::format("{:.9g}", ball.mid);
  if (ball.radius > 0) text += fmt::format(" ± {:.2g}", ball.radius);
  if (ball.may_nan) text += " or nan";
  if (ball.may_inf) text += " or ±inf";
  return text;
}

// How many radii of its bound an element lies outside it.
double excess_of(const BallTensor& expected, const Tensor& got, int64_t element) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!is_floating(expected.dtype)) return infinite;
  const Ball& ball = expected.balls[static_cast<std::size_t>(element)];
  const double distance = std::fabs(got.get_double(element) - ball.mid) - ball.radius;
  return ball.radius > 0 && std::isfinite(distance) ? distance / ball.radius : infinite;
}

// One list of tensors of one run against what must be there.
class Comparison {
 public:
  explicit Comparison(Judgement& judgement) : judgement_(judgement) {}

  // `place` names the tensor for a person; `radii` takes the radii for the statistics, or is null.
  void tensor(const BallTensor& expected, const Tensor& got, std::string_view run, const std::string& place, int index,
              OutputRadii* radii) {
    if (got.dtype != expected.dtype || !(got.sizes == expected.sizes)) {
      const bool dtype = got.dtype != expected.dtype;
      diverge({.run = std::string(run),
               .place = place,
               .index = index,
               .dtype = expected.dtype,
               .sizes = expected.sizes,
               .element = 0,
               .expected = type_text(expected.dtype, expected.sizes),
               .got = type_text(got.dtype, got.sizes),
               .outside = 0,
               .total = expected.numel(),
               .kind = dtype ? "dtype" : "shape"});
      return;
    }
    ElementCounts counts;
    counts.total = expected.numel();
    int64_t first = -1;
    int64_t first_suspect = -1;
    double excess = 0;
    for (int64_t i = 0; i < counts.total; ++i) {
      const int64_t suspects = counts.suspect;
      const bool inside = element(expected, got, i, counts, radii);
      if (!inside && first < 0) first = i;
      if (!inside) excess = std::max(excess, excess_of(expected, got, i));
      if (counts.suspect > suspects && first_suspect < 0) first_suspect = i;
    }
    judgement_.counts.add(counts);
    if (first >= 0) {
      Divergence divergence = values_at(expected, got, first, run, place, index, counts.outside);
      divergence.excess = excess;
      diverge(std::move(divergence));
    } else if (first_suspect >= 0 && judgement_.verdict == Verdict::Match) {
      judgement_.verdict = Verdict::Suspect;
      judgement_.divergence = values_at(expected, got, first_suspect, run, place, index, counts.suspect);
    }
  }

  void diverge(Divergence divergence) {
    if (judgement_.verdict == Verdict::Suspect) judgement_.divergence.reset();
    judgement_.verdict = Verdict::Mismatch;
    if (!judgement_.divergence) judgement_.divergence = std::move(divergence);
  }

 private:
  static Divergence values_at(const BallTensor& expected, const Tensor& got, int64_t element, std::string_view run,
                              const std::string& place, int index, int64_t outside) {
    const auto at = static_cast<std::size_t>(element);
    const std::string wanted = is_floating(expected.dtype) ? ball_text(expected.dtype, expected.balls[at])
                                                           : fmt::format("{}", expected.integers[at].value);
    return {.run = std::string(run),
            .place = place,
            .index = index,
            .dtype = expected.dtype,
            .sizes = expected.sizes,
            .element = element,
            .expected = wanted,
            .got = element_text(got, element),
            .outside = outside,
            .total = expected.numel(),
            .kind = "values"};
  }

  bool element(const BallTensor& expected, const Tensor& got, int64_t i, ElementCounts& counts, OutputRadii* radii) {
    const auto at = static_cast<std::size_t>(i);
    Undecided reason = Undecided::No;
    bool inside = true;
    bool exact = true;
    if (is_floating(expected.dtype)) {
      const Ball& ball = expected.balls[at];
      reason = ball.decided() && !std::isfinite(ball.radius) ? Undecided::Unbounded : ball.undecided;
      exact = ball.radius == 0;
      if (reason == Undecided::No) {
        inside = accepts(expected.dtype, ball, got.get_double(i));
        counts.suspect += inside && is_suspect(ball, got.get_double(i));
        if (!exact && std::isfinite(ball.mid)) {
          const auto dtype = static_cast<std::size_t>(expected.dtype);
          counts.inexact[dtype] += 1;
          counts.sharp[dtype] += proved_bits(ball) >= std::min(10, info(expected.dtype).precision - 3);
          if (radii != nullptr) radii->ulps.push_back(static_cast<float>(radius_in_ulps(expected.dtype, ball)));
        }
      }
    } else {
      reason = expected.integers[at].undecided;
      if (reason == Undecided::No) inside = got.get_integer(i) == expected.integers[at].value;
    }
    counts.undecided += reason != Undecided::No;
    counts.by_reason[static_cast<std::size_t>(reason)] += 1;
    counts.exact += reason == Undecided::No && exact;
    counts.outside += !inside;
    return inside;
  }

  Judgement& judgement_;
};

struct Names {
  std::vector<std::string> outputs;
  std::vector<std::string_view> families;  // of the ops that made the outputs
  std::vector<std::string> inputs;
  std::vector<std::string> buffers;
  std::vector<bool> input_written;
  std::vector<bool> buffer_written;

  explicit Names(const Graph& graph) {
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      outputs.push_back(fmt::format("out[{}] {}", i, graph.name(graph.outputs[i])));
    }
    std::vector<std::string_view> family_of(graph.metas.size());
    for (const Node& node : graph.nodes) {
      for (const ValueId result : node.results) family_of[result.index] = node.op->family;
    }
    for (const ValueId output : graph.outputs) families.push_back(family_of[output.index]);
    const std::vector<bool> written = written_storages(graph);
    for (const Source& source : graph.sources) {
      const std::string& source_name = graph.name(source.value);
      const bool is_written = written[graph.meta(source.value).storage.index];
      if (source.kind == SourceKind::Input) {
        inputs.push_back(fmt::format("input {} after the run", source_name));
        input_written.push_back(is_written);
      } else if (source.kind == SourceKind::Buffer) {
        buffers.push_back(fmt::format("buffer {} after the run", source_name));
        buffer_written.push_back(is_written);
      }
    }
  }
};

void compare_state(Comparison& comparison, const std::vector<BallTensor>& expected,
                   const std::vector<std::optional<Tensor>>& got, const std::vector<std::string>& places,
                   const std::vector<bool>& written, std::string_view run, bool& unobserved) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i < got.size() && got[i]) {
      comparison.tensor(expected[i], *got[i], run, places[i], static_cast<int>(i), nullptr);
    } else if (written[i]) {
      unobserved = true;
    }
  }
}

void compare_outputs(Comparison& comparison, const std::vector<BallTensor>& expected, const std::vector<Tensor>& got,
                     const Names& names, std::string_view run, std::vector<OutputRadii>* radii) {
  if (got.size() != expected.size()) {
    comparison.diverge({.run = std::string(run),
                        .place = "the outputs",
                        .sizes = {},
                        .expected = fmt::format("{} outputs", expected.size()),
                        .got = fmt::format("{}", got.size()),
                        .kind = "count"});
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    comparison.tensor(expected[i], got[i], run, names.outputs[i], static_cast<int>(i),
                      radii ? &radii->emplace_back(names.families[i]) : nullptr);
  }
}

// The outputs' storages against eager's: shared where eager shares, apart where eager keeps apart. Empty tensors lie
// nowhere.
void compare_identity(Comparison& comparison, const Expected& expected, const Observation& got, const Names& names) {
  if (got.identity.size() != expected.identity.size()) return;
  const std::size_t first_output = expected.inputs.size() + expected.buffers.size();
  auto tensor_at = [&](std::size_t i) -> const BallTensor& {
    if (i < expected.inputs.size()) return expected.inputs[i];
    if (i < first_output) return expected.buffers[i - expected.inputs.size()];
    return expected.outputs[i - first_output];
  };
  auto place_of = [&](std::size_t i) {
    if (i < expected.inputs.size()) return names.inputs[i].substr(0, names.inputs[i].find(" after"));
    if (i < first_output)
      return names.buffers[i - expected.inputs.size()].substr(0,
                                                              names.buffers[i - expected.inputs.size()].find(" after"));
    return names.outputs[i - first_output];
  };
  for (std::size_t i = first_output; i < expected.identity.size(); ++i) {
    if (tensor_at(i).numel() == 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (tensor_at(j).numel() == 0) continue;
      const bool wanted = expected.identity[i] == expected.identity[j];
      if (wanted == (got.identity[i] == got.identity[j])) continue;
      const std::string relation = wanted ? "shares the storage of " : "has a storage apart from ";
      comparison.diverge({.run = "A",
                          .place = names.outputs[i - first_output],
                          .index = static_cast<int>(i - first_output),
                          .dtype = tensor_at(i).dtype,
                          .sizes = tensor_at(i).sizes,
                          .expected = relation + place_of(j),
                          .got = wanted ? "a storage of its own" : "the same storage",
                          .kind = "identity"});
    }
  }
}

Verdict verdict_of(Status status) {
  switch (status) {
    case Status::Ok:
      return Verdict::Match;
    case Status::Audited:
      return Verdict::Audited;
    case Status::Rejected:
      return Verdict::Rejected;
    case Status::Unsupported:
      return Verdict::Unsupported;
    case Status::Error:
      return Verdict::InternalError;
    case Status::Crash:
      return Verdict::Crash;
    case Status::Hang:
      return Verdict::Hang;
  }
  return Verdict::InternalError;
}

// The same feed, state and program twice, a float allowed to differ in nothing: an inexact element may differ between
// implementations, not between two runs of one. Undecided elements (uninitialised memory) may.
bool same_bits(const Observation& first, const Observation& second, const Expected& expected) {
  if (first.outputs.size() != second.outputs.size()) return false;
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    const Tensor& a = first.outputs[i];
    const Tensor& b = second.outputs[i];
    if (a == b) continue;
    if (a.dtype != b.dtype || !(a.sizes == b.sizes)) return false;
    const BallTensor& wanted = expected.outputs[i];
    for (int64_t k = 0; k < a.numel(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const bool decided =
          is_floating(wanted.dtype) ? wanted.balls[at].decided() : wanted.integers[at].undecided == Undecided::No;
      if (!decided) continue;
      const bool equal = is_floating(a.dtype) ? a.get_double(k) == b.get_double(k) ||
                                                    (std::isnan(a.get_double(k)) && std::isnan(b.get_double(k)))
                                              : a.get_integer(k) == b.get_integer(k);
      if (!equal) return false;
    }
  }
  return true;
}

}  // namespace

std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> parse_verdict(std::string_view name) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    if (verdict_names[i] == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

bool is_finding(Verdict verdict) {
  switch (verdict) {
    case Verdict::Mismatch:
    case Verdict::InternalError:
    case Verdict::Crash:
    case Verdict::Hang:
    case Verdict::Nondeterministic:
      return true;
    default:
      return false;
  }
}

bool is_suspect(const Ball& ball, double got) {
  return ball.deviation > 0 && std::isfinite(got) && std::isfinite(ball.mid) &&
         std::fabs(got - ball.mid) > suspicion_deviations * ball.spread();
}

int proved_bits(const Ball& ball) {
  if (ball.mid == 0) return 0;
  return std::max(0, static_cast<int>(std::floor(std::log2(std::fabs(ball.mid) / ball.radius))));
}

bool accepts(DType dtype, const Ball& ball, double got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (std::isinf(got) && ball.may_inf) return true;
  if (std::isnan(ball.mid)) return false;
  if (std::isinf(ball.mid)) return got == ball.mid;
  return got >= round_down(dtype, ball.low()) && got <= round_up(dtype, ball.high());
}

void ElementCounts::add(const ElementCounts& other) {
  total += other.total;
  undecided += other.undecided;
  exact += other.exact;
  outside += other.outside;
  suspect += other.suspect;
  for (std::size_t i = 0; i < dtype_count; ++i) {
    inexact[i] += other.inexact[i];
    sharp[i] += other.sharp[i];
  }
  for (std::size_t i = 0; i < by_reason.size(); ++i) by_reason[i] += other.by_reason[i];
}

Judgement judge(const Graph& graph, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity) {
  Judgement judgement;
  judgement.verdict = verdict_of(outcome.status);
  if (outcome.status != Status::Ok || !outcome.a) {
    judgement.reason = outcome.stage.empty() ? outcome.message
                                             : fmt::format("{}: {}: {}", outcome.stage, outcome.kind, outcome.message);
    // Where an index that nothing is known of may be out of range, so may what the target says of it.
    const bool may_raise = expected.a.may_raise || (expected.b && expected.b->may_raise) ||
                           std::ranges::any_of(expected.later, &Expected::may_raise);
    const bool stopped = outcome.status == Status::Crash || (outcome.status == Status::Error && outcome.stage == "run");
    if (may_raise && stopped) judgement.verdict = Verdict::Undecided;
    return judgement;
  }
  const Names names(graph);
  Comparison comparison(judgement);
  auto compare_run = [&](const Expected& wanted, const Observation& got, std::string_view run) {
    compare_outputs(comparison, wanted.outputs, got.outputs, names, run, run == "A" ? &judgement.radii : nullptr);
    compare_state(comparison, wanted.inputs, got.inputs, names.inputs, names.input_written, run, judgement.unobserved);
    compare_state(comparison, wanted.buffers, got.buffers, names.buffers, names.buffer_written, run,
                  judgement.unobserved);
  };
  compare_run(expected.a, *outcome.a, "A");
  if (promises_identity) compare_identity(comparison, expected.a, *outcome.a, names);
  if (outcome.b && expected.b) compare_run(*expected.b, *outcome.b, "B");
  const auto compare_later = [&](const std::vector<Observation>& got, std::string_view where) {
    for (std::size_t i = 0; i < std::min(got.size(), expected.later.size()); ++i)
      compare_run(expected.later[i], got[i], fmt::format("run {}{}", i + 2, where));
  };
  compare_later(outcome.later, "");
  if ((outcome.b || !outcome.later.empty()) && !outcome.a_kept.empty() && judgement.verdict != Verdict::Mismatch) {
    // An output that lies in a caller's buffer rightly changes with it; every other one must still be A's.
    const std::size_t sources = expected.a.inputs.size() + expected.a.buffers.size();
    const std::size_t first_buffer = expected.a.inputs.size();
    for (std::size_t i = 0; i < outcome.a_kept.size() && i < expected.a.outputs.size(); ++i) {
      bool in_buffer = false;
      for (std::size_t b = first_buffer; b < sources; ++b)
        in_buffer |= expected.a.identity[b] == expected.a.identity[sources + i];
      if (in_buffer) continue;
      comparison.tensor(expected.a.outputs[i], outcome.a_kept[i],
                        outcome.b ? "A, read again after B" : "A, read again after the last run", names.outputs[i],
                        static_cast<int>(i), nullptr);
    }
  }
  if (outcome.a_again) {
    if (judgement.verdict != Verdict::Mismatch) compare_run(expected.a, *outcome.a_again, "A on a fresh instance");
    if (judgement.verdict != Verdict::Mismatch && !same_bits(*outcome.a, *outcome.a_again, expected.a)) {
      judgement.verdict = Verdict::Nondeterministic;
      judgement.reason = "two runs of the same input differ";
      return judgement;
    }
    compare_later(outcome.later_again, " on a fresh instance");
  }
  if (judgement.divergence) {
    const Divergence& d = *judgement.divergence;
    if (judgement.verdict == Verdict::Suspect) judgement.reason = "more than 8 deviations off: ";
    judgement.reason +=
        d.kind == "values"
            ? fmt::format("{}: {} element {}: expected {} got {}", d.run, d.place, d.element, d.expected, d.got)
            : fmt::format("{}: {}: expected {}, got {}", d.run, d.place, d.expected, d.got);
  } else if (judgement.counts.undecided > 0) {
    judgement.verdict = Verdict::Undecided;
    judgement.reason =
        fmt::format("{} of {} elements cannot be decided", judgement.counts.undecided, judgement.counts.total);
  } else if (judgement.unobserved) {
    judgement.verdict = Verdict::Undecided;
    judgement.reason = "state that the graph writes is not handed back";
  }
  return judgement;
}

}  // namespace parallax
