#include "reducers/reduce.h"

#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"

namespace parallax {
namespace {

std::vector<Case> candidates_of(const ReductionPass& pass, Reduction& reduction) {
  return pass.candidates(reduction.best(), [&](const Case&) -> std::optional<std::vector<Tensor>> {
    const std::vector<Tensor>* values = reduction.values();
    return values == nullptr ? std::nullopt : std::optional(*values);
  });
}

// Tries a pass's candidates until a whole round of them failed. After a success the pass goes on where it was, so that
// what failed before is not the first thing to be tried again.
void try_candidates(const ReductionPass& pass, Reduction& reduction) {
  std::vector<Case> candidates = candidates_of(pass, reduction);
  std::size_t position = 0;
  std::size_t failures = 0;
  while (!reduction.spent() && failures < candidates.size()) {
    if (position >= candidates.size()) position = 0;
    if (reduction.take(std::move(candidates[position]))) {
      failures = 0;
      candidates = candidates_of(pass, reduction);
    } else {
      ++failures;
      ++position;
    }
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
