#include "reducers/size.h"

#include <cmath>

#include "graph/runs.h"
#include "graph/subgraphs.h"
#include "reducers/canonical.h"

namespace parallax {
namespace {

int64_t cost_of_values(const Tensor& tensor) {
  int64_t cost = 0;
  const int64_t count = tensor.numel();
  for (int64_t i = 0; i < count; ++i) {
    const double x = tensor.get_double(i);
    if (x == 0 && !std::signbit(x)) continue;
    cost += x == 1 ? 1 : 1 + static_cast<int64_t>(element_text(tensor, i).size());
  }
  return cost;
}

void add_dtype(CaseSize& size, DType dtype) {
  if (dtype != DType::F32) ++size.other_dtypes;
}

void add_sources(CaseSize& size, const Graph& graph) {
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    if (source.kind == SourceKind::Buffer) ++size.state;
    if (source.window) ++size.alias_edges;
    if (!is_contiguous(meta.layout)) ++size.alias_edges;
    size.dims += meta.layout.rank();
    add_dtype(size, meta.dtype);
    size.values += cost_of_values(source.data);
  }
  for (const Storage& storage : graph.storages) {
    if (storage.name.empty()) continue;
    ++size.state;
    size.elements += storage.elements;
    add_dtype(size, storage.dtype);
    if (storage.data) size.values += cost_of_values(*storage.data);
  }
}

void add_node(CaseSize& size, const Graph& graph, const Node& node) {
  const std::vector<Parameter>& parameters = node.op->schema.parameters;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    if (const auto* dtype = std::get_if<DType>(&node.arguments[i])) add_dtype(size, *dtype);
    if (parameters[i].default_value && node.arguments[i] != *parameters[i].default_value) ++size.attributes;
  }
  const auto shared = [&](ValueId result) {
    bool found = false;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument,
                     [&](ValueId value) { found = found || graph.meta(value).storage == graph.meta(result).storage; });
    }
    return found;
  };
  for (ValueId result : node.results) size.alias_edges += shared(result);
}

void add_whole_numbers(CaseSize& size, const Graph& subgraph) {
  for (const Node& node : subgraph.nodes) {
    for (const Argument& argument : node.arguments) {
      const auto* scalar = std::get_if<Scalar>(&argument);
      if (const auto* number = scalar ? std::get_if<int64_t>(scalar) : nullptr) size.sizes += std::abs(*number);
    }
  }
}

// What a method has of its own: the buffers are counted as the graph's.
void add_method(CaseSize& size, const Graph& graph) {
  size.nodes += static_cast<int64_t>(graph.nodes.size());
  size.ends += static_cast<int64_t>(graph.outputs.size());
  for (const TensorMeta& meta : graph.metas) size.elements += meta.layout.numel();
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Buffer) continue;
    ++size.ends;
    size.dims += graph.meta(source.value).layout.rank();
    size.values += cost_of_values(source.data);
  }
  for (const Node& node : graph.nodes) add_node(size, graph, node);
}

int64_t count_untidy(const Graph& graph) {
  const CanonicalNames canonical = canonical_names(graph);
  int64_t untidy = 0;
  for (std::size_t i = 0; i < graph.sources.size(); ++i)
    untidy += graph.name(graph.sources[i].value) != canonical.sources[i];
  for (std::size_t i = 0; i < graph.storages.size(); ++i) untidy += graph.storages[i].name != canonical.storages[i];
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    untidy += node.name != canonical.nodes[n];
    if (!node.op->schema.has_list_result()) continue;
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      untidy += graph.name(node.results[k]) != canonical_element_name(canonical.nodes[n], k);
    }
  }
  const std::vector<std::size_t> order = order_of_use(graph);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) untidy += order[j] > order[i];
  }
  return untidy;
}

int64_t count_bytes(const Case& test) {
  int64_t bytes = 0;
  for (const std::string& name : test.graph.names) bytes += static_cast<int64_t>(name.size());
  for (const Node& node : test.graph.nodes) bytes += static_cast<int64_t>(node.name.size());
  for (const Storage& storage : test.graph.storages) bytes += static_cast<int64_t>(storage.name.size());
  for (const Method& method : test.methods) {
    for (const std::string& name : method.graph.names) bytes += static_cast<int64_t>(name.size());
  }
  const auto add = [&](const Tensor& tensor) { bytes += 1 + static_cast<int64_t>(tensor.bytes.size()); };
  if (test.expect.outputs) {
    ++bytes;
    for (const Tensor& tensor : *test.expect.outputs) add(tensor);
  }
  for (const auto& [name, tensor] : test.expect.inputs) add(tensor);
  for (const auto& [name, tensor] : test.expect.buffers) add(tensor);
  return bytes;
}

}  // namespace

CaseSize size_of_case(const Case& test) {
  const Graph& graph = test.graph;
  CaseSize size;
  size.nodes = static_cast<int64_t>(graph.nodes.size());
  const auto others = std::ranges::count_if(test.later, [](const LaterRun& run) { return run.instance != 0; });
  size.runs = static_cast<int64_t>(test.later.size() + others + test.methods.size() + test.symbols.list.size() +
                                   test.symbols.dims.size());
  size.ends = static_cast<int64_t>(graph.sources.size() + graph.outputs.size());
  for (const TensorMeta& meta : graph.metas) size.elements += meta.layout.numel();
  add_sources(size, graph);
  for (const Symbol& symbol : test.symbols.list) size.sizes += 2 * symbol.high - symbol.low;
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    for (const int64_t symbol_size : sizes_of_run(test, run)) size.sizes += symbol_size;
    for (const Tensor& tensor : feed_of_run(test, run)) size.values += cost_of_values(tensor);
  }
  for (const Node& node : graph.nodes) add_node(size, graph, node);
  for (const Method& method : test.methods) add_method(size, method.graph);
  const SubgraphNames subgraphs(graph);
  for (const Graph* subgraph : subgraphs.all()) {
    size.nodes += static_cast<int64_t>(subgraph->nodes.size());
    size.inner += static_cast<int64_t>(subgraph->nodes.size());
    size.ends += static_cast<int64_t>(subgraph->sources.size() + subgraphs.returned(*subgraph).size());
    add_whole_numbers(size, *subgraph);
    for (const TensorMeta& meta : subgraph->metas) size.elements += meta.layout.numel();
  }
  size.untidy = count_untidy(graph);
  size.bytes = count_bytes(test);
  return size;
}

}  // namespace parallax
