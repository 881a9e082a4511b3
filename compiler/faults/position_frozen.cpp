// F47: a buffer of one integer, as a position in a cache is, is read when the program is built and is a constant from
// then on (tt-metal #44404, #50799).
#include <map>

#include "compiler/faults.h"
#include "compiler/faults/state_of_graph.h"
#include "compiler/rewriter.h"

namespace parallax {
namespace {

bool holds_one_integer(const Graph& graph, const Source& source) {
  const TensorMeta& meta = graph.meta(source.value);
  return source.kind == SourceKind::Buffer && !source.window && !is_floating(meta.dtype) && meta.dtype != DType::Bool &&
         meta.layout.numel() == 1;
}

bool is_read(const Graph& graph, ValueId value) {
  bool found = false;
  for (const Node& node : graph.nodes) {
    if (write_back_of(graph, node)) continue;
    for (const Argument& argument : node.arguments)
      for_each_value(argument, [&](ValueId operand) { found = found || operand == value; });
  }
  return found;
}

Result<Graph> functionalize_freezing_positions(const Graph& graph, const PassOptions&) {
  TRY(const Graph functional, functionalize(graph));
  Rewriter rewriter(functional);
  std::map<uint32_t, ValueId> constants;  // the new value, by the old index of the buffer
  for (const Source& source : functional.sources) {
    if (!holds_one_integer(functional, source) || !is_read(functional, source.value)) continue;
    const TensorMeta& meta = functional.meta(source.value);
    const std::string name = rewriter.fresh_name(functional.name(source.value) + "_at_build");
    TRY(const ValueId constant,
        rewriter.builder().add_source(SourceKind::Constant, name, meta.dtype, meta.layout, source.data));
    constants.emplace(source.value.index, constant);
  }
  const auto frozen = [&](ValueId value) {
    const auto found = constants.find(value.index);
    return found == constants.end() ? rewriter[value] : found->second;
  };
  for (const Node& node : functional.nodes) {
    TRY_VOID(write_back_of(functional, node) ? rewriter.copy(node)
                                             : rewriter.add(node, replaced_arguments(node, frozen)));
  }
  return rewriter.finish();
}

}  // namespace

const Fault position_frozen = {
    "F47",
    "position frozen at compile time",
    "compiler/passes/functionalize.cpp",
    "a buffer of one integer is read when the program is built, and never again",
    "tt-metal#44404, tt-metal#50799",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_freezing_positions); },
};

}  // namespace parallax
