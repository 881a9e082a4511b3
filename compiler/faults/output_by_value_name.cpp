// F03: a storage is kept for the caller only if the value that it was made with is returned, not if a view of it is
// (PyTorch #187678, ExecuTorch #3565).
#include <algorithm>

#include "compiler/faults.h"
#include "planner/plan_checker.h"

namespace parallax {
namespace {

Lifetimes lifetimes_by_returned_name(const Graph& graph) {
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  for (ValueId output : graph.outputs) {
    const StorageId storage = graph.meta(output).storage;
    const bool made_here = lifetimes[storage.index].arena == Arena::Returned;
    const bool by_name = std::ranges::find(graph.outputs, first_value(graph, storage)) != graph.outputs.end();
    if (made_here && !by_name) lifetimes[storage.index].arena = Arena::Backend;
  }
  return lifetimes;
}

}  // namespace

const Fault output_by_value_name = {
    "F03",
    "output liveness by value name",
    "planner",
    "a storage of which only a view is returned is taken for dead after its last reader",
    "pytorch#187678, executorch#3565",
    [](CompilerParts& parts) { parts.lifetimes = lifetimes_by_returned_name; },
};

}  // namespace parallax
