// The first nodes gone: what they made and later nodes need is given as inputs that hold what run A computed. How many
// is found by bisection.
#include <vector>

#include "graph/removal.h"
#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"

namespace parallax {

void cut_prefix(Reduction& reduction) {
  std::size_t failed = reduction.best().graph.nodes.size();
  while (failed > 1 && !reduction.spent()) {
    const std::vector<Tensor>* values = reduction.values();
    if (values == nullptr) return;
    // Each is asked for if the one before it fails.
    std::vector<std::size_t> cuts;
    for (std::size_t cut = failed / 2; cut > 0; cut /= 2) cuts.push_back(cut);
    const std::vector<std::size_t> taken = reduction.take_first(cuts.size(), [&](std::size_t i) {
      const auto sketch = remove_nodes(reduction.best(), 0, cuts[i], Removal::Promote, values);
      return sketch ? put_together(*sketch, reduction.best()) : std::nullopt;
    });
    if (taken.empty()) return;
    if (taken.front() > 0) failed = cuts[taken.front() - 1];
    failed -= cuts[taken.front()];
  }
}

}  // namespace parallax
