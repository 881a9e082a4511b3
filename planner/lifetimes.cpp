#include "planner/lifetimes.h"

namespace parallax {

Lifetimes alias_set_lifetimes(const Graph& graph) {
  Lifetimes lifetimes(graph.storages.size());
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t s = 0; s < makers.size(); ++s) {
    if (!makers[s]) continue;
    const int made = static_cast<int>(makers[s]->index);
    lifetimes[s] = {Place::Arena, {made, made}};
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) {
        lifetimes[graph.meta(value).storage.index].range.last = static_cast<int>(n);
      });
    }
  }
  for (ValueId output : graph.outputs) {
    Lifetime& lifetime = lifetimes[graph.meta(output).storage.index];
    if (lifetime.place == Place::Arena) lifetime.place = Place::Returned;
  }
  return lifetimes;
}

}  // namespace parallax
