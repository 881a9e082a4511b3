#include "reducers/reduce.h"

#include <algorithm>
#include <utility>

#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"

namespace parallax {
namespace {

std::vector<Edit> edits_of(const ReductionPass& pass, Reduction& reduction) {
  return pass.candidates(reduction.best(), [&](const Case&) -> std::optional<std::vector<Tensor>> {
    const std::vector<Tensor>* values = reduction.values();
    return values == nullptr ? std::nullopt : std::optional(*values);
  });
}

// Makes the edits of these names too, one on top of the other, as far as the pass still offers them, and asks about the
// result once. What fails here is offered again one at a time.
void merge(const ReductionPass& pass, const std::vector<std::string>& names, Reduction& reduction) {
  std::optional<Case> merged;
  for (const std::string& name : names) {
    std::vector<Edit> edits = pass.candidates(merged ? *merged : reduction.best(), reduction.recorded());
    const auto same = std::ranges::find(edits, name, &Edit::what);
    if (same != edits.end()) merged = std::move(same->result);
  }
  reduction.take(std::move(merged));
}

// Tries a pass's candidates until a whole round of them failed. After a success the pass goes on where it was, so that
// what failed before is not the first thing to be tried again.
void try_candidates(const ReductionPass& pass, Reduction& reduction) {
  std::vector<Edit> edits = edits_of(pass, reduction);
  std::size_t position = 0;
  while (!edits.empty()) {
    const auto place = [&](std::size_t i) { return (position + i) % edits.size(); };
    const std::vector<std::size_t> taken = reduction.take_first(
        edits.size(), [&](std::size_t i) { return std::optional(std::move(edits[place(i)].result)); });
    if (taken.empty()) return;
    if (taken.size() > 1) {
      std::vector<std::string> others;
      for (std::size_t i = 1; i < taken.size(); ++i) others.push_back(std::move(edits[place(taken[i])].what));
      merge(pass, others, reduction);
    }
    position = place(taken.front());
    edits = edits_of(pass, reduction);
    if (position >= edits.size()) position = 0;
  }
}

}  // namespace

ReduceResult reduce(const Case& test, const Interesting& interesting, const RecordedValues& recorded,
                    const ReduceOptions& options) {
  Reduction reduction(test, interesting, recorded, options);
  CaseSize before;
  do {
    before = size_of_case(reduction.best());
    for (const ReductionPass& pass : reduction_passes) {
      reduction.enter(pass.name);
      if (pass.run != nullptr) {
        pass.run(reduction);
      } else {
        try_candidates(pass, reduction);
      }
    }
  } while (size_of_case(reduction.best()) < before && !reduction.spent());
  return {reduction.best(), reduction.checks(), reduction.seconds(), !reduction.spent()};
}

}  // namespace parallax
