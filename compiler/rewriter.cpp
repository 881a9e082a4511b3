#include "compiler/rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ops/registry.h"

namespace parallax {
namespace {

// What the old graph already passed cannot fail the second time.
template <class T>
T must(Result<T> result) {
  PARALLAX_CHECK(result.has_value());
  return *std::move(result);
}

bool same_scalar(const Scalar& a, const Scalar& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  // By bits: NaN is the same as itself, and the zeros differ.
  return x && y ? std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y) : a == b;
}

bool same_argument(const Argument& a, const Argument& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Scalar>(&a)) return same_scalar(*x, std::get<Scalar>(b));
  if (const auto* x = std::get_if<ScalarList>(&a)) return std::ranges::equal(*x, std::get<ScalarList>(b), same_scalar);
  return a == b;
}

// The same in everything but the values that are named, which are `alike`.
template <class Alike>
bool same_but_for_values(const Argument& a, const Argument& b, Alike&& alike) {
  if (const auto* x = std::get_if<ValueId>(&a)) {
    const auto* y = std::get_if<ValueId>(&b);
    return y && alike(*x, *y);
  }
  const auto* x = std::get_if<ValueList>(&a);
  const auto* y = std::get_if<ValueList>(&b);
  const auto both = [&](ValueId one, ValueId other) {
    return one.valid() == other.valid() && (!one.valid() || alike(one, other));
  };
  return x && y ? std::ranges::equal(*x, *y, both) : same_argument(a, b);
}

// Whether what a call makes, or that eager takes it, hangs on how far its operands' storages are known to reach, which
// a pass may change.
bool sees_whole_storages(const Op& op) {
  static const Op& copy = op_named("aten.copy.default");
  return op.schema.index_of(arg::storage_offset) >= 0 || &op == &copy;
}

bool same_meta(const TensorMeta& a, const TensorMeta& b) {
  return a.dtype == b.dtype && a.layout == b.layout && a.storage == b.storage;
}

bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && a.name == b.name && a.results == b.results && same_arguments(a.arguments, b.arguments);
}

bool same_source(const Source& a, const Source& b) {
  return a.kind == b.kind && a.value == b.value && a.data == b.data && a.window == b.window;
}

bool same_storage(const Storage& a, const Storage& b) {
  return a.name == b.name && a.dtype == b.dtype && a.elements == b.elements && a.sizes == b.sizes && a.data == b.data;
}

}  // namespace

Rewriter::Rewriter(const Graph& old, OldMetas metas) : old_(&old), metas_(metas), mapped_(old.metas.size()) {
  builder_.own_all_results();
  builder_.reserve(old.nodes.size(), old.metas.size());
  std::vector<StorageId> storages(old.storages.size());
  for (std::size_t s = 0; s < old.storages.size(); ++s) {
    const Storage& storage = old.storages[s];
    if (storage.name.empty()) continue;
    storages[s] = must(builder_.add_storage(storage.name, storage.dtype, storage.sizes, storage.data));
  }
  for (const Source& source : old.sources) {
    const TensorMeta& meta = old.meta(source.value);
    const std::string& name = old.name(source.value);
    const StorageId storage = storages[meta.storage.index];
    map(source.value,
        must(source.window ? builder_.add_window(source.kind, name, meta.dtype, meta.layout, storage)
                           : builder_.add_source(source.kind, name, meta.dtype, meta.layout, source.data)));
  }
}

std::vector<Argument> Rewriter::mapped_arguments(const Node& node) const {
  std::vector<Argument> arguments = node.arguments;
  for (Argument& argument : arguments) {
    for_each_value(argument, [&](ValueId& value) { value = builder_.current(mapped_[value.index]); });
  }
  return arguments;
}

Result<void> Rewriter::add(const Node& node, std::vector<Argument> arguments) {
  std::vector<std::string> names;
  if (node.op->schema.has_list_result()) {
    for (ValueId result : node.results) names.push_back(old_->name(result));
  }
  const auto map_results = [&](std::span<const ValueId> results) -> Result<void> {
    if (results.size() != node.results.size()) return fail("{} has another number of results", node.name);
    for (std::size_t k = 0; k < results.size(); ++k) map(node.results[k], results[k]);
    return {};
  };
  for (Argument& argument : arguments) {
    for_each_value(argument, [&](ValueId& value) { value = builder_.current(value); });
  }
  if (know_results(node, arguments)) {
    TRY(const std::span<const ValueId> results,
        builder_.add_known_node(*node.op, std::move(arguments), known_, node.name, std::move(names)));
    return map_results(results);
  }
  TRY(const std::vector<ValueId> results,
      builder_.add_node(*node.op, std::move(arguments), node.name, std::move(names)));
  return map_results(results);
}

// Fills known_, where the call is the old one and its operands are like the old ones.
bool Rewriter::know_results(const Node& node, std::span<const Argument> arguments) {
  if (metas_ == OldMetas::InferredAnew || node.op->writes() || sees_whole_storages(*node.op)) return false;
  const auto any = [](ValueId, ValueId) { return true; };
  const auto same = [&](const Argument& a, const Argument& b) { return same_but_for_values(a, b, any); };
  if (!std::ranges::equal(node.arguments, arguments, same)) return false;
  operands_.clear();
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) { operands_.emplace_back(value, ValueId()); });
  }
  auto next = operands_.begin();
  for (const Argument& argument : arguments) for_each_value(argument, [&](ValueId value) { next++->second = value; });
  for (const auto& [was, now] : operands_) {
    if (old_->meta(was).dtype != meta(now).dtype || old_->meta(was).layout != meta(now).layout) return false;
  }
  known_.clear();
  for (ValueId result : node.results) {
    std::optional<ResultMeta> known = known_result(result);
    if (!known) return false;
    known_.push_back(*std::move(known));
  }
  return true;
}

// Nothing where operands that shared memory do so no longer, and one of them is in the result's.
std::optional<ResultMeta> Rewriter::known_result(ValueId result) const {
  const Graph& now = builder_.graph();
  const TensorMeta& meta = old_->meta(result);
  const ValueId object = old_->objects[result.index];
  ResultMeta known{meta.dtype, meta.layout, ValueId(), object != result};
  for (const auto& [was, operand] : operands_) {
    const bool holds_it =
        known.same_object ? old_->objects[was.index] == object : old_->meta(was).storage == meta.storage;
    if (!holds_it) continue;
    if (known.alias.valid()) {
      const bool same_memory = now.meta(known.alias).storage == now.meta(operand).storage;
      const bool same_tensor = now.objects[known.alias.index] == now.objects[operand.index];
      if (!same_memory || (known.same_object && !same_tensor)) return std::nullopt;
    }
    known.alias = operand;
  }
  if (known.same_object && !known.alias.valid()) return std::nullopt;
  return known;
}

std::string Rewriter::fresh_name(std::string_view stem) {
  if (reserved_.empty()) {
    reserved_.reserve(old_->names.size() + old_->nodes.size());
    for (const Storage& storage : old_->storages) reserved_.insert(storage.name);
    for (const std::string& name : old_->names) reserved_.insert(name);
    for (const Node& node : old_->nodes) reserved_.insert(node.name);
  }
  const auto taken = [&](const std::string& name) { return reserved_.contains(name) || builder_.has_name(name); };
  std::string name(stem);
  for (int i = 2; taken(name); ++i) name = fmt::format("{}{}", stem, i);
  return name;
}

void Rewriter::stand_in(ValueId old, ValueId now) {
  map(old, now);
  stand_ins_.emplace_back(old, now);
}

Graph Rewriter::finish() {
  for (ValueId output : old_->outputs) builder_.add_output(mapped_[output.index]);
  Graph graph = builder_.take();
  for (const auto& [old, now] : stand_ins_) graph.names[now.index] = old_->name(old);
  if (stand_ins_.empty()) return graph;
  for (Node& node : graph.nodes) {
    if (!node.op->schema.has_list_result()) node.name = graph.name(node.results.front());
  }
  return graph;
}

Result<Graph> renumbered(const Graph& graph, OldMetas metas) {
  Rewriter rewriter(graph, metas);
  for (const Node& node : graph.nodes) TRY_VOID(rewriter.copy(node));
  return rewriter.finish();
}

bool same_arguments(std::span<const Argument> a, std::span<const Argument> b) {
  return std::ranges::equal(a, b, same_argument);
}

bool same_arguments(std::span<const Argument> a, std::span<const Argument> b,
                    const std::function<bool(ValueId, ValueId)>& alike) {
  return std::ranges::equal(a, b,
                            [&](const Argument& x, const Argument& y) { return same_but_for_values(x, y, alike); });
}

bool same_graph(const Graph& a, const Graph& b) {
  return a.names == b.names && a.objects == b.objects && a.outputs == b.outputs &&
         std::ranges::equal(a.metas, b.metas, same_meta) && std::ranges::equal(a.nodes, b.nodes, same_node) &&
         std::ranges::equal(a.sources, b.sources, same_source) &&
         std::ranges::equal(a.storages, b.storages, same_storage);
}

}  // namespace parallax
