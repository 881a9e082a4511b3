#include "export/python_control.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "export/python_custom.h"
#include "export/python_text.h"
#include "graph/storage_sets.h"

namespace parallax {
namespace {

std::string function_name(const SubgraphNames& names, const Graph& subgraph) { return "graph_" + names.of(subgraph); }

// Dropout in evaluation copies in eager, and is its operand where torch.compile traces what a branch or a loop runs.
bool is_evaluated_dropout(const Graph& graph, ValueId value) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return node.op->name == "aten.native_dropout.default" && node.results.front() == value;
  });
}

// Whether eager may hand the output on as an operand's memory or as that of an earlier output.
bool may_share(const Graph& graph, const StorageSets& sets, std::size_t output) {
  if (is_evaluated_dropout(graph, graph.outputs[output])) return true;
  const StorageId storage = graph.meta(graph.outputs[output]).storage;
  const auto shares = [&](ValueId value) { return sets.may_share(graph.meta(value).storage, storage); };
  return std::ranges::any_of(graph.sources, shares, &Source::value) ||
         std::any_of(graph.outputs.begin(), graph.outputs.begin() + static_cast<std::ptrdiff_t>(output), shares);
}

std::string tuple_of(const std::vector<std::string>& entries) {
  std::string text = "(";
  for (const std::string& entry : entries) text += entry + ", ";
  return text + ")";
}

}  // namespace

bool writes_in_slices(const Graph& graph) {
  const auto writes = [](const Node& node) {
    const ControlOp* op = as_control(*node.op);
    return op != nullptr && (op->kind() == ControlKind::Scan || op->kind() == ControlKind::Map) && op->writes();
  };
  const SubgraphNames subgraphs(graph);
  return std::ranges::any_of(graph.nodes, writes) || std::ranges::any_of(subgraphs.run(), [&](const Graph* one) {
           return std::ranges::any_of(one->nodes, writes);
         });
}

std::vector<std::string> value_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const std::string& name : graph.names) names.push_back("v_" + name);
  return names;
}

std::string node_lines(const Graph& graph, std::size_t n, const SubgraphNames& names, const PythonCall& call,
                       const std::vector<std::string>& values, std::string_view library, int indentation) {
  const Node& node = graph.nodes[n];
  const ControlOp* control = as_control(*node.op);
  const std::string text =
      control ? control_call(node, *control, names, values, library) : call(node, python_spelling(values));
  if (!node.op->schema.has_list_result())
    return indented(indentation, fmt::format("{} = {}", values[node.results.front().index], text));
  if (node.results.empty()) return indented(indentation, text);
  const std::string list = fmt::format("list_{}", n);
  std::string lines = indented(indentation, fmt::format("{} = {}", list, text));
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    lines += indented(indentation,
                      fmt::format("{} = {}[{}]", values[node.results[k].index], list, place_in_list(*node.op, k)));
  }
  return lines;
}

std::string subgraph_functions(const SubgraphNames& names, const PythonCall& call, std::string_view library,
                               int indentation) {
  std::string text;
  for (const Graph* graph : names.run()) {
    const std::vector<std::string> values = value_names(*graph);
    std::vector<std::string> parameters;
    for (const Source& source : graph->sources) parameters.push_back(values[source.value.index]);
    text +=
        indented(indentation, fmt::format("def {}({}):", function_name(names, *graph), fmt::join(parameters, ", ")));
    for (std::size_t n = 0; n < graph->nodes.size(); ++n)
      text += node_lines(*graph, n, names, call, values, library, indentation + 1);
    const StorageSets sets(*graph);
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < graph->outputs.size(); ++i)
      outputs.push_back(values[graph->outputs[i].index] + (may_share(*graph, sets, i) ? ".clone()" : ""));
    text += indented(indentation + 1, "return " + tuple_of(outputs));
  }
  return text;
}

std::string control_call(const Node& node, const ControlOp& op, const SubgraphNames& names,
                         const std::vector<std::string>& values, std::string_view library) {
  // PyTorch takes no tensor twice.
  const auto called = [&](std::size_t from, std::size_t count) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& value = values[std::get<ValueId>(node.arguments[from + i]).index];
      list.push_back(std::ranges::find(list, value) != list.end() ? value + ".clone()" : value);
    }
    return list;
  };
  const auto function = [&](std::size_t k) { return function_name(names, op.subgraph(k)); };
  const ControlParts& parts = op.parts;
  const std::string carries = tuple_of(called(op.first_operand(), parts.carries));
  const std::string sliced = tuple_of(called(op.first_operand() + parts.carries, parts.scanned));
  const std::string closures = tuple_of(called(op.first_operand() + parts.carries + parts.scanned, parts.closures));
  switch (op.kind()) {
    case ControlKind::Cond:
      return fmt::format("torch.cond({}, {}, {}, {})", called(0, 1).front(), function(0), function(1), closures);
    case ControlKind::WhileLoop:
      return fmt::format(
          "torch._higher_order_ops.while_loop(lambda *c: {0}(*c, *{3})[0], lambda *c: {1}(*c, *{3}), {2})", function(0),
          function(1), carries, closures);
    case ControlKind::Scan:
      return fmt::format(
          "sum(map(list, torch._higher_order_ops.scan(lambda c, x: (lambda r: (list(r[:{0}]), list(r[{0}:])))"
          "({1}(*c, *x, *{4})), list({2}), list({3}))), [])",
          parts.carries, function(0), carries, sliced, closures);
    case ControlKind::Map:
      return fmt::format("torch._higher_order_ops.map(lambda x, *c: {}(*x, *c), list({}), *{})", function(0), sliced,
                         closures);
    case ControlKind::Custom:
      return custom_call(node, op, names, values, library);
  }
  return "";
}

}  // namespace parallax
