// One run, fewer runs, no symbols: every run alone at its own sizes, then one run less, then the sizes that a symbol
// has in the first run for good.
#include <fmt/format.h>

#include <algorithm>

#include "graph/runs.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

Sketch without_run(const Sketch& whole, std::size_t run) {
  Sketch sketch = whole;
  const auto drop = [&](auto& list) {
    if (!list.empty()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(run));
  };
  drop(sketch.later);
  for (Sketch::DeclaredStorage& storage : sketch.storages) drop(storage.later);
  for (Sketch::GivenValue& source : sketch.sources) drop(source.later);
  return sketch;
}

// The case from its second run on.
std::optional<Case> without_first_run(const Case& test) {
  Result<Case> second = case_of_run(test, 1);
  if (!second) return std::nullopt;
  Case shorter = test;
  shorter.graph = std::move(second->graph);
  shorter.feed = std::move(second->feed);
  shorter.later.erase(shorter.later.begin());
  return shorter;
}

}  // namespace

std::vector<Edit> run_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  if (!has_several_runs(test)) return candidates.take();
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    if (Result<Case> one = case_of_run(test, run)) candidates.offer(fmt::format("run {} alone", run), take_apart(*one));
  }
  const Sketch whole = take_apart(test);
  for (std::size_t run = test.later.size(); run-- > 0;) {
    candidates.offer(fmt::format("without run {}", run), without_run(whole, run));
  }
  if (!test.later.empty()) {
    if (const std::optional<Case> shorter = without_first_run(test)) {
      candidates.offer("without the first run", take_apart(*shorter));
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
