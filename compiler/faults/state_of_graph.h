// What faults of a program's state ask of the graph that functionalize makes: there the state is read as it was before
// the run, and one copy_ at the end writes each buffer back.
#pragma once

#include <algorithm>
#include <optional>

#include "graph/graph.h"
#include "ops/registry.h"

namespace parallax {

// The buffer that a value is, or is a view of; null for any other value.
inline const Source* buffer_of(const Graph& graph, ValueId value) {
  const auto holds = [&](const Source& source) {
    return source.kind == SourceKind::Buffer && graph.meta(source.value).storage == graph.meta(value).storage;
  };
  const auto found = std::ranges::find_if(graph.sources, holds);
  return found == graph.sources.end() ? nullptr : &*found;
}

struct WriteBack {
  ValueId buffer;  // the value that is written, of the buffer's storage
  ValueId source;
};

// What the node writes back to the state; nothing for any other node.
inline std::optional<WriteBack> write_back_of(const Graph& graph, const Node& node) {
  static const Op& copy = op_named("aten.copy_.default");
  if (node.op != &copy) return std::nullopt;
  const Call call(copy, node.arguments, graph.metas);
  if (buffer_of(graph, call.value(arg::self)) == nullptr) return std::nullopt;
  return WriteBack{call.value(arg::self), call.value(arg::src)};
}

inline bool makes(const Node& node, ValueId value) {
  return std::ranges::find(node.results, value) != node.results.end();
}

// The node's arguments with each value for which `replacement` has one replaced by it.
template <class Replacement>
std::vector<Argument> replaced_arguments(const Node& node, Replacement&& replacement) {
  std::vector<Argument> arguments = node.arguments;
  for (Argument& argument : arguments) for_each_value(argument, [&](ValueId& value) { value = replacement(value); });
  return arguments;
}

}  // namespace parallax
