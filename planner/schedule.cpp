#include "planner/schedule.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace parallax {
namespace {

// Whether element i of the one result is computed from element i of each operand, once broadcast. glu and outer are
// filed with the pointwise ops too; their results have other sizes than their operands broadcast to.
bool computes_element_by_element(const Graph& graph, const Node& node) {
  const bool group = node.op->group == OpGroup::Pointwise || node.op->group == OpGroup::Comparison;
  if (!group || node.results.size() != 1) return false;
  std::optional<Dims> sizes = Dims();
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      if (sizes) sizes = broadcast_sizes(*sizes, graph.meta(value).layout.sizes);
    });
  }
  return sizes && *sizes == graph.meta(node.results.front()).layout.sizes;
}

ScheduledStep step_of(const Graph& graph, const std::vector<std::optional<NodeId>>& makers, NodeId id) {
  const Node& node = graph.node(id);
  ScheduledStep step{node.name, {}, {}, {}, {}};
  const bool writes = node.op->writes() && !node.op->writes_metadata_only();
  for (ValueId result : node.results) {
    const StorageId storage = graph.meta(result).storage;
    const bool made = makers[storage.index] == id;
    if (made && std::ranges::find(step.makes, storage) == step.makes.end()) step.makes.push_back(storage);
    if (made || writes) step.writes.push_back(result);
  }
  if (step.writes.empty()) return step;
  const bool by_element = computes_element_by_element(graph, node);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    // What a step writes in place holds its new bytes by the end of the step.
    if (node.op->schema.parameters[i].written) continue;
    for_each_value(node.arguments[i], [&](ValueId value) {
      step.reads.push_back(value);
      const bool same_sizes = graph.meta(value).layout.sizes == graph.meta(node.results.front()).layout.sizes;
      if (by_element && same_sizes) step.elementwise.push_back(value);
    });
  }
  return step;
}

}  // namespace

Schedule schedule_of(const Graph& graph) {
  Schedule schedule;
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    schedule.storages.push_back({graph.storages[s].name, storage_bytes(graph, StorageId(s)), !makers[s]});
  }
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    const TensorMeta& meta = graph.metas[v];
    schedule.values.push_back({graph.names[v], meta.storage, meta.dtype, meta.layout});
    std::string& name = schedule.storages[meta.storage.index].name;
    if (name.empty()) name = graph.names[v];  // after the value that it was made with
  }
  // A declared storage may be called as some value is that another storage is named after.
  std::unordered_set<std::string> taken;
  for (ScheduledStorage& storage : schedule.storages) {
    while (!taken.insert(storage.name).second) storage.name += "'";
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) schedule.steps.push_back(step_of(graph, makers, NodeId(n)));
  schedule.outputs = graph.outputs;
  return schedule;
}

std::vector<int> storage_makers(const Schedule& schedule) {
  std::vector<int> makers(schedule.storages.size(), -1);
  for (std::size_t n = 0; n < schedule.steps.size(); ++n) {
    for (StorageId storage : schedule.steps[n].makes) makers[storage.index] = static_cast<int>(n);
  }
  return makers;
}

}  // namespace parallax
