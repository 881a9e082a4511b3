// The first nodes gone: what they made and later nodes need is given as inputs that hold what run A computed.
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"
#include "reducers/removal.h"

namespace parallax {

std::vector<Case> prefix_candidates(const Case& test, const RecordedValues& recorded) {
  CandidateList candidates(test);
  const std::optional<std::vector<Tensor>> values = recorded(test);
  if (!values) return {};
  // Half, then three quarters, then less and less: after each success the rest is halved again.
  const std::size_t count = test.graph.nodes.size();
  std::vector<std::size_t> cuts = {count / 2, count * 3 / 4};
  for (std::size_t cut = count / 4; cut > 0; cut /= 2) cuts.push_back(cut);
  for (std::size_t cut : cuts) {
    if (cut == 0 || cut >= count) continue;
    if (const auto sketch = remove_nodes(test, 0, cut, Removal::Promote, &*values)) candidates.offer(*sketch);
  }
  return candidates.take();
}

}  // namespace parallax
