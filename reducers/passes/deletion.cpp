// Ranges of nodes gone, from the back: long ones as long as that goes well, short ones where it does not. Between two
// nodes that are needed and g that are not, this takes some 2 log2(g) checks.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/removal.h"
#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"

namespace parallax {
namespace {

std::optional<Case> without(Reduction& reduction, std::size_t begin, std::size_t end, Removal removal) {
  const auto sketch = remove_nodes(reduction.best(), begin, end, removal, reduction.values());
  return sketch ? put_together(*sketch, reduction.best()) : std::nullopt;
}

}  // namespace

void delete_ranges(Reduction& reduction) {
  // The last nodes have the fewest users.
  std::size_t end = reduction.best().graph.nodes.size();
  std::size_t length = std::max<std::size_t>(end / 4, 1);
  Removal likely = Removal::Bypass;
  while (end > 0 && !reduction.spent()) {
    // Each is asked for if the one before it fails: half as many, at last one in the other way.
    std::vector<std::pair<std::size_t, Removal>> ranges;
    for (length = std::min(length, end); length > 0; length /= 2) ranges.emplace_back(length, likely);
    ranges.emplace_back(1, likely == Removal::Bypass ? Removal::Promote : Removal::Bypass);
    const std::vector<std::size_t> taken = reduction.take_first(
        ranges.size(), [&](std::size_t i) { return without(reduction, end - ranges[i].first, end, ranges[i].second); });
    if (taken.empty()) {
      length = 1;
      --end;
    } else {
      std::tie(length, likely) = ranges[taken.front()];
      end = std::min(end - length, reduction.best().graph.nodes.size());
      length *= 2;
    }
  }
}

}  // namespace parallax
