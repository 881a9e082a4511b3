#include "planner/lifetimes.h"

#include <algorithm>

#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// What exists before the nodes run: declared storages, and those of the sources.
void place_given_storages(const Graph& graph, Lifetimes& lifetimes) {
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    lifetimes[s].arena = graph.storages[s].data ? Arena::State : Arena::Inputs;
  }
  for (const Source& source : graph.sources) {
    if (source.window || source.kind == SourceKind::Input) continue;
    lifetimes[graph.meta(source.value).storage.index].arena =
        source.kind == SourceKind::Constant ? Arena::Constants : Arena::State;
  }
}

}  // namespace

Lifetimes alias_set_lifetimes(const Graph& graph) {
  Lifetimes lifetimes(graph.storages.size());
  place_given_storages(graph, lifetimes);
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t s = 0; s < makers.size(); ++s) {
    if (!makers[s]) continue;
    const int made = static_cast<int>(makers[s]->index);
    lifetimes[s] = {Arena::Backend, {exact_or_one_more<"life_begins_late">(made), made}};
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) {
        // In an order that is wrong on purpose a reader may stand before the maker.
        int& last = lifetimes[graph.meta(value).storage.index].range.last;
        last = std::max(last, exact_or_one_less<"last_use_one_early">(static_cast<int>(n)));
      });
    }
  }
  for (ValueId output : graph.outputs) {
    Lifetime& lifetime = lifetimes[graph.meta(output).storage.index];
    if (lifetime.arena == Arena::Backend && taken_unless_dropped<"returned_in_the_arena">())
      lifetime.arena = Arena::Returned;
  }
  return lifetimes;
}

}  // namespace parallax
