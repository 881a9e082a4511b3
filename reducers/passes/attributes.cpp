// The schema's defaults in place of other arguments: all of a node's, then one.
#include <fmt/format.h>

#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {

std::vector<Edit> attribute_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  for (std::size_t n = 0; n < whole.nodes.size(); ++n) {
    const std::vector<Parameter>& parameters = whole.nodes[n].op->schema.parameters;
    Sketch all = whole;
    std::vector<std::size_t> differing;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].default_value || whole.nodes[n].arguments[i] == *parameters[i].default_value) continue;
      all.nodes[n].arguments[i] = *parameters[i].default_value;
      differing.push_back(i);
    }
    if (differing.size() > 1) candidates.offer("defaults of " + whole.nodes[n].name, all);
    for (std::size_t i : differing) {
      Sketch one = whole;
      one.nodes[n].arguments[i] = *parameters[i].default_value;
      candidates.offer(fmt::format("default {} of {}", parameters[i].name, whole.nodes[n].name), one);
    }
  }
  return candidates.take();
}

}  // namespace parallax
