// Ranges of nodes gone, from the back: long ones as long as that goes well, short ones where it does not. Between two
// nodes that are needed and g that are not, this takes some 2 log2(g) checks.
#include <algorithm>

#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"
#include "reducers/removal.h"

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
    length = std::min(length, end);
    const std::size_t begin = end - length;
    bool gone = reduction.take(without(reduction, begin, end, likely));
    if (!gone && length == 1) {
      const Removal other = likely == Removal::Bypass ? Removal::Promote : Removal::Bypass;
      gone = reduction.take(without(reduction, begin, end, other));
      if (gone) likely = other;
    }
    if (gone) {
      end = std::min(begin, reduction.best().graph.nodes.size());
      length *= 2;
    } else if (length > 1) {
      length /= 2;
    } else {
      end = begin;
    }
  }
}

}  // namespace parallax
