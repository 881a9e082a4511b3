// Injected errors: what share of wrong results the judge sees, by how wrong they are and how large the graph is.
//
// One node of a drawn graph is taken out and an input put in its place that holds what the node makes, each element off
// by so many units in the last place of its dtype, up or down. What `portable` makes of that is judged by the bounds of
// the graph as it was, and then by these and the spread of 32 legal runs. An error that changes no bit of what comes
// out, because a comparison, a cast or another node hides it, is counted apart. Of quantized programs one integer of
// one quantized tensor is a step off.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "fuzz/generate/generate.h"
#include "graph/removal.h"
#include "graph/runs.h"
#include "ops/quantized_ops.h"
#include "oracle/ensemble.h"
#include "oracle/expected_runs.h"
#include "oracle/judge.h"
#include "oracle/record.h"

namespace parallax {
namespace {

struct Error {
  const char* name;
  double units;  // in the last place; 0: relative
  double relative;
};
constexpr std::array errors = {Error{"1 ulp", 1, 0}, Error{"16 ulp", 16, 0}, Error{"256 ulp", 256, 0},
                               Error{"1e-3", 0, 1e-3}};

struct Counts {
  int injected = 0;
  int shown = 0;  // a bit of what comes out is another one
  int proved = 0;
  int suspected = 0;
  int by_both = 0;  // proof or ensemble
};

struct Verdicts {
  Verdict by_proof = Verdict::Match;
  Verdict by_both = Verdict::Match;
};

bool makes_floats(const Case& test, const Node& node) {
  if (node.op->is_view() || node.op->writes() || node.results.size() != 1) return false;
  const TensorMeta& meta = test.graph.meta(node.results.front());
  return is_floating(meta.dtype) && meta.layout.numel() > 0;
}

bool makes_quantized_numbers(const Case& test, const Node& node) {
  return quantizes(*node.op) && test.graph.meta(node.results.front()).layout.numel() > 0;
}

// One element a step off, up or down, inside of its dtype.
Tensor a_step_off(const Tensor& tensor, Choices& choices) {
  Tensor result = tensor;
  const auto element = static_cast<int64_t>(choices.below(static_cast<uint64_t>(tensor.numel())));
  const int64_t q = tensor.get_integer(element);
  const bool up = q <= info(tensor.dtype).min_integer || (q < info(tensor.dtype).max_integer && choices.chance(50));
  result.set_integer(element, q + (up ? 1 : -1));
  return result;
}

// Each element off by the error, up or down.
Tensor spoiled(const Tensor& tensor, const Error& error, Choices& choices) {
  Tensor result = tensor;
  const double unit = 2 * info(tensor.dtype).unit_roundoff;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const double x = tensor.get_double(i);
    const double sign = choices.chance(50) ? 1 : -1;
    if (!std::isfinite(x) || x == 0) continue;
    const double step = error.units > 0 ? error.units * std::ldexp(unit, std::ilogb(x)) : error.relative * std::fabs(x);
    result.set_double(i, x + sign * step);
  }
  return result;
}

// The case with an input that holds `data` in the place of node n.
std::optional<Case> with_given(const Case& test, std::size_t n, const Tensor& data) {
  Sketch sketch = take_apart(test);
  const ValueId value = test.graph.nodes[n].results.front();
  sketch.nodes.erase(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  stand_in_source(sketch, SourceKind::Input, value, test.graph.name(value), data);
  return put_together(sketch, test);
}

// What the target makes of the case, as if it were of the graph that has no input more.
std::optional<Outcome> run_given(Target& target, const Case& given, std::size_t inputs) {
  Outcome outcome = target.run(given, nullptr);
  if (outcome.status != Status::Ok || !outcome.a) return std::nullopt;
  outcome.a_again.reset();
  outcome.a_kept.clear();
  outcome.a->inputs.erase(outcome.a->inputs.begin() + static_cast<std::ptrdiff_t>(inputs));
  outcome.a->identity.clear();
  return outcome;
}

bool same_outputs(const Outcome& a, const Outcome& b) {
  for (std::size_t i = 0; i < a.a->outputs.size(); ++i) {
    if (a.a->outputs[i].bytes != b.a->outputs[i].bytes) return false;
  }
  for (std::size_t i = 0; i < a.a->inputs.size(); ++i) {
    if (a.a->inputs[i] && b.a->inputs[i] && a.a->inputs[i]->bytes != b.a->inputs[i]->bytes) return false;
  }
  return true;
}

// What is wrong with a node's result, by an error's number.
using SpoilFn = Tensor (*)(const Tensor& right, std::size_t error, Choices& choices);

// Counts by error, of that many graphs, at nodes for which `fits` holds.
template <std::size_t N>
std::array<Counts, N> inject(Target& target, GenerateOptions options, bool (*fits)(const Case& test, const Node& node),
                             SpoilFn spoil, int graphs, uint64_t seed) {
  std::array<Counts, N> counts;
  const Vocabulary words = Vocabulary::taken_by({&target});
  options.words = &words;
  for (uint64_t k = 0; counts.front().injected < graphs; ++k) {
    Choices choices(seed, k);
    const Case test = generate(choices, options);
    if (has_several_runs(test) || !test.symbols.empty()) continue;
    std::vector<std::size_t> places;
    for (std::size_t n = 0; n < test.graph.nodes.size(); ++n) {
      if (fits(test, test.graph.nodes[n])) places.push_back(n);
    }
    const auto expected = expected_runs(target.profile(), test);
    const auto values = record_values(test);
    if (places.empty() || !expected || !values) continue;
    const std::size_t n = choices.pick(places);
    const Tensor& right = (*values)[test.graph.nodes[n].results.front().index];
    const std::size_t inputs = expected->a.inputs.size();
    ExpectedRuns with_spreads = *expected;
    if (!add_spreads(target.profile(), test, reported_members, with_spreads)) continue;
    const auto judged = [&](const Tensor& data) -> std::optional<std::pair<Outcome, Verdicts>> {
      const std::optional<Case> given = with_given(test, n, data);
      if (!given) return std::nullopt;
      std::optional<Outcome> outcome = run_given(target, *given, inputs);
      if (!outcome) return std::nullopt;
      const bool identity = target.promises_identity();
      const Verdicts verdicts{judge(test.graph, *expected, *outcome, identity).verdict,
                              judge(test.graph, with_spreads, *outcome, identity).verdict};
      return std::pair(*std::move(outcome), verdicts);
    };
    const auto whole = judged(right);
    // Where views of the node are written the input is another thing, and so is what comes out.
    if (!whole || whole->second.by_both != Verdict::Match) continue;
    for (std::size_t e = 0; e < N; ++e) {
      Choices signs(seed + 1, k);
      const auto wrong = judged(spoil(right, e, signs));
      if (!wrong) continue;
      ++counts[e].injected;
      if (same_outputs(whole->first, wrong->first)) continue;
      ++counts[e].shown;
      counts[e].proved += wrong->second.by_proof == Verdict::Mismatch;
      counts[e].suspected += wrong->second.by_proof == Verdict::Suspect;
      counts[e].by_both += wrong->second.by_both == Verdict::Mismatch;
    }
  }
  return counts;
}

// Arguments: graphs a size (default 1000), the seed (1).
int run(int count, char** arguments) {
  const int graphs = count > 1 ? std::atoi(arguments[1]) : 1000;
  const uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const auto target = open_target("portable", {});
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().text());
    return 3;
  }
  fmt::print("{} graphs a size, seed {}: of the errors at one node, in percent\n\n", graphs, seed);
  fmt::print("{:>5}  {:<8} {:>9} {:>9} {:>10} | {:>35}\n", "nodes", "error", "shown", "proved", "suspected",
             "proved, suspected, by both of shown");
  const auto by_error = [](const Tensor& right, std::size_t e, Choices& choices) {
    return spoiled(right, errors[e], choices);
  };
  for (const int nodes : {5, 10, 20, 50}) {
    const GenerateOptions options{.profile = GenerateProfile::All, .min_nodes = nodes, .max_nodes = nodes};
    const auto counts = inject<errors.size()>(**target, options, makes_floats, by_error, graphs, seed);
    for (std::size_t e = 0; e < errors.size(); ++e) {
      const Counts& of = counts[e];
      const auto percent = [](int part, int whole) { return whole == 0 ? 0.0 : 100.0 * part / whole; };
      fmt::print("{:>5}  {:<8} {:>9.1f} {:>9.1f} {:>10.1f} | {:>8.1f} {:>11.1f} {:>13.1f}\n", nodes, errors[e].name,
                 percent(of.shown, of.injected), percent(of.proved, of.injected), percent(of.suspected, of.injected),
                 percent(of.proved, of.shown), percent(of.suspected, of.shown), percent(of.by_both, of.shown));
    }
  }
  const auto one_step = [](const Tensor& right, std::size_t, Choices& choices) { return a_step_off(right, choices); };
  const Counts steps =
      inject<1>(**target, {.profile = GenerateProfile::Quantized}, makes_quantized_numbers, one_step, graphs, seed)[0];
  fmt::print("\nprofile quantized, one element of one quantized tensor a step off: {} injected, {} shown, {} caught",
             steps.injected, steps.shown, steps.proved);
  fmt::print(" ({:.1f} % of what shows)\n", steps.shown == 0 ? 0.0 : 100.0 * steps.proved / steps.shown);
  return 0;
}

}  // namespace
}  // namespace parallax

int main(int count, char** arguments) { return parallax::run(count, arguments); }
