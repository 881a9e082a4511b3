// The first nodes gone: what they made and later nodes need is given as inputs that hold what run A computed. How many
// is found by bisection.
#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"
#include "reducers/removal.h"

namespace parallax {

void cut_prefix(Reduction& reduction) {
  std::size_t failed = reduction.best().graph.nodes.size();
  while (failed > 1 && !reduction.spent()) {
    const std::size_t cut = failed / 2;
    const std::vector<Tensor>* values = reduction.values();
    if (values == nullptr) return;
    const auto sketch = remove_nodes(reduction.best(), 0, cut, Removal::Promote, values);
    const bool gone = reduction.take(sketch ? put_together(*sketch, reduction.best()) : std::nullopt);
    failed = gone ? failed - cut : cut;
  }
}

}  // namespace parallax
