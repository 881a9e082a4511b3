// Canonical names, sources in the order of use, and no expectation.
#include "reducers/candidates.h"
#include "reducers/canonical.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

Sketch renamed(const Case& test) {
  const CanonicalNames names = canonical_names(test.graph);
  Sketch sketch = take_apart(test);
  for (std::size_t i = 0; i < sketch.sources.size(); ++i) sketch.sources[i].name = names.sources[i];
  for (std::size_t n = 0; n < sketch.nodes.size(); ++n) {
    Sketch::CallSketch& node = sketch.nodes[n];
    node.name = names.nodes[n];
    for (std::size_t k = 0; k < node.results.size(); ++k) node.result_names[k] = canonical_element_name(node.name, k);
  }
  std::size_t declared = 0;
  for (const std::string& name : names.storages) {
    if (!name.empty()) sketch.storages[declared++].name = name;
  }
  return sketch;
}

Sketch reordered(const Case& test) {
  Sketch sketch = take_apart(test);
  std::vector<Sketch::GivenValue> sources;
  for (std::size_t place : order_of_use(test.graph)) sources.push_back(sketch.sources[place]);
  sketch.sources = std::move(sources);
  return sketch;
}

}  // namespace

std::vector<Edit> name_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  if (std::optional<Case> ordered = put_together(reordered(test), test))
    candidates.offer("canonical", renamed(*ordered));
  candidates.offer("names", renamed(test));
  candidates.offer("order", reordered(test));
  candidates.offer("no expectation", take_apart(test));
  return candidates.take();
}

}  // namespace parallax
