#include "graph/control_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/check.h"
#include "graph/custom_op.h"
#include "graph/storage_sets.h"
#include "graph/type_text.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, 5> kind_names = {"cond", "while_loop", "scan", "map", "custom"};
constexpr std::string_view family = "control";

std::string type_of(DType dtype, const Layout& layout) {
  std::string text = type_text(dtype, layout.sizes);
  if (!is_contiguous(layout)) text += fmt::format(" with strides [{}]", to_string(layout.strides));
  return text;
}

// Whether a tensor can stand where another one was: strides count, since a view may hold with some and not with others.
bool is_like(const TensorMeta& meta, DType dtype, const Layout& layout) {
  return meta.dtype == dtype &&
         same_places({meta.layout.sizes, meta.layout.strides, 0}, {layout.sizes, layout.strides, 0});
}
bool is_like(const TensorMeta& a, const TensorMeta& b) { return is_like(a, b.dtype, b.layout); }

const TensorMeta& input_meta(const Graph& graph, std::size_t i) { return graph.meta(graph.sources[i].value); }
const TensorMeta& output_meta(const Graph& graph, std::size_t i) { return graph.meta(graph.outputs[i]); }

// Where the case file has operand i of the subgraphs, below the node: carries, slices and closures are lists of their
// own, behind the predicate and the subgraphs.
std::string operand_pointer(const ControlParts& parts, std::size_t i) {
  std::size_t list = parts.kind == ControlKind::Cond ? 3 : parts.subgraphs.size();
  for (const std::size_t size : {parts.carries, parts.scanned}) {
    if (i < size) break;
    i -= size;
    list += size > 0;
  }
  return fmt::format("/args/{}/{}", list, i);
}

std::unexpected<Error> fault_of_subgraph(const ControlParts& parts, std::size_t k, std::string reason) {
  const std::size_t place = k + (parts.kind == ControlKind::Cond ? 1 : 0);
  return at(fmt::format("/args/{}/graph", place), Error{ErrorKind::Invalid, "", "", std::move(reason)});
}

// What a subgraph may not have, and the writes that torch allows: to operands of a branch and to closures of a loop,
// which are the same tensors in every step.
Result<void> check_subgraph(const ControlParts& parts, std::size_t k) {
  const auto& [name, graph, nones] = parts.subgraphs[k];
  const std::size_t operands = parts.carries + parts.scanned + parts.closures;
  for (const Source& source : graph->sources) {
    if (source.kind != SourceKind::Input || source.window)
      return fault_of_subgraph(parts, k, fmt::format("'{}' has a source that is no input of its own", name));
  }
  if (graph->sources.size() != operands) {
    return fault_of_subgraph(parts, k,
                             fmt::format("'{}' takes {} operands and gets {}", name, graph->sources.size(), operands));
  }
  const bool is_custom = parts.kind == ControlKind::Custom;
  if (graph->outputs.empty() && !is_custom)
    return fault_of_subgraph(parts, k, fmt::format("'{}' returns nothing", name));
  if (!parts.subgraphs[k].nones.empty() && !is_custom)
    return fault_of_subgraph(parts, k, fmt::format("'{}' returns None, as a custom operation alone may", name));
  const std::vector<bool> written = written_storages(*graph);
  for (std::size_t i = 0; i < operands; ++i) {
    const bool may_be_written = parts.kind != ControlKind::Map && i >= parts.carries + parts.scanned;
    const ValueId value = graph->sources[i].value;
    if (written[graph->meta(value).storage.index] && !may_be_written) {
      return fault_of_subgraph(parts, k,
                               fmt::format("'{}' writes '{}', which is not allowed there in a {}; write a clone", name,
                                           graph->name(value), parallax::name(parts.kind)));
    }
    for (std::size_t v = 0; v < graph->metas.size(); ++v) {
      if (graph->objects[v] != value || graph->metas[v].layout == graph->meta(value).layout) continue;
      return fault_of_subgraph(
          parts, k, fmt::format("'{}' changes the sizes or strides of its operand '{}'", name, graph->name(value)));
    }
  }
  return {};
}

// An operand may be a view of more memory than its type says.
Result<void> check_reach(const ControlParts& parts, std::size_t k) {
  const auto& [name, graph, nones] = parts.subgraphs[k];
  for (const Node& node : graph->nodes) {
    if (node.op->schema.index_of(arg::storage_offset) < 0) continue;
    const auto* value = std::get_if<ValueId>(&node.arguments.front());
    const auto lies_there = [&](const Source& source) {
      return value && graph->meta(source.value).storage == graph->meta(*value).storage;
    };
    if (!std::ranges::any_of(graph->sources, lies_there)) continue;
    return at(fmt::format("/args/{}/graph", k + (parts.kind == ControlKind::Cond ? 1 : 0)),
              Error{ErrorKind::Unsupported, "", "",
                    fmt::format("'{}' looks behind its operand with {} ({})", name, node.name, node.op->name)});
  }
  return {};
}

// One bool, whatever its rank.
Result<void> check_condition(const ControlParts& parts) {
  const auto& [name, graph, nones] = parts.subgraphs[0];
  const bool is_bool = graph->outputs.size() == 1 && output_meta(*graph, 0).dtype == DType::Bool &&
                       output_meta(*graph, 0).layout.rank() == 0;
  if (!is_bool) return fault_of_subgraph(parts, 0, fmt::format("'{}' must return one bool[]", name));
  return {};
}

// The results that are the next carries are like the carries.
Result<void> check_carries(const ControlParts& parts, std::size_t k) {
  const auto& [name, graph, nones] = parts.subgraphs[k];
  if (graph->outputs.size() < parts.carries) {
    return fault_of_subgraph(
        parts, k, fmt::format("'{}' returns {} tensors for {} carries", name, graph->outputs.size(), parts.carries));
  }
  for (std::size_t i = 0; i < parts.carries; ++i) {
    const TensorMeta& before = input_meta(*graph, i);
    const TensorMeta& after = output_meta(*graph, i);
    if (is_like(after, before)) continue;
    return fault_of_subgraph(parts, k,
                             fmt::format("'{}' takes carry {} as {} and returns it as {}", name, i,
                                         type_of(before.dtype, before.layout), type_of(after.dtype, after.layout)));
  }
  return {};
}

// Eager hands on the closure itself, and what is written to it later shows in the carry.
Result<void> check_handed_on(const ControlParts& parts) {
  const std::size_t last = parts.subgraphs.size() - 1;
  const auto& [name, body, nones] = parts.subgraphs[last];
  std::vector<bool> written(body->sources.size(), false);
  for (const Subgraph& subgraph : parts.subgraphs) {
    const std::vector<bool> storages = written_storages(*subgraph.graph);
    for (std::size_t i = 0; i < written.size(); ++i)
      written[i] = written[i] || storages[input_meta(*subgraph.graph, i).storage.index];
  }
  StorageSets sets(*body);
  for (std::size_t k = 0; k < parts.carries; ++k) {
    for (std::size_t i = parts.carries + parts.scanned; i < written.size(); ++i) {
      if (!written[i] || !sets.may_share(output_meta(*body, k).storage, input_meta(*body, i).storage)) continue;
      return at(fmt::format("/args/{}/graph", last),
                Error{ErrorKind::Unsupported, "", "",
                      fmt::format("'{}' hands on '{}', which is written in each step; clone it", name,
                                  body->name(body->sources[i].value))});
    }
  }
  return {};
}

Result<void> check_branches(const ControlParts& parts) {
  const auto& [then_name, then_graph, then_nones] = parts.subgraphs[0];
  const auto& [else_name, else_graph, else_nones] = parts.subgraphs[1];
  if (then_graph->outputs.size() != else_graph->outputs.size()) {
    return fault_of_subgraph(parts, 1,
                             fmt::format("'{}' returns {} tensors and '{}' {}", then_name, then_graph->outputs.size(),
                                         else_name, else_graph->outputs.size()));
  }
  for (std::size_t i = 0; i < then_graph->outputs.size(); ++i) {
    const TensorMeta& a = output_meta(*then_graph, i);
    const TensorMeta& b = output_meta(*else_graph, i);
    if (is_like(a, b)) continue;
    return fault_of_subgraph(parts, 1,
                             fmt::format("branches of unlike types: result {} is {} in '{}' and {} in '{}'", i,
                                         type_of(a.dtype, a.layout), then_name, type_of(b.dtype, b.layout), else_name));
  }
  return {};
}

// A loop whose condition hangs on nothing that it or the body changes stops at once or never.
Result<void> check_ends(const ControlParts& parts) {
  const Graph& condition = *parts.subgraphs[0].graph;
  const Graph& body = *parts.subgraphs[1].graph;
  std::vector<bool> changes(condition.metas.size(), false);
  for (std::size_t i = 0; i < parts.carries; ++i) {
    changes[condition.sources[i].value.index] = body.outputs[i] != body.sources[i].value;
  }
  const std::vector<bool> written = written_storages(body);
  const std::vector<bool> written_while_asked = written_storages(condition);
  for (std::size_t i = parts.carries; i < body.sources.size(); ++i) {
    const ValueId asked = condition.sources[i].value;
    changes[asked.index] = written[body.meta(body.sources[i].value).storage.index] ||
                           written_while_asked[condition.meta(asked).storage.index];
  }
  // A write marks all views of what it writes.
  std::vector<bool> storage_changes(condition.storages.size(), false);
  for (std::size_t v = 0; v < changes.size(); ++v) {
    if (changes[v]) storage_changes[condition.metas[v].storage.index] = true;
  }
  for (const Node& node : condition.nodes) {
    bool any = false;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { any |= storage_changes[condition.meta(value).storage.index]; });
    }
    for (ValueId result : node.results) {
      if (any) storage_changes[condition.meta(result).storage.index] = true;
    }
  }
  if (storage_changes[output_meta(condition, 0).storage.index]) return {};
  return fault_of_subgraph(parts, 0,
                           fmt::format("unbounded loop: '{}' hangs on nothing that '{}' changes",
                                       parts.subgraphs[0].name, parts.subgraphs[1].name));
}

Result<void> check_parts(const ControlParts& parts) {
  for (std::size_t k = 0; k < parts.subgraphs.size(); ++k) {
    TRY_VOID(check_subgraph(parts, k));
    TRY_VOID(check_reach(parts, k));
  }
  switch (parts.kind) {
    case ControlKind::Cond:
      return check_branches(parts);
    case ControlKind::WhileLoop:
      if (parts.carries == 0) return at("/args/2", fail("a loop needs a carry").error());
      TRY_VOID(check_condition(parts));
      TRY_VOID(check_carries(parts, 1));
      if (parts.subgraphs[1].graph->outputs.size() != parts.carries) {
        return fault_of_subgraph(parts, 1,
                                 fmt::format("'{}' returns {} tensors for {} carries", parts.subgraphs[1].name,
                                             parts.subgraphs[1].graph->outputs.size(), parts.carries));
      }
      if (parts.max_steps < 1 || parts.max_steps > most_loop_steps)
        return at("/kwargs/max_steps", fail("{} is not in [1, {}]", parts.max_steps, most_loop_steps).error());
      TRY_VOID(check_handed_on(parts));
      return check_ends(parts);
    case ControlKind::Scan:
      if (parts.carries == 0) return at("/args/1", fail("a scan needs a carry").error());
      TRY_VOID(check_carries(parts, 0));
      TRY_VOID(check_handed_on(parts));
      [[fallthrough]];
    case ControlKind::Map:
      if (parts.scanned == 0) return fail("{} needs a tensor to take slices of", name(parts.kind));
      return {};
    case ControlKind::Custom:
      return check_custom_op(parts);
  }
  return {};
}

std::unexpected<Error> unlike_operand(const ControlParts& parts, std::size_t i, DType dtype, const Layout& layout,
                                      const TensorMeta& wanted) {
  return at(operand_pointer(parts, i), fail("the operand is {} and '{}' takes {}", type_of(dtype, layout),
                                            parts.subgraphs.back().name, type_of(wanted.dtype, wanted.layout))
                                           .error());
}

// A result as its subgraph returns it, in memory of its own.
Result<ResultMeta> own_result(const ControlParts& parts, std::size_t k, std::size_t i) {
  const TensorMeta& meta = output_meta(*parts.subgraphs[k].graph, i);
  if (!is_dense(meta.layout)) {
    return fault_of_subgraph(parts, k,
                             fmt::format("'{}' returns a tensor with gaps or repeated elements ({}); clone it",
                                         parts.subgraphs[k].name, type_of(meta.dtype, meta.layout)));
  }
  return ResultMeta{meta.dtype, {meta.layout.sizes, meta.layout.strides, 0}, ValueId()};
}

Result<int64_t> count_steps(const ControlOp& op, const Call& call) {
  std::optional<int64_t> steps;
  for (std::size_t i = 0; i < op.parts.scanned; ++i) {
    const Layout& layout = call.tensor(static_cast<int>(op.parts.carries + i)).layout;
    const std::string pointer = operand_pointer(op.parts, op.parts.carries + i);
    if (layout.rank() == 0 || layout.sizes[0] == 0)
      return at(pointer, fail("{} needs a first dim of at least 1", op.name).error());
    if (steps && *steps != layout.sizes[0])
      return at(pointer, fail("{} slices, where another operand has {}", layout.sizes[0], *steps).error());
    steps = layout.sizes[0];
  }
  return steps.value_or(0);
}

Result<std::vector<ResultMeta>> infer_control(const Call& call) {
  const ControlOp& op = static_cast<const ControlOp&>(call.op());
  const ControlParts& parts = op.parts;
  if (parts.kind == ControlKind::Cond) {
    const TensorMeta& predicate = call.tensor(0);
    if (predicate.dtype != DType::Bool || predicate.layout.numel() != 1)
      return at("/args/0", fail("the predicate must be one bool").error());
  }
  TRY(const int64_t steps, count_steps(op, call));
  for (std::size_t i = 0; i < op.operands(); ++i) {
    const TensorMeta& operand = call.tensor(static_cast<int>(op.first_operand() + i));
    const bool sliced = i >= parts.carries && i < parts.carries + parts.scanned;
    const Layout layout = sliced ? slice_of(operand.layout, 0) : operand.layout;
    for (const Subgraph& subgraph : parts.subgraphs) {
      const TensorMeta& wanted = input_meta(*subgraph.graph, i);
      if (!is_like(wanted, operand.dtype, layout)) return unlike_operand(parts, i, operand.dtype, layout, wanted);
    }
    if (!op.schema.parameters[op.first_operand() + i].written || parts.kind == ControlKind::Custom) continue;
    for (std::size_t other = 0; other < call.arguments().size(); ++other) {
      if (other == op.first_operand() + i || call.tensor(static_cast<int>(other)).storage != operand.storage) continue;
      return std::unexpected(Error{ErrorKind::Unsupported, "", operand_pointer(parts, i),
                                   "an operand that is written shares memory with another one"});
    }
    if (overlaps_itself(layout))
      return at(operand_pointer(parts, i), fail("an operand that is written overlaps itself").error());
  }
  if (parts.kind == ControlKind::Custom) return infer_custom_op(op, call);
  const std::size_t last = parts.subgraphs.size() - 1;
  std::vector<ResultMeta> results;
  for (std::size_t i = 0; i < parts.subgraphs[last].graph->outputs.size(); ++i) {
    const bool stacked = i >= parts.carries && (parts.kind == ControlKind::Scan || parts.kind == ControlKind::Map);
    if (!stacked) {
      TRY(ResultMeta result, own_result(parts, parts.kind == ControlKind::Cond ? 0 : last, i));
      results.push_back(std::move(result));
      continue;
    }
    const TensorMeta& slice = output_meta(*parts.subgraphs[last].graph, i);
    if (slice.layout.rank() == max_rank)
      return fault_of_subgraph(parts, last, fmt::format("result {} has too many dims to be stacked", i));
    Dims sizes = {steps};
    for (const int64_t size : slice.layout.sizes) sizes.push_back(size);
    results.push_back({slice.dtype, contiguous_layout(sizes), ValueId()});
  }
  if (parts.workspace > 0) results.push_back({DType::U8, contiguous_layout({parts.workspace}), ValueId()});
  return results;
}

// Only who knows the subgraphs' storages can run it (oracle/control_flow.h).
Result<void> run_nowhere(const ReferenceCall& call) { return fail("{} is run by an interpreter", call.op().name); }

// By parameter: whether some subgraph writes it.
std::vector<bool> written_parameters(const ControlParts& parts, std::size_t first) {
  std::vector<bool> any(first + parts.carries + parts.scanned + parts.closures, false);
  for (const Subgraph& subgraph : parts.subgraphs) {
    const std::vector<bool> written = written_storages(*subgraph.graph);
    for (std::size_t i = 0; i < subgraph.graph->sources.size(); ++i) {
      if (written[input_meta(*subgraph.graph, i).storage.index]) any[first + i] = true;
    }
  }
  return any;
}

std::string schema_text(const ControlParts& parts, std::size_t first) {
  const std::vector<bool> written = written_parameters(parts, first);
  std::string text = fmt::format("{}(", name(parts.kind));
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (i > 0) text += ", ";
    // An alias set is one letter, and the set's name is not looked at where nothing is returned of it.
    text += fmt::format("Tensor{} {}", written[i] ? "(a!)" : "",
                        i < first ? "predicate" : fmt::format("operand{}", i - first));
  }
  return text + ") -> Tensor[]";
}

// What eager's results may be views of, from what the subgraphs' outputs lie in.
void find_shared(ControlOp& op) {
  const ControlParts& parts = op.parts;
  const bool loops = parts.kind != ControlKind::Cond;
  const std::size_t last = parts.subgraphs.size() - 1;
  op.may_share.resize(parts.subgraphs[last].graph->outputs.size());
  if (parts.kind == ControlKind::Custom) return;  // what it shares is known
  for (std::size_t k = loops ? last : 0; k <= last; ++k) {
    const Graph& graph = *parts.subgraphs[k].graph;
    StorageSets sets(graph);
    const std::size_t handed_on = loops ? parts.carries : graph.outputs.size();  // what is stacked is copied
    for (std::size_t i = 0; i < handed_on; ++i) {
      const StorageId storage = output_meta(graph, i).storage;
      for (std::size_t j = 0; j < graph.sources.size(); ++j) {
        if (!sets.may_share(storage, input_meta(graph, j).storage)) continue;
        op.may_share[i].push_back(op.first_operand() + j);
        if (loops && j < parts.carries && i != j) op.twins.emplace_back(i, j);
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (sets.may_share(storage, output_meta(graph, j).storage)) op.twins.emplace_back(j, i);
      }
    }
  }
}

}  // namespace

std::string_view name(ControlKind kind) { return kind_names[place_of(kind)]; }

std::vector<std::string> names_of(ControlKinds kinds) {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < control_kind_count; ++kind) {
    if (kinds[kind]) names.emplace_back(kind_names[kind]);
  }
  return names;
}

Result<void> define_control_op(ControlOp& op, ControlParts parts) {
  TRY_VOID(check_parts(parts));
  op.parts = std::move(parts);
  op.name = name(op.parts.kind);
  op.schema_text = schema_text(op.parts, op.first_operand());
  Result<Schema> schema = parse_schema(op.schema_text);
  PARALLAX_CHECK(schema.has_value());
  op.schema = *std::move(schema);
  op.infer = infer_control;
  op.reference = run_nowhere;
  op.group = OpGroup::Scatter;
  op.family = family;
  op.index = -1;
  find_shared(op);
  return {};
}

Result<std::shared_ptr<const ControlOp>> make_control_op(ControlParts parts) {
  auto op = std::make_shared<ControlOp>();
  TRY_VOID(define_control_op(*op, std::move(parts)));
  return op;
}

const ControlOp* as_control(const Op& op) {
  return op.infer == infer_control ? static_cast<const ControlOp*>(&op) : nullptr;
}

const Node* find_control(const Graph& graph) {
  if (graph.own_ops.empty()) return nullptr;
  const auto found =
      std::ranges::find_if(graph.nodes, [](const Node& node) { return as_control(*node.op) != nullptr; });
  return found == graph.nodes.end() ? nullptr : &*found;
}

const Node* find_custom(const Graph& graph) {
  if (graph.own_ops.empty()) return nullptr;
  for (const Node& node : graph.nodes) {
    const ControlOp* op = as_control(*node.op);
    if (!op) continue;
    if (op->kind() == ControlKind::Custom) return &node;
    for (const Subgraph& subgraph : op->parts.subgraphs) {
      if (const Node* found = find_custom(*subgraph.graph)) return found;
    }
  }
  return nullptr;
}

ControlKinds control_kinds(const Graph& graph) {
  ControlKinds kinds;
  for (const Node& node : graph.nodes) {
    const ControlOp* control = as_control(*node.op);
    if (control == nullptr) continue;
    kinds.set(place_of(control->kind()));
    for (const Subgraph& subgraph : control->parts.subgraphs) kinds |= control_kinds(*subgraph.graph);
  }
  return kinds;
}

std::size_t ControlOp::place_of(std::size_t k) const {
  std::size_t place = k;
  for (const std::size_t none : parts.subgraphs.back().nones) place += none <= place;
  return place;
}

std::size_t place_in_list(const Op& op, std::size_t k) {
  const ControlOp* control = as_control(op);
  return control ? control->place_of(k) : k;
}

int64_t steps_of(const Call& call) {
  const ControlOp& op = *as_control(call.op());
  return call.tensor(static_cast<int>(op.parts.carries)).layout.sizes[0];
}

Layout slice_of(const Layout& layout, int64_t step) {
  Layout slice;
  slice.offset = layout.offset + step * layout.strides[0];
  for (int dim = 1; dim < layout.rank(); ++dim) {
    slice.sizes.push_back(layout.sizes[dim]);
    slice.strides.push_back(layout.strides[dim]);
  }
  return slice;
}

}  // namespace parallax
