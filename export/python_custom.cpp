#include "export/python_custom.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "export/python_control.h"
#include "export/python_module.h"
#include "export/python_text.h"
#include "graph/custom_op.h"

namespace parallax {
namespace {

// PyTorch functionalizes no operation whose result is an operand or a view of one, and none that writes and may return
// None: these are registered as what they are made of.
bool is_composite(const Subgraph& reference) {
  const std::string schema = library_schema(reference);
  const std::string_view returned = std::string_view(schema).substr(schema.rfind("->"));
  return returned.contains("Tensor(") || (schema.contains('!') && returned.contains('?'));
}

}  // namespace

std::string custom_library(std::string_view class_name) {
  std::string library(class_name);
  std::ranges::transform(library, library.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return library;
}

std::string custom_operations(const SubgraphNames& names, std::string_view library) {
  if (names.operations().empty()) return "";
  std::string text = fmt::format("{0} = torch.library.Library(\"{0}\", \"DEF\")\n\n\n", library);
  for (const Subgraph& reference : names.operations()) {
    const Graph& graph = *reference.graph;
    const std::string& name = names.of(graph);
    const std::vector<std::string> values = value_names(graph);
    std::vector<std::string> parameters;
    for (const Source& source : graph.sources) parameters.push_back(values[source.value.index]);
    text += fmt::format("def {}_{}({}):\n", library, name, fmt::join(parameters, ", "));
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      text += node_lines(graph, n, names, aten_call, values, library, 1);
    std::vector<std::string> returned;
    for (const ValueId value : names.returned(graph)) returned.push_back(value.valid() ? values[value.index] : "None");
    if (!returned.empty()) text += indented(1, fmt::format("return {}", fmt::join(returned, ", ")));
    const bool composite = is_composite(reference);
    text += fmt::format("\n\n{}.define(\"{}{}\")\n", library, name, library_schema(reference));
    text += fmt::format("{0}.impl(\"{1}\", {0}_{1}, \"{2}\")\n", library, name,
                        composite ? "CompositeImplicitAutograd" : "CompositeExplicitAutograd");
    if (!composite) text += fmt::format("torch.library.register_fake(\"{0}::{1}\", {0}_{1}, lib={0})\n", library, name);
    text += "\n\n";
  }
  return text;
}

std::string custom_call(const Node& node, const ControlOp& op, const SubgraphNames& names,
                        const std::vector<std::string>& values, std::string_view library) {
  std::vector<std::string> operands;
  for (const Argument& argument : node.arguments) operands.push_back(values[std::get<ValueId>(argument).index]);
  const std::string call =
      fmt::format("torch.ops.{}.{}({})", library, names.of(op.subgraph(0)), fmt::join(operands, ", "));
  const std::size_t returned = node.results.size() + op.parts.subgraphs.front().nones.size();
  return returned == 1 ? fmt::format("[{}]", call) : call;
}

}  // namespace parallax
