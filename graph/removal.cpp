#include "graph/removal.h"

#include <algorithm>

namespace parallax {

std::vector<bool> used_values(const Sketch& sketch) {
  std::vector<bool> used(sketch.stand_ins.size(), false);
  const auto use = [&](ValueId value) { used[sketch.resolve(value).index] = true; };
  for (const Sketch::CallSketch& node : sketch.nodes) {
    for (const Argument& argument : node.arguments) for_each_value(argument, use);
  }
  for (ValueId output : sketch.outputs) use(output);
  return used;
}

std::vector<ValueId> same_type_operands(const Graph& graph, const Node& node, ValueId result) {
  std::vector<ValueId> operands;
  const TensorMeta& wanted = graph.meta(result);
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      const TensorMeta& meta = graph.meta(value);
      if (meta.dtype != wanted.dtype || !(meta.layout.sizes == wanted.layout.sizes)) return;
      if (std::find(operands.begin(), operands.end(), value) == operands.end()) operands.push_back(value);
    });
  }
  return operands;
}

void stand_in_source(Sketch& sketch, SourceKind kind, ValueId value, const std::string& name, const Tensor& data) {
  const ValueId fresh(sketch.stand_ins.size());
  sketch.stand_ins.push_back(fresh);
  sketch.sources.push_back({kind, fresh, name, data.dtype, contiguous_layout(data.sizes), data, std::nullopt});
  sketch.replace(value, fresh);
}

std::optional<Sketch> remove_nodes(const Case& test, std::size_t begin, std::size_t end, Removal removal,
                                   const std::vector<Tensor>* recorded) {
  const Graph& graph = test.graph;
  Sketch sketch = take_apart(test);
  sketch.nodes.erase(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                     sketch.nodes.begin() + static_cast<std::ptrdiff_t>(end));
  if (removal == Removal::Promote) {
    std::vector<bool> removed(graph.metas.size(), false);
    for (std::size_t n = begin; n < end; ++n) {
      for (ValueId result : graph.nodes[n].results) removed[result.index] = true;
    }
    std::erase_if(sketch.outputs, [&](ValueId output) { return removed[output.index]; });
  }
  std::vector<bool> used = used_values(sketch);
  for (std::size_t n = end; n-- > begin;) {
    const Node& node = graph.nodes[n];
    for (ValueId result : node.results) {
      if (!used[result.index]) continue;
      const std::vector<ValueId> operands =
          removal == Removal::Bypass ? same_type_operands(graph, node, result) : std::vector<ValueId>();
      if (!operands.empty()) {
        sketch.replace(result, operands.front());
        used[operands.front().index] = true;
      } else if (recorded) {
        stand_in_source(sketch, SourceKind::Input, result, graph.name(result), (*recorded)[result.index]);
      } else {
        return std::nullopt;
      }
    }
  }
  return sketch;
}

}  // namespace parallax
