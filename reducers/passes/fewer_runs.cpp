// One run, fewer runs, one instance, no symbols: every run alone at its own sizes, then without halves, quarters … and
// single runs, then on one instance of the program, then the sizes that a symbol has in the first run for good.
#include <fmt/format.h>

#include <algorithm>

#include "graph/drop_run.h"
#include "graph/runs.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

// Without `count` of the later runs, from that one on.
Sketch without_runs(const Sketch& whole, std::size_t from, std::size_t count) {
  Sketch sketch = whole;
  const auto drop = [&](auto& list) {
    if (list.empty()) return;
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
    list.erase(first, first + static_cast<std::ptrdiff_t>(count));
  };
  drop(sketch.later);
  drop(sketch.instances);
  drop(sketch.called);
  drop(sketch.fed);
  for (Sketch::DeclaredStorage& storage : sketch.storages) drop(storage.later);
  for (Sketch::GivenValue& source : sketch.sources) drop(source.later);
  return sketch;
}

}  // namespace

std::vector<Edit> run_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  if (!has_several_runs(test)) return candidates.take();
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    if (Result<Case> one = case_of_run(test, run)) candidates.offer(fmt::format("run {} alone", run), take_apart(*one));
  }
  const Sketch whole = take_apart(test);
  const std::size_t later = test.later.size();
  for (std::size_t count = later; count > 0; count /= 2) {
    for (std::size_t end = later; end > 0; end -= std::min(end, count)) {
      const std::size_t from = end - std::min(end, count);
      candidates.offer(fmt::format("without runs {} to {}", from, end - 1), without_runs(whole, from, end - from));
    }
  }
  if (const std::optional<Case> shorter = without_run(test, 0)) {
    candidates.offer("without the first run", take_apart(*shorter));
  }
  if (has_several_instances(test)) {
    Sketch on_one = whole;
    std::ranges::fill(on_one.instances, 0);
    candidates.offer("all runs on one instance", on_one);
    for (std::size_t run = 0; run < later; ++run) {
      if (whole.instances[run] == 0) continue;
      Sketch on_first = whole;
      on_first.instances[run] = 0;
      candidates.offer(fmt::format("run {} on the first instance", run + 2), on_first);
    }
  }
  for (std::size_t s = 0; s < whole.symbols.size(); ++s) {
    Sketch sketch = whole;
    for (Sketch::GivenValue& source : sketch.sources) {
      if (std::erase_if(source.symbols, [&](const SymbolicDim& dim) { return dim.of.symbol == s; }) > 0)
        source.later.clear();
    }
    candidates.offer(fmt::format("{} fixed", whole.symbols[s].name), sketch);
  }
  return candidates.take();
}

}  // namespace parallax
