#include "graph/graph_writer.h"

#include "graph/argument_json.h"
#include "graph/builder.h"
#include "graph/call_text.h"
#include "graph/counts.h"
#include "graph/custom_op.h"
#include "graph/graph_names.h"
#include "graph/subgraphs.h"
#include "graph/symbols_json.h"
#include "graph/tensor_json.h"
#include "ops/counted_size.h"

namespace parallax {
namespace {

Json storages_json(const Graph& graph) {
  Json section = Json::object();
  for (const Storage& storage : graph.storages) {
    if (storage.name.empty()) continue;
    Json entry = {{"type", type_text(storage.dtype, storage.sizes)}};
    if (storage.data) entry["data"] = tensor_json(*storage.data);
    section[storage.name] = std::move(entry);
  }
  return section;
}

Json source_json(const Graph& graph, std::size_t place, const Symbols& symbols) {
  const Source& source = graph.sources[place];
  const TensorMeta& meta = graph.meta(source.value);
  Json entry = {{"type", symbolic_type_text(graph, place, symbols)}};
  if (source.window) entry["storage"] = graph.storage(meta.storage).name;
  if (meta.layout.strides != contiguous_strides(meta.layout.sizes)) {
    entry["strides"] = std::vector<int64_t>(meta.layout.strides.begin(), meta.layout.strides.end());
  }
  if (meta.layout.offset != 0) entry["offset"] = meta.layout.offset;
  if (source.kind != SourceKind::Input && !source.window) entry["data"] = tensor_json(source.data);
  return entry;
}

Json sources_json(const Graph& graph, SourceKind kind, const Symbols& symbols) {
  Json section = Json::object();
  for (std::size_t i = 0; i < graph.sources.size(); ++i) {
    const Source& source = graph.sources[i];
    if (source.kind == kind) section[graph.name(source.value)] = source_json(graph, i, symbols);
  }
  return section;
}

Json control_json(const Graph& graph, const Node& node, const ControlOp& op, const SubgraphNames& names) {
  const WrittenControl written = written_control(op, node);
  Json args = Json::array();
  for (const ValueId predicate : written.predicate) args.push_back("%" + graph.name(predicate));
  for (const Subgraph& subgraph : op.parts.subgraphs) args.push_back({{"graph", names.of(*subgraph.graph)}});
  for (const std::vector<ValueId>& operands : written.operands) {
    Json& list = args.emplace_back(Json::array());
    for (const ValueId operand : operands) list.push_back("%" + graph.name(operand));
  }
  Json json = {{"out", node.name}, {"op", op.name}, {"args", std::move(args)}};
  if (op.parts.max_steps != most_loop_steps) json["kwargs"]["max_steps"] = op.parts.max_steps;
  if (op.kind() == ControlKind::Custom) json["schema"] = library_schema(op.parts.subgraphs.front());
  return json;
}

// The arguments of a node that have a number that hangs on a symbol: equal to the default in one run alone.
std::vector<std::size_t> arguments_with_numbers(const Symbols& symbols, std::size_t n) {
  std::vector<std::size_t> arguments;
  for (const SymbolicNumber& number : symbols.numbers) {
    if (number.node == n) arguments.push_back(number.argument);
  }
  return arguments;
}

// An argument, its numbers that hang on symbols as "$2*s+1".
Json argument_json(const Graph& graph, std::size_t n, std::size_t index, const Symbols& symbols) {
  Json json = argument_json(graph.nodes[n].arguments[index], graph);
  for (const SymbolicNumber& number : symbols.numbers) {
    if (number.node != n || number.argument != index) continue;
    (json.is_array() ? json[number.place] : json) = "$" + symbols.text(number.of);
  }
  return json;
}

// How many there are, where data decide it: a number or a symbol.
Json count_json(const Graph& graph, std::size_t n, const Symbols& symbols) {
  const std::size_t place = count_place(*graph.nodes[n].op);
  for (const SymbolicNumber& number : symbols.numbers) {
    if (number.node == n && number.argument == place) return symbols.text(number.of);
  }
  return argument_json(graph.nodes[n].arguments[place], graph);
}

Json node_json(const Graph& graph, std::size_t n, const Symbols& symbols, const SubgraphNames& names) {
  const Node& node = graph.nodes[n];
  if (const ControlOp* control = as_control(*node.op)) return control_json(graph, node, *control, names);
  const WrittenArguments written = written_arguments(node, arguments_with_numbers(symbols, n));
  Json args = Json::array();
  for (int i = 0; i < written.positional; ++i) {
    args.push_back(argument_json(graph, n, static_cast<std::size_t>(i), symbols));
  }
  Json json = {{"out", node.name}, {"op", node.op->name}, {"args", std::move(args)}};
  for (int i : written.named) {
    const auto index = static_cast<std::size_t>(i);
    json["kwargs"][node.op->schema.parameters[index].name] = argument_json(graph, n, index, symbols);
  }
  if (states_count(node)) json["count"] = count_json(graph, n, symbols);
  return json;
}

Json nodes_json(const Graph& graph, const Symbols& symbols, const SubgraphNames& names) {
  const std::vector<bool> used = used_values(graph);
  Json nodes = Json::array();
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    nodes.push_back(node_json(graph, n, symbols, names));
    if (!node.op->schema.has_list_result()) continue;
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      // Unread and without a name of its own: what reads the file again names it the same.
      const std::size_t place = place_in_list(*node.op, k);
      if (!used[node.results[k].index] && graph.name(node.results[k]) == element_name(node.name, place)) continue;
      nodes.push_back(
          {{"out", graph.name(node.results[k])}, {"op", "getitem"}, {"args", Json::array({"%" + node.name, place})}});
    }
  }
  return nodes;
}

Json one_graph_json(const Graph& graph, const Symbols& symbols, const SubgraphNames& names,
                    const std::vector<ValueId>& returned) {
  Json json = Json::object();
  if (Json storages = storages_json(graph); !storages.empty()) json["storages"] = std::move(storages);
  json["inputs"] = sources_json(graph, SourceKind::Input, symbols);
  for (SourceKind kind : {SourceKind::Constant, SourceKind::Buffer}) {
    Json section = sources_json(graph, kind, symbols);
    if (!section.empty()) json[std::string(source_sections[static_cast<std::size_t>(kind)])] = std::move(section);
  }
  json["nodes"] = nodes_json(graph, symbols, names);
  Json& outputs = json["outputs"] = Json::array();
  for (const ValueId output : returned) {
    outputs.push_back(output.valid() ? Json("%" + graph.name(output)) : Json());
  }
  return json;
}

}  // namespace

Json graph_json(const Graph& graph, const Symbols& symbols) {
  const SubgraphNames names(graph);
  Json json = one_graph_json(graph, symbols, names, graph.outputs);
  for (const Graph* subgraph : names.all())
    json["subgraphs"][names.of(*subgraph)] = one_graph_json(*subgraph, {}, names, names.returned(*subgraph));
  return json;
}

}  // namespace parallax
