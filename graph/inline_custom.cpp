#include "graph/inline_custom.h"

#include <algorithm>

#include "core/check.h"

namespace parallax {
namespace {

bool is_custom(const Op& op) {
  const ControlOp* control = as_control(op);
  return control != nullptr && control->kind() == ControlKind::Custom;
}

// A name that neither graph has; the builder's own may be one that the caller uses later.
std::string unused_name(const GraphBuilder& builder, const Graph& caller, std::string name) {
  const auto is_taken = [&](const std::string& tried) {
    const auto is_node = [&](const Node& node) { return node.name == tried; };
    return builder.has_name(tried) || std::ranges::find(caller.names, tried) != caller.names.end() ||
           std::ranges::any_of(caller.nodes, is_node) ||
           std::ranges::any_of(caller.storages, [&](const Storage& one) { return one.name == tried; });
  };
  while (is_taken(name)) name += '_';
  return name;
}

// The names of a call's results in the caller, by result; none where nobody looks at the names.
struct Names {
  const Graph* caller = nullptr;
  std::string call;
  std::vector<std::string> results;
};

class CallsOf {
 public:
  CallsOf(GraphBuilder& builder, const ControlOp& op, const Names& names)
      : builder_(builder), body_(op.subgraph(0)), names_(names) {}

  Result<std::vector<ValueId>> append(const std::vector<ValueId>& operands) {
    values_.resize(body_.metas.size());
    for (std::size_t i = 0; i < operands.size(); ++i) values_[body_.sources[i].value.index] = operands[i];
    for (const Node& node : body_.nodes) TRY_VOID(append(node));
    std::vector<ValueId> results;
    for (const ValueId output : body_.outputs) results.push_back(values_[output.index]);
    return results;
  }

 private:
  // The caller's name for what the operation returns; another where it is no result.
  std::string name_of(ValueId value) {
    const auto output = std::ranges::find(body_.outputs, value);
    if (output != body_.outputs.end()) {
      const std::string& name = names_.results[static_cast<std::size_t>(output - body_.outputs.begin())];
      if (!builder_.has_name(name)) return name;
    }
    return unused_name(builder_, *names_.caller, names_.call + "_" + body_.name(value));
  }

  Result<void> append(const Node& node) {
    std::vector<Argument> arguments = node.arguments;
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) { value = values_[value.index]; });
    }
    std::string name;
    std::vector<std::string> result_names;
    if (names_.caller != nullptr) {
      const bool list = node.op->schema.has_list_result();
      for (const ValueId result : node.results) result_names.push_back(name_of(result));
      name = list ? unused_name(builder_, *names_.caller, names_.call + "_" + node.name) : result_names.front();
    }
    std::vector<ValueId> made;
    if (is_custom(*node.op)) {
      std::vector<ValueId> operands;
      for (const Argument& argument : arguments) operands.push_back(std::get<ValueId>(argument));
      const Names inner{names_.caller, name, result_names};
      TRY(made, CallsOf(builder_, *as_control(*node.op), inner).append(operands));
    } else {
      TRY(made, builder_.add_node(*node.op, std::move(arguments), std::move(name), std::move(result_names)));
    }
    for (std::size_t k = 0; k < made.size(); ++k) values_[node.results[k].index] = made[k];
    return {};
  }

  GraphBuilder& builder_;
  const Graph& body_;
  const Names& names_;
  std::vector<ValueId> values_;  // by the body's
};

// The record of a branch or a loop over subgraphs without custom operations.
std::shared_ptr<const ControlOp> without_custom(const ControlOp& op) {
  ControlParts parts = op.parts;
  for (Subgraph& subgraph : parts.subgraphs) {
    if (find_custom(*subgraph.graph))
      subgraph.graph = std::make_shared<const Graph>(inline_custom(*subgraph.graph).graph);
  }
  Result<std::shared_ptr<const ControlOp>> made = make_control_op(std::move(parts));
  PARALLAX_CHECK(made.has_value());
  return *std::move(made);
}

}  // namespace

Result<std::vector<ValueId>> append_calls_of(GraphBuilder& builder, const ControlOp& op,
                                             const std::vector<ValueId>& operands) {
  return CallsOf(builder, op, Names{}).append(operands);
}

InlinedGraph inline_custom(const Graph& graph) {
  InlinedGraph inlined;
  inlined.values.resize(graph.metas.size());
  GraphBuilder builder;
  for (const Storage& storage : graph.storages) {
    if (!storage.name.empty())
      PARALLAX_CHECK(builder.add_storage(storage.name, storage.dtype, storage.sizes, storage.data).has_value());
  }
  // Declared storages are the first ones of a graph that a reader or a sketch made, but others may lie before them.
  const auto storage_named = [&](const std::string& name) {
    const auto is_it = [&](const Storage& storage) { return storage.name == name; };
    return StorageId(static_cast<std::size_t>(std::ranges::find_if(builder.graph().storages, is_it) -
                                              builder.graph().storages.begin()));
  };
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    const std::string& name = graph.name(source.value);
    const Result<ValueId> value = source.window
                                      ? builder.add_window(source.kind, name, meta.dtype, meta.layout,
                                                           storage_named(graph.storage(meta.storage).name))
                                      : builder.add_source(source.kind, name, meta.dtype, meta.layout, source.data);
    PARALLAX_CHECK(value.has_value());
    inlined.values[source.value.index] = *value;
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    std::vector<Argument> arguments = node.arguments;
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) { value = inlined.values[value.index]; });
    }
    std::vector<std::string> names;
    for (const ValueId result : node.results) names.push_back(graph.name(result));
    Result<std::vector<ValueId>> made = std::vector<ValueId>();
    const ControlOp* control = as_control(*node.op);
    if (is_custom(*node.op)) {
      std::vector<ValueId> operands;
      for (const Argument& argument : arguments) operands.push_back(builder.current(std::get<ValueId>(argument)));
      made = CallsOf(builder, *control, Names{&graph, node.name, names}).append(operands);
    } else if (control != nullptr) {
      made = builder.add_node(*without_custom(*control), std::move(arguments), node.name, std::move(names));
    } else {
      made = builder.add_node(*node.op, std::move(arguments), node.name, std::move(names));
    }
    PARALLAX_CHECK(made.has_value());
    for (std::size_t k = 0; k < made->size(); ++k) inlined.values[node.results[k].index] = (*made)[k];
    inlined.origins.resize(builder.graph().nodes.size(), {NodeId(n), false, is_custom(*node.op)});
    inlined.origins.back().last = true;
  }
  for (const ValueId output : graph.outputs) builder.add_output(inlined.values[output.index]);
  inlined.graph = builder.take();
  return inlined;
}

std::shared_ptr<const InlinedGraph> inlined_if_custom(const Graph& graph) {
  if (!find_custom(graph)) return nullptr;
  return std::make_shared<const InlinedGraph>(inline_custom(graph));
}

}  // namespace parallax
