// Canonical names, sources in the order of use, and no expectation.
#include "reducers/candidates.h"
#include "reducers/canonical.h"
#include "reducers/reduction_passes.h"

namespace parallax {

std::vector<Edit> name_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  if (std::optional<Case> ordered = put_together(with_canonical_order(test), test))
    candidates.offer("canonical", with_canonical_names(*ordered));
  candidates.offer("names", with_canonical_names(test));
  candidates.offer("order", with_canonical_order(test));
  candidates.offer("no expectation", take_apart(test));
  return candidates.take();
}

}  // namespace parallax
