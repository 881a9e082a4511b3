#include "graph/inline_subgraph.h"

namespace parallax {

std::vector<ValueId> inline_calls(Sketch& sketch, std::size_t at, const Graph& subgraph,
                                  const std::vector<ValueId>& operands) {
  std::vector<ValueId> values(subgraph.metas.size());
  for (std::size_t i = 0; i < operands.size(); ++i) values[subgraph.sources[i].value.index] = operands[i];
  std::vector<Sketch::CallSketch> calls;
  for (const Node& node : subgraph.nodes) {
    Sketch::CallSketch call{node.op, "", node.arguments, {}, {}};
    for (Argument& argument : call.arguments) {
      for_each_value(argument, [&](ValueId& value) { value = values[value.index]; });
    }
    for (const ValueId result : node.results) {
      const ValueId fresh(sketch.stand_ins.size());
      sketch.stand_ins.push_back(fresh);
      values[result.index] = fresh;
      call.results.push_back(fresh);
    }
    calls.push_back(std::move(call));
  }
  sketch.nodes.insert(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(calls.begin()),
                      std::make_move_iterator(calls.end()));
  std::vector<ValueId> outputs;
  for (const ValueId output : subgraph.outputs) outputs.push_back(values[output.index]);
  return outputs;
}

}  // namespace parallax
