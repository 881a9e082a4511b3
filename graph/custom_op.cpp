#include "graph/custom_op.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "graph/inline_custom.h"

namespace parallax {
namespace {

std::unexpected<Error> fault(ErrorKind kind, std::string reason) {
  return at("/args/0/graph", Error{kind, "", "", std::move(reason)});
}

// Whether the calls of a custom operation take operands that lie in each other's memory.
Result<void> check_overlapping(const ControlOp& op, const Call& call) {
  std::vector<StorageId> storages;
  std::vector<int64_t> extents;
  std::vector<std::size_t> place;  // in storages, by operand
  for (std::size_t i = 0; i < op.operands(); ++i) {
    const TensorMeta& operand = call.tensor(static_cast<int>(i));
    place.push_back(static_cast<std::size_t>(std::ranges::find(storages, operand.storage) - storages.begin()));
    if (place.back() == storages.size()) {
      storages.push_back(operand.storage);
      extents.push_back(0);
    }
    extents[place.back()] = std::max(extents[place.back()], operand.layout.extent());
  }
  if (storages.size() == op.operands()) return {};
  GraphBuilder builder;
  for (std::size_t s = 0; s < storages.size(); ++s) {
    const DType dtype = call.tensor(static_cast<int>(std::ranges::find(place, s) - place.begin())).dtype;
    TRY_VOID(builder.add_storage(builder.fresh_name("s"), dtype, {extents[s]}));
  }
  std::vector<ValueId> operands;
  for (std::size_t i = 0; i < op.operands(); ++i) {
    const TensorMeta& operand = call.tensor(static_cast<int>(i));
    // One tensor object that comes twice: eager may take `add_(x, x)` and refuse it of two views that differ.
    const ValueId value = call.value(static_cast<int>(i));
    std::size_t same = 0;
    while (call.value(static_cast<int>(same)) != value) ++same;
    if (same < i) {
      operands.push_back(operands[same]);
      continue;
    }
    TRY(const ValueId window, builder.add_window(SourceKind::Input, builder.fresh_name("w"), operand.dtype,
                                                 operand.layout, StorageId(place[i])));
    operands.push_back(window);
  }
  const Result<std::vector<ValueId>> results = append_calls_of(builder, op, operands);
  if (results) return {};
  return fault(results.error().kind, fmt::format("operands that share memory: {}", results.error().reason));
}

constexpr std::size_t most_operands = 26;  // each may need a letter

}  // namespace

Result<void> check_custom_op(const ControlParts& parts) {
  const auto& [name, graph, nones] = parts.subgraphs[0];
  if (parts.closures == 0) return at("/args/1", fail("a custom operation needs an operand").error());
  if (parts.closures > most_operands)
    return at("/args/1", fail("a custom operation takes at most {} operands", most_operands).error());
  if (graph->nodes.empty()) return fault(ErrorKind::Invalid, fmt::format("'{}' calls nothing", name));
  for (const Node& node : graph->nodes) {
    const auto* moved = std::get_if<ValueId>(&node.arguments.front());
    // Of views, too: a branch may have handed the operand on, and what is one tensor object is not known then.
    const auto is_moved = [&](ValueId source) {
      return moved && graph->meta(*moved).storage == graph->meta(source).storage;
    };
    if (node.op->writes_metadata_only() && std::ranges::any_of(graph->sources, is_moved, &Source::value)) {
      return fault(ErrorKind::Unsupported, fmt::format("'{}' changes the sizes or strides of an operand with {} ({})",
                                                       name, node.name, node.op->name));
    }
    const ControlOp* op = as_control(*node.op);
    if (!op || op->kind() == ControlKind::Custom) continue;
    return fault(ErrorKind::Unsupported, fmt::format("'{}' is a custom operation and runs a {}", name, op->name));
  }
  for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
    const TensorMeta& meta = graph->meta(graph->outputs[i]);
    const auto shares = [&](ValueId value) { return graph->meta(value).storage == meta.storage; };
    const auto end = graph->outputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::ranges::any_of(graph->sources, shares, &Source::value)) {
      const ValueId object = graph->objects[graph->outputs[i].index];
      const auto is_object = [&](ValueId value) { return graph->objects[value.index] == object; };
      // The caller could change the sizes of the one through the other, which no result is known to be.
      if (std::ranges::any_of(graph->sources, is_object, &Source::value) ||
          std::none_of(graph->outputs.begin(), end, is_object))
        continue;
      return fault(ErrorKind::Unsupported, fmt::format("'{}' returns the view '{}' twice; return an alias of it", name,
                                                       graph->name(graph->outputs[i])));
    }
    const bool is_whole = meta.layout.offset == 0 && is_dense(meta.layout) &&
                          meta.layout.extent() == graph->storage(meta.storage).elements;
    const auto before = std::find_if(graph->outputs.begin(), end, shares);
    if (is_whole && before == end) continue;
    return fault(ErrorKind::Invalid,
                 fmt::format("'{}' returns '{}', {}; clone it", name, graph->name(graph->outputs[i]),
                             is_whole ? fmt::format("the memory of '{}'", graph->name(*before))
                                      : "a part of memory that it made"));
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_custom_op(const ControlOp& op, const Call& call) {
  const Graph& graph = op.subgraph(0);
  for (std::size_t i = 0; i < op.operands(); ++i) {
    // To the letter: of a dim of size one, too, strides say how what is made of it is laid out.
    const Layout& given = call.tensor(static_cast<int>(i)).layout;
    const Layout& wanted = graph.meta(graph.sources[i].value).layout;
    if (given.strides == wanted.strides) continue;
    return at(fmt::format("/args/1/{}", i), fail("the operand has strides [{}] and the operation takes [{}]",
                                                 to_string(given.strides), to_string(wanted.strides))
                                                .error());
  }
  TRY_VOID(check_overlapping(op, call));
  std::vector<ResultMeta> results;
  for (const ValueId output : graph.outputs) {
    const TensorMeta& meta = graph.meta(output);
    ResultMeta result{meta.dtype, {meta.layout.sizes, meta.layout.strides, 0}, ValueId()};
    for (std::size_t i = 0; i < op.operands(); ++i) {
      if (graph.meta(graph.sources[i].value).storage != meta.storage) continue;
      result.alias = call.value(static_cast<int>(i));
      result.layout.offset = call.meta(result.alias).layout.offset + meta.layout.offset;
      result.same_object = graph.objects[output.index] == graph.sources[i].value;
    }
    results.push_back(std::move(result));
  }
  return results;
}

bool is_same_object(const Op& op, const ResultMeta& result) {
  return result.same_object || (op.writes() && !as_control(op));
}

std::string library_schema(const Subgraph& reference) {
  const Graph& graph = *reference.graph;
  const std::vector<bool> written = written_storages(graph);
  std::vector<std::string> types;  // by operand
  char letter = 'a';
  for (const Source& source : graph.sources) {
    const StorageId storage = graph.meta(source.value).storage;
    const bool is_handed_on =
        std::ranges::any_of(graph.outputs, [&](ValueId output) { return graph.meta(output).storage == storage; });
    const bool is_written = written[storage.index];
    types.push_back(is_written || is_handed_on ? fmt::format("Tensor({}{})", letter++, is_written ? "!" : "")
                                               : "Tensor");
  }
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < types.size(); ++i)
    parameters.push_back(fmt::format("{} {}", types[i], graph.name(graph.sources[i].value)));
  std::vector<std::string> results;
  for (const ValueId output : graph.outputs) {
    const auto lies_there = [&](const Source& source) {
      return graph.meta(source.value).storage == graph.meta(output).storage;
    };
    const auto operand = std::ranges::find_if(graph.sources, lies_there);
    results.push_back(
        operand == graph.sources.end() ? "Tensor" : types[static_cast<std::size_t>(operand - graph.sources.begin())]);
  }
  for (const std::size_t none : reference.nones)
    results.insert(results.begin() + static_cast<std::ptrdiff_t>(none), "Tensor?");
  const std::string returned = results.size() == 1 ? results.front() : fmt::format("({})", fmt::join(results, ", "));
  return fmt::format("({}) -> {}", fmt::join(parameters, ", "), returned);
}

}  // namespace parallax
