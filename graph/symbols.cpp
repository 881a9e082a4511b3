#include "graph/symbols.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "graph/counts.h"
#include "graph/custom_op.h"

namespace parallax {
namespace {

// As GraphBuilder has it.
constexpr int64_t max_elements = int64_t{1} << 28;

Result<void> check_ranges(const Symbols& symbols, const SymbolSizes& sizes) {
  PARALLAX_CHECK(sizes.size() == symbols.list.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto& [name, low, high] = symbols.list[i];
    if (sizes[i] < low || sizes[i] > high) return fail("{} is {}, outside [{}, {}]", name, sizes[i], low, high);
  }
  return {};
}

Result<void> resize_inputs(const Symbols& symbols, const SymbolSizes& sizes, Graph& graph) {
  for (const SymbolicDim& symbolic : symbols.dims) {
    const std::size_t source = symbolic.source;
    TensorMeta& meta = graph.metas[graph.sources[source].value.index];
    meta.layout.sizes[symbolic.dim] = symbolic.of.at(sizes[symbolic.of.symbol]);
    const auto elements = checked_numel(meta.layout.sizes);
    if (!elements || *elements > max_elements)
      return fail("'{}' of shape [{}] is too large", graph.name(graph.sources[source].value),
                  to_string(meta.layout.sizes));
    meta.layout.strides = contiguous_strides(meta.layout.sizes);
    graph.storages[meta.storage.index].elements = meta.layout.extent();
  }
  return {};
}

// Whether a result lies in memory as it does in the graph.
bool shares_alike(const Graph& graph, const std::vector<std::optional<NodeId>>& makers, NodeId node,
                  const ResultMeta& now, ValueId result) {
  const StorageId storage = graph.meta(result).storage;
  if (!now.alias.valid()) return makers[storage.index] == node;
  const bool same_object = is_same_object(*graph.node(node).op, now);
  return graph.meta(now.alias).storage == storage &&
         same_object == (graph.objects[now.alias.index] == graph.objects[result.index]);
}

// Which values there are by now: nodes of a program may have been put out of order by a fault.
using Made = std::vector<bool>;

Result<void> check_made(const Graph& graph, const Node& node, const Made& made) {
  std::optional<ValueId> missing;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      if (!made[value.index]) missing = value;
    });
  }
  if (missing) return fail("reads '{}' before it is made", graph.name(*missing));
  return {};
}

// Infers a node anew over what its operands have become.
Result<void> resize_node(const Graph& graph, const std::vector<std::optional<NodeId>>& makers, NodeId id, Made& made,
                         Graph& resized) {
  const Node& node = resized.node(id);
  TRY_VOID(check_made(graph, node, made));
  TRY(const std::vector<ResultMeta> results, node.op->infer(Call(*node.op, node.arguments, resized.metas)));
  if (results.size() != node.results.size())
    return fail("has {} results and not {}", results.size(), node.results.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    TensorMeta& meta = resized.metas[node.results[k].index];
    const auto elements = checked_numel(results[k].layout.sizes);
    if (!elements || *elements > max_elements)
      return fail("a result of shape [{}] is too large", to_string(results[k].layout.sizes));
    if (results[k].dtype != meta.dtype) return fail("gives another dtype");
    if (!shares_alike(graph, makers, id, results[k], node.results[k]))
      return fail("shares memory at some sizes and not at others");
    meta.layout = results[k].layout;
    if (!results[k].alias.valid()) resized.storages[meta.storage.index].elements = meta.layout.extent();
    made[node.results[k].index] = true;
  }
  return {};
}

}  // namespace

SymbolSizes Symbols::bound() const {
  SymbolSizes sizes;
  for (const Symbol& symbol : list) sizes.push_back(symbol.high);
  return sizes;
}

const SymbolicDim* Symbols::at(std::size_t source, int dim) const {
  for (const SymbolicDim& symbolic : dims) {
    if (symbolic.source == source && symbolic.dim == dim) return &symbolic;
  }
  return nullptr;
}

std::string Symbols::text(const Relation& relation) const {
  const std::string factor = relation.factor == 1 ? "" : fmt::format("{}*", relation.factor);
  const std::string offset = relation.offset == 0 ? "" : fmt::format("{:+}", relation.offset);
  return fmt::format("{}{}{}", factor, list[relation.symbol].name, offset);
}

std::optional<int64_t> Relation::symbol_size(int64_t number) const {
  const int64_t product = number - offset;
  if (product < 0 || product % factor != 0) return std::nullopt;
  return product / factor;
}

SymbolSizes sizes_of(const Graph& graph, const Symbols& symbols) {
  SymbolSizes sizes(symbols.list.size());
  for (const SymbolicDim& dim : symbols.dims) {
    const int64_t elements = graph.meta(graph.sources[dim.source].value).layout.sizes[dim.dim];
    sizes[dim.of.symbol] = dim.of.symbol_size(elements).value_or(-1);
  }
  for (const SymbolicNumber& number : symbols.numbers) {
    if (!is_count(symbols, number.of.symbol)) continue;
    Argument argument = graph.nodes[number.node].arguments[number.argument];
    const int64_t* integer = integer_in(argument, number.place);
    if (integer) sizes[number.of.symbol] = number.of.symbol_size(*integer).value_or(-1);
  }
  return sizes;
}

bool has_sizes(const Graph& graph, const Symbols& symbols, const SymbolSizes& sizes) {
  const auto dim_fits = [&](const SymbolicDim& dim) {
    const Layout& layout = graph.meta(graph.sources[dim.source].value).layout;
    return dim.dim < layout.rank() && layout.sizes[dim.dim] == dim.of.at(sizes[dim.of.symbol]);
  };
  const auto number_fits = [&](const SymbolicNumber& number) {
    Argument argument = graph.nodes[number.node].arguments[number.argument];
    const int64_t* integer = integer_in(argument, number.place);
    return integer && *integer == number.of.at(sizes[number.of.symbol]);
  };
  return std::ranges::all_of(symbols.dims, dim_fits) && std::ranges::all_of(symbols.numbers, number_fits);
}

int64_t* integer_in(Argument& argument, std::size_t place) {
  if (auto* list = std::get_if<IntList>(&argument)) return place < list->size() ? &(*list)[place] : nullptr;
  if (auto* scalar = std::get_if<Scalar>(&argument)) return place == 0 ? std::get_if<int64_t>(scalar) : nullptr;
  return nullptr;
}

std::string text(const Symbols& symbols, const SymbolSizes& sizes) {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += fmt::format("{}{}={}", i > 0 ? ", " : "", symbols.list[i].name, sizes[i]);
  return text;
}

Result<Graph> at_sizes(const Graph& graph, const Symbols& symbols, const SymbolSizes& sizes) {
  TRY_VOID(check_ranges(symbols, sizes));
  Graph resized = graph;
  TRY_VOID(resize_inputs(symbols, sizes, resized));
  for (const SymbolicNumber& number : symbols.numbers) {
    int64_t* integer = integer_in(resized.nodes[number.node].arguments[number.argument], number.place);
    PARALLAX_CHECK(integer != nullptr);
    *integer = number.of.at(sizes[number.of.symbol]);
  }
  Made made(graph.metas.size(), true);
  // An op may ask how far anything reaches into an operand's storage: nothing does that is not made yet.
  for (const Node& node : graph.nodes) {
    for (ValueId result : node.results) {
      resized.metas[result.index].layout = contiguous_layout({0});
      made[result.index] = false;
    }
  }
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    Result<void> done = resize_node(graph, makers, NodeId(n), made, resized);
    if (done) continue;
    Error error = std::move(done).error();
    error.reason =
        fmt::format("at {} node '{}' ({}): {}", text(symbols, sizes), node.name, node.op->name, error.reason);
    return std::unexpected(std::move(error));
  }
  return resized;
}

}  // namespace parallax
