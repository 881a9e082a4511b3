#include "graph/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/control_op.h"
#include "graph/custom_op.h"
#include "graph/storage_sets.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Elements over this are refused: a case is to be read, run and reduced, not to fill the machine.
constexpr int64_t max_elements = int64_t{1} << 28;

// An input's memory as a window of `elements`: inside, and with strides that eager has (none negative).
Result<void> check_window(const Layout& layout, int64_t elements) {
  if (layout.sizes.size() != layout.strides.size()) {
    return fail("{} strides for {} dims", layout.strides.size(), layout.sizes.size());
  }
  for (int64_t stride : layout.strides) {
    if (stride < 0 || stride > max_elements) return fail("stride {} is out of range", stride);
  }
  if (layout.offset < 0) return fail("offset {} is negative", layout.offset);
  if (layout.extent() > elements) {
    return fail("the window reaches element {} of a storage of {}", layout.extent() - 1, elements);
  }
  return {};
}

}  // namespace

std::string element_name(std::string_view list, std::size_t k) {
  std::string name(list);
  const fmt::format_int number(k);
  name.append("_").append(number.data(), number.size());
  return name;
}

bool is_identifier(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || is_digit(name[0])) return false;
  return std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

std::string GraphBuilder::next_name(std::string_view stem) {
  const fmt::format_int number(next_name_++);
  std::string name(stem);
  name.append(number.data(), number.size());
  return name;
}

std::string GraphBuilder::fresh_name(std::string_view stem) {
  std::string name = next_name(stem);
  while (used_names_.contains(name)) name = next_name(stem);
  return name;
}

Result<void> GraphBuilder::claim_name(std::string_view name) {
  if (!is_identifier(name)) return fail("'{}' is not a name ([A-Za-z_][A-Za-z0-9_]*)", name);
  if (!used_names_.insert(name)) return fail("the name '{}' is used twice", name);
  return {};
}

Result<void> GraphBuilder::claim_name(std::string& name, std::string_view stem) {
  if (!name.empty()) return claim_name(name);
  do {
    name = next_name(stem);
  } while (!used_names_.insert(name));
  return {};
}

StorageId GraphBuilder::new_storage(DType dtype, int64_t elements, bool constant) {
  const StorageId id(graph_.storages.size());
  Storage& storage = graph_.storages.emplace_back();
  storage.dtype = dtype;
  storage.elements = elements;
  constant_storage_.push_back(constant);
  return id;
}

ValueId GraphBuilder::new_value(std::string name, const TensorMeta& meta, ValueId object) {
  const ValueId id(graph_.metas.size());
  graph_.metas.push_back(meta);
  graph_.names.push_back(std::move(name));
  const ValueId first = object.valid() ? graph_.objects[object.index] : id;
  graph_.objects.push_back(first);
  newest_.push_back(id);
  newest_[first.index] = id;
  return id;
}

void GraphBuilder::reserve(std::size_t nodes, std::size_t values) {
  graph_.nodes.reserve(nodes);
  graph_.metas.reserve(values);
  graph_.names.reserve(values);
  graph_.objects.reserve(values);
  graph_.storages.reserve(values);
  // What no node makes; exactly so where each has one result.
  graph_.sources.reserve(values - std::min(nodes, values));
  graph_.outputs.reserve(nodes);
  newest_.reserve(values);
  used_names_.reserve(nodes + values);
}

Result<StorageId> GraphBuilder::add_storage(std::string name, DType dtype, const Dims& sizes,
                                            std::optional<Tensor> data) {
  const auto count = checked_numel(sizes);
  if (!count || *count > max_elements) return fail("a storage of shape [{}] is too large", to_string(sizes));
  TRY_VOID(claim_name(name));
  graph_.storages.push_back({std::move(name), dtype, *count, sizes, std::move(data)});
  constant_storage_.push_back(false);
  return StorageId(graph_.storages.size() - 1);
}

Result<ValueId> GraphBuilder::add_source(SourceKind kind, std::string name, DType dtype, const Layout& layout,
                                         Tensor data) {
  const auto count = checked_numel(layout.sizes);
  if (!count || *count > max_elements) return fail("a tensor of shape [{}] is too large", to_string(layout.sizes));
  TRY_VOID(check_window(layout, max_elements));
  if (layout.offset != 0) return fail("an offset needs a declared storage");
  TRY_VOID(claim_name(name, "v"));
  const StorageId storage = new_storage(dtype, layout.extent(), kind == SourceKind::Constant);
  const ValueId value = new_value(std::move(name), {dtype, layout, storage}, ValueId());
  graph_.sources.push_back({kind, value, std::move(data), false});
  return value;
}

Result<ValueId> GraphBuilder::add_window(SourceKind kind, std::string name, DType dtype, const Layout& layout,
                                         StorageId storage) {
  if (kind == SourceKind::Constant) return fail("a constant cannot be a window on a storage");
  const Storage& whole = graph_.storage(storage);
  if (whole.dtype != dtype)
    return fail("a window of {} on a storage of {}", parallax::name(dtype), parallax::name(whole.dtype));
  TRY_VOID(check_window(layout, whole.elements));
  TRY_VOID(claim_name(name));
  const ValueId value = new_value(std::move(name), {dtype, layout, storage}, ValueId());
  graph_.sources.push_back({kind, value, {}, true});
  return value;
}

Result<std::vector<ValueId>> GraphBuilder::add_node(const Op& op, std::vector<Argument> arguments, std::string name,
                                                    std::vector<std::string> result_names) {
  TRY(const std::span<const ValueId> made,
      append_node(op, std::move(arguments), std::move(name), std::move(result_names)));
  return std::vector(made.begin(), made.end());
}

Result<std::span<const ValueId>> GraphBuilder::append_node(const Op& op, std::vector<Argument> arguments,
                                                           std::string name, std::vector<std::string> result_names) {
  PARALLAX_CHECK(arguments.size() == op.schema.parameters.size());
  for (Argument& argument : arguments) {
    for_each_value(argument, [&](ValueId& value) { value = current(value); });
  }
  ValueId written;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!op.schema.parameters[i].written) continue;
    for_each_value(arguments[i], [&](ValueId value) { written = value; });
    if (written.valid() && constant_storage_[graph_.meta(written).storage.index] && !op.writes_metadata_only()) {
      return fail("{} writes the constant '{}'", op.name, graph_.name(written));
    }
  }
  if (written.valid() && op.writes_metadata_only() && outlives_run(graph_.objects[written.index])) {
    // It would have these sizes at the next run, and other ones after that: no one graph says what that run does.
    return std::unexpected(
        Error{ErrorKind::Unsupported, "", "",
              fmt::format("{} changes the sizes and strides of '{}', a buffer or constant, which outlives the run",
                          op.name, graph_.name(graph_.objects[written.index]))});
  }
  TRY(const std::vector<ResultMeta> results, op.infer(Call(op, arguments, graph_.metas)));
  for (const ResultMeta& result : results) {
    const auto count = checked_numel(result.layout.sizes);
    if (!count || *count > max_elements)
      return fail("{}: a result of shape [{}] is too large", op.name, to_string(result.layout.sizes));
  }
  if (!owns_results_) {
    if (!graph_.own_ops.empty()) TRY_VOID(check_shared(op, arguments));
    if (const ControlOp* control = as_control(op)) TRY_VOID(check_state(*control, arguments));
  }
  return add_known_node(op, std::move(arguments), results, std::move(name), std::move(result_names));
}

// In eager the result of a branch may be its operand: what would show the one changed through the other is refused.
Result<void> GraphBuilder::check_shared(const Op& op, const std::vector<Argument>& arguments) const {
  const bool sees_storage = op.schema.index_of(arg::storage_offset) >= 0;
  const bool writes = op.writes();  // sizes and strides, too: it may be one tensor object
  if (!sees_storage && !writes) return {};
  const StorageSets sets(graph_);
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph_);
  std::optional<ValueId> shared;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for_each_value(arguments[i], [&](ValueId value) {
      const StorageId storage = graph_.meta(value).storage;
      const std::optional<NodeId>& maker = makers[storage.index];
      const bool handed_on = maker && as_control(*graph_.node(*maker).op);
      if (!(op.schema.parameters[i].written && writes) && !(sees_storage && handed_on)) return;
      if (!sets.is_alone(storage)) shared = value;
    });
  }
  if (!shared) return {};
  std::string reason = fmt::format("{} {} '{}', which a branch or loop may have handed on under another name", op.name,
                                   writes ? "writes" : "looks behind", graph_.name(*shared));
  return std::unexpected(Error{ErrorKind::Unsupported, "", "", std::move(reason)});
}

// The same from run to run: a result of the run before may be the buffer that this run writes.
Result<void> GraphBuilder::check_state(const ControlOp& op, const std::vector<Argument>& arguments) const {
  std::vector<bool> written = written_storages(graph_);
  const auto storage_of = [&](std::size_t parameter) {
    return graph_.meta(std::get<ValueId>(arguments[parameter])).storage;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (op.schema.parameters[i].written) written[storage_of(i).index] = true;
  }
  for (const std::vector<std::size_t>& parameters : op.may_share) {
    for (const std::size_t parameter : parameters) {
      const StorageId storage = storage_of(parameter);
      const bool is_state =
          graph_.storage(storage).data || std::ranges::any_of(graph_.sources, [&](const Source& source) {
            return source.kind == SourceKind::Buffer && graph_.meta(source.value).storage == storage;
          });
      if (!is_state || !written[storage.index]) continue;
      std::string reason = fmt::format("{} may hand on the buffer '{}', which is written", op.name,
                                       graph_.name(std::get<ValueId>(arguments[parameter])));
      return std::unexpected(Error{ErrorKind::Unsupported, "", "", std::move(reason)});
    }
  }
  return {};
}

Result<std::span<const ValueId>> GraphBuilder::add_known_node(const Op& op, std::vector<Argument> arguments,
                                                              std::span<const ResultMeta> results, std::string name,
                                                              std::vector<std::string> result_names) {
  TRY_VOID(claim_name(name, "v"));
  const bool list = op.schema.has_list_result();
  if (list) result_names.resize(results.size());
  for (std::size_t k = 0; list && k < results.size(); ++k) {
    if (result_names[k].empty()) {  // named as the reader of a case file names it
      result_names[k] = element_name(name, k);
      while (used_names_.contains(result_names[k])) result_names[k] += '_';
    }
    if (auto claimed = claim_name(result_names[k]); !claimed) {
      used_names_.drop_newest(k + 1);
      return std::unexpected(claimed.error());
    }
  }
  if (const ControlOp* control = as_control(op)) graph_.own_ops.push_back(control->shared_from_this());
  Node& node = graph_.nodes.emplace_back(&op, std::move(name), std::move(arguments));
  node.results.reserve(results.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const ResultMeta& result = results[k];
    TensorMeta meta{result.dtype, result.layout, StorageId()};
    ValueId object;
    if (result.alias.valid()) {
      meta.storage = graph_.meta(result.alias).storage;
      if (is_same_object(op, result)) object = result.alias;
    } else {
      meta.storage = new_storage(result.dtype, result.layout.extent(), false);
    }
    node.results.push_back(new_value(list ? std::move(result_names[k]) : node.name, meta, object));
  }
  return std::span<const ValueId>(node.results);
}

Result<ValueId> GraphBuilder::call(std::string_view op, std::vector<Argument> positional, std::string name,
                                   std::vector<std::pair<std::string, Argument>> named) {
  const Op& record = op_named(op);
  TRY(std::vector<Argument> arguments, bind_arguments(record, std::move(positional), std::move(named)));
  TRY(const std::vector<ValueId> results, add_node(record, std::move(arguments), std::move(name)));
  return results.front();
}

bool GraphBuilder::outlives_run(ValueId value) const {
  return std::ranges::any_of(
      graph_.sources, [&](const Source& source) { return source.kind != SourceKind::Input && source.value == value; });
}

void GraphBuilder::add_output(ValueId value) { graph_.outputs.push_back(value); }

Graph GraphBuilder::take() {
  for (ValueId& output : graph_.outputs) output = current(output);
  const auto by_kind = [](const Source& a, const Source& b) { return a.kind < b.kind; };
  if (!std::ranges::is_sorted(graph_.sources, by_kind)) std::ranges::stable_sort(graph_.sources, by_kind);
  Graph graph = std::move(graph_);
  *this = GraphBuilder();
  return graph;
}

}  // namespace parallax
