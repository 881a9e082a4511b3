#include "backends/runtime/pass_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "backends/runtime/pass_change.h"
#include "compiler/rewriter.h"
#include "graph/second_feed.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

// Whether one number can lie in both balls.
bool can_agree(const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return true;
  if (std::isnan(a.mid) || std::isnan(b.mid))
    return (std::isnan(a.mid) || a.may_nan) && (std::isnan(b.mid) || b.may_nan);
  const auto may_be_infinite = [](const Ball& ball) { return std::isinf(ball.mid) || ball.may_inf; };
  if ((a.may_nan && b.may_nan) || (may_be_infinite(a) && may_be_infinite(b))) return true;
  return a.low() <= b.high() && b.low() <= a.high();
}

bool can_agree(const IntegerBall& a, const IntegerBall& b) {
  return a.undecided != Undecided::No || b.undecided != Undecided::No || a.value == b.value;
}

bool can_agree(const BallTensor& a, const BallTensor& b) {
  const auto same = [](const auto& x, const auto& y) { return can_agree(x, y); };
  return a.dtype == b.dtype && a.sizes == b.sizes && std::ranges::equal(a.balls, b.balls, same) &&
         std::ranges::equal(a.integers, b.integers, same);
}

// The first tensor of a list that differs, as "out[1]".
std::optional<std::string> difference(std::string_view list, const std::vector<BallTensor>& a,
                                      const std::vector<BallTensor>& b) {
  if (a.size() != b.size()) return fmt::format("the number of {}", list);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!can_agree(a[i], b[i])) return fmt::format("{}[{}]", list, i);
  }
  return std::nullopt;
}

std::optional<std::string> difference(const Expected& a, const Expected& b) {
  if (auto found = difference("out", a.outputs, b.outputs)) return found;
  if (auto found = difference("input", a.inputs, b.inputs)) return found;
  if (auto found = difference("buffer", a.buffers, b.buffers)) return found;
  if (a.identity != b.identity) return "which outputs share memory";
  return std::nullopt;
}

// Two runs, state passed on, as `examine` makes them: a slip may show with state or other numbers alone.
using Feeds = std::array<std::vector<Tensor>, 2>;

// What they give, as far as eager makes them.
std::vector<Expected> run_all(const Graph& graph, const Profile& profile, const Feeds& feeds) {
  std::vector<Expected> runs;
  Interpreter interpreter(graph, profile);
  for (const std::vector<Tensor>& feed : feeds) {
    Result<Expected> run = interpreter.run(feed);
    if (!run) break;
    runs.push_back(*std::move(run));
  }
  return runs;
}

}  // namespace

Result<void> validate(const Graph& graph) {
  // A pass numbers its values as a rewriter does, so the rebuilt graph is the same in every part.
  TRY(const Graph again, renumbered(graph, OldMetas::InferredAnew));
  if (!same_graph(graph, again)) return fail("rebuilding it gives another graph");
  return {};
}

std::vector<PassFailure> check_passes(const Case& test, const CompileOptions& options, const Profile& profile) {
  std::vector<PassFailure> failures;
  const Feeds feeds = {test.feed, second_feed(test)};
  const std::vector<Expected> meant = run_all(test.graph, profile, feeds);
  std::size_t finished = 0;  // passes
  bool functional = false;   // since a pass made the graph so
  const auto compiled = compile(test.graph, options, [&](const Pass& pass, const Graph& before, const Graph& after) {
    ++finished;
    const bool was_functional = std::exchange(functional, functional || pass.name == "functionalize");
    if (&before == &after) return;  // it had nothing to do
    const auto report = [&](std::string kind, const std::string& detail) {
      failures.push_back({std::string(pass.name), kind + detail, std::move(kind)});
    };
    if (auto valid = validate(after); !valid) return report("leaves an invalid graph", ": " + valid.error().text());
    const Result<Graph> again = pass.run(after, options.for_passes());
    if (!again) return report("refuses its own result", ": " + again.error().text());
    if (!same_graph(after, *again)) return report("is not idempotent", "");
    Interpreter interpreter(after, profile);
    for (std::size_t run = 0; run < meant.size(); ++run) {
      const Result<Expected> now = interpreter.run(feeds[run]);
      // What the oracle does not compute says nothing of the pass: less is known of numbers before it than after.
      if (!now && now.error().kind == ErrorKind::Unsupported) return;
      if (!now) return report("makes a graph that eager refuses", ": " + now.error().text());
      if (const auto what = difference(meant[run], *now)) {
        failures.push_back({std::string(pass.name), fmt::format("changes {}{}", *what, run == 0 ? "" : " of run B"),
                            change_of(before, after, was_functional)});
        return;
      }
    }
  });
  if (!compiled) {
    const Result<std::vector<Pass>> passes = options.selection.from(options.faults.parts().passes);
    const bool refused = passes && finished < passes->size();
    failures.push_back({std::string(refused ? (*passes)[finished].name : "compile"),
                        (refused ? "refuses: " : "") + compiled.error().text(), "refuses"});
  }
  return failures;
}

}  // namespace parallax
