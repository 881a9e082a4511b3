// Ranges of nodes gone: halves, quarters, down to pairs and single nodes.
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"
#include "reducers/removal.h"

namespace parallax {

std::vector<Case> range_candidates(const Case& test, const RecordedValues& recorded) {
  CandidateList candidates(test);
  const std::optional<std::vector<Tensor>> values = recorded(test);
  const std::size_t count = test.graph.nodes.size();
  for (std::size_t length = count / 2; length > 0; length /= 2) {
    // From the back: the last nodes have the fewest users.
    for (std::size_t end = count; end > 0; end -= std::min(end, length)) {
      const std::size_t begin = end - std::min(end, length);
      for (Removal removal : {Removal::Promote, Removal::Bypass}) {
        const auto sketch = remove_nodes(test, begin, end, removal, values ? &*values : nullptr);
        if (sketch) candidates.offer(*sketch);
      }
    }
  }
  return candidates.take();
}

}  // namespace parallax
