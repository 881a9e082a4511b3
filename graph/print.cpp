#include "graph/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/call_text.h"
#include "graph/runs.h"
#include "graph/subgraphs.h"

namespace parallax {
namespace {

std::string meta_text(const TensorMeta& meta) {
  std::string text = type_text(meta.dtype, meta.layout.sizes);
  if (meta.layout.strides != contiguous_strides(meta.layout.sizes)) {
    text += fmt::format(" strides [{}]", to_string(meta.layout.strides));
  }
  if (meta.layout.offset != 0) text += fmt::format(" offset {}", meta.layout.offset);
  return text;
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// "  writes a" or "  view of a": what a node does to memory that was there before it.
std::string memory_text(const Graph& graph, const Node& node) {
  std::vector<std::string> shared;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      const StorageId storage = graph.meta(value).storage;
      const bool result_shares = std::any_of(node.results.begin(), node.results.end(),
                                             [&](ValueId result) { return graph.meta(result).storage == storage; });
      const std::string name = storage_name(graph, storage);
      if (result_shares && std::find(shared.begin(), shared.end(), name) == shared.end()) shared.push_back(name);
    });
  }
  if (shared.empty()) return "";
  const bool writes = node.op->writes() && !node.op->writes_metadata_only();
  return (writes ? "  writes " : "  view of ") + join(shared);
}

std::string results_text(const Graph& graph, const Node& node) {
  if (!node.op->schema.has_list_result()) return meta_text(graph.meta(node.results.front()));
  std::vector<std::string> parts;
  for (ValueId result : node.results) parts.push_back(graph.name(result) + " " + meta_text(graph.meta(result)));
  return "[" + join(parts) + "]";
}

std::string source_line(const Graph& graph, const Source& source) {
  const TensorMeta& meta = graph.meta(source.value);
  std::string line =
      fmt::format("  {} {}  {}", source_kind_name(source.kind), graph.name(source.value), meta_text(meta));
  if (source.window) line += "  window on " + graph.storage(meta.storage).name;
  if (source.kind != SourceKind::Input && !source.window) line += "  = " + elements_text(source.data);
  return line + "\n";
}

// What a run is fed, and what is expected of it.
std::string run_text(const Graph& graph, const std::vector<Tensor>& feed, const Expectation& expect) {
  std::string text;
  const std::vector<FeedSlot> slots = feed_slots(graph);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    text += fmt::format("  feed {} = {}\n", slots[i].name, elements_text(feed[i]));
  }
  if (expect.outputs) {
    for (std::size_t i = 0; i < expect.outputs->size(); ++i) {
      const Tensor& tensor = (*expect.outputs)[i];
      text += fmt::format("  expect out[{}] {}  {} = {}\n", i, graph.name(graph.outputs[i]),
                          type_text(tensor.dtype, tensor.sizes), elements_text(tensor));
    }
  }
  for (const auto* state : {&expect.inputs, &expect.buffers}) {
    for (const auto& [name, tensor] : *state) {
      text += fmt::format("  expect {} after the run  {} = {}\n", name, type_text(tensor.dtype, tensor.sizes),
                          elements_text(tensor));
    }
  }
  return text;
}

// "cond(p, then, else, [a, b])".
std::string control_text(const Graph& graph, const Node& node, const ControlOp& op) {
  const WrittenControl written = written_control(op, node);
  std::vector<std::string> parts;
  for (const ValueId predicate : written.predicate) parts.push_back(graph.name(predicate));
  for (const Subgraph& subgraph : op.parts.subgraphs) parts.push_back(subgraph.name);
  for (const std::vector<ValueId>& operands : written.operands) {
    std::vector<std::string> names;
    for (const ValueId operand : operands) names.push_back(graph.name(operand));
    parts.push_back("[" + join(names) + "]");
  }
  if (op.parts.max_steps != most_loop_steps) parts.push_back(fmt::format("max_steps={}", op.parts.max_steps));
  return op.name + "(" + join(parts) + ")";
}

std::string lines_of(const Graph& graph, std::string_view indent, const std::vector<ValueId>& returned) {
  std::string text;
  for (const Source& source : graph.sources) text += fmt::format("{}{}", indent, source_line(graph, source));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    text += fmt::format("{}  #{}  {}\n", indent, i, node_text(graph, NodeId(i)));
  }
  std::vector<std::string> outputs;
  for (const ValueId output : returned) outputs.push_back(output.valid() ? graph.name(output) : "none");
  return text + fmt::format("{}  return {}\n", indent, join(outputs));
}

}  // namespace

std::string_view source_kind_name(SourceKind kind) {
  switch (kind) {
    case SourceKind::Input:
      return "input";
    case SourceKind::Constant:
      return "constant";
    case SourceKind::Buffer:
      return "buffer";
  }
  return "";
}

std::string call_text(const Graph& graph, const Node& node) {
  const Spelling spelling{
      .value = [&](ValueId value) { return graph.name(value); },
      .real = [](double x) { return fmt::format("{}", x); },
      .dtype = [](DType dtype) { return std::string(name(dtype)); },
      .memory_format = [](MemoryFormat format) { return std::string(name(format)); },
      .yes = "true",
      .no = "false",
      .none = "none",
  };
  if (const ControlOp* control = as_control(*node.op)) return control_text(graph, node, *control);
  return node.op->schema.name + "(" + spell_arguments(node, spelling) + ")";
}

std::string node_text(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return fmt::format("{} = {}  {}{}", node.name, call_text(graph, node), results_text(graph, node),
                     memory_text(graph, node));
}

std::string storage_name(const Graph& graph, StorageId id) {
  const Storage& storage = graph.storage(id);
  if (!storage.name.empty()) return storage.name;
  for (std::size_t i = 0; i < graph.metas.size(); ++i) {
    if (graph.metas[i].storage == id) return graph.names[i];
  }
  return "";
}

std::string elements_text(const Tensor& tensor, int64_t limit) {
  std::string text = "[";
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (i > 0) text += ", ";
    if (i == limit) {
      text += "…";
      break;
    }
    text += element_text(tensor, i);
  }
  return text + "]";
}

std::string print(const Graph& graph) {
  std::string text;
  for (const Storage& storage : graph.storages) {
    if (storage.name.empty()) continue;
    text += fmt::format("  storage {}  {}", storage.name, type_text(storage.dtype, storage.sizes));
    text += storage.data ? "  = " + elements_text(*storage.data) + "\n" : "\n";
  }
  text += lines_of(graph, "", graph.outputs);
  const SubgraphNames names(graph);
  for (const Graph* subgraph : names.all()) {
    text += fmt::format("  subgraph {}\n{}", names.of(*subgraph), lines_of(*subgraph, "  ", names.returned(*subgraph)));
  }
  return text;
}

std::string print(const Case& test) {
  std::string text = test.name + "\n" + print(test.graph);
  for (const Method& method : test.methods)
    text += fmt::format("  method {}\n{}", method.name, lines_of(method.graph, "  ", method.graph.outputs));
  if (!has_several_runs(test)) return text + run_text(test.graph, test.feed, test.expect);
  for (const SymbolicDim& dim : test.symbols.dims) {
    const auto& [symbol_name, low, high] = test.symbols.list[dim.of.symbol];
    const std::string of_symbol = test.symbols.text(dim.of);
    text += fmt::format("  dim {} of {} is {}{} in [{}, {}]\n", dim.dim,
                        test.graph.name(test.graph.sources[dim.source].value), of_symbol,
                        of_symbol == symbol_name ? "" : fmt::format(", {}", symbol_name), low, high);
  }
  for (const SymbolicNumber& number : test.symbols.numbers) {
    const Node& node = test.graph.nodes[number.node];
    text += fmt::format("  '{}' of #{} is {}\n", node.op->schema.parameters[number.argument].name, number.node,
                        test.symbols.text(number.of));
  }
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    const std::string sizes = parallax::text(test.symbols, sizes_of_run(test, run));
    text += fmt::format("  run {}{}{}", run + 1, sizes.empty() ? "" : " at ", sizes);
    if (run > 0 && test.later[run - 1].instance != 0)
      text += fmt::format(" on instance {}", test.later[run - 1].instance);
    if (run > 0 && test.later[run - 1].method != 0)
      text += fmt::format(" of method {}", test.methods[test.later[run - 1].method - 1].name);
    text += '\n';
    text +=
        run_text(called_graph(test, run), feed_of_run(test, run), run == 0 ? test.expect : test.later[run - 1].expect);
  }
  return text;
}

}  // namespace parallax
