#include "export/python_custom.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "export/python_module.h"
#include "export/python_text.h"
#include "graph/custom_op.h"

namespace parallax {
namespace {

std::string value_name(const Graph& graph, ValueId value) { return "v_" + graph.name(value); }

std::string node_lines(const Graph& graph, std::size_t n, const SubgraphNames& names, std::string_view library) {
  const Node& node = graph.nodes[n];
  std::vector<std::string> values;
  for (std::size_t v = 0; v < graph.metas.size(); ++v) values.push_back(value_name(graph, ValueId(v)));
  const ControlOp* control = as_control(*node.op);
  const std::string text =
      control ? custom_call(node, *control, names, values, library) : aten_call(node, python_spelling(values));
  if (!node.op->schema.has_list_result())
    return indented(1, fmt::format("{} = {}", values[node.results.front().index], text));
  if (node.results.empty()) return indented(1, text);
  const std::string list = fmt::format("list_{}", n);
  std::string lines = indented(1, fmt::format("{} = {}", list, text));
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    const std::size_t place = control ? control->place_of(k) : k;
    lines += indented(1, fmt::format("{} = {}[{}]", values[node.results[k].index], list, place));
  }
  return lines;
}

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
    std::vector<std::string> parameters;
    for (const Source& source : graph.sources) parameters.push_back(value_name(graph, source.value));
    text += fmt::format("def {}_{}({}):\n", library, name, fmt::join(parameters, ", "));
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) text += node_lines(graph, n, names, library);
    std::vector<std::string> returned;
    for (const ValueId value : names.returned(graph))
      returned.push_back(value.valid() ? value_name(graph, value) : "None");
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
