#include "backends/xnnpack/op_row.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace parallax::xnnpack {
namespace {

constexpr std::array families = {
    arithmetic_rows, unary_rows, clamp_rows, product_rows, convolution_rows, picture_rows, shape_rows,
};

using Table = std::unordered_map<std::string_view, OpRow>;

Table make_table() {
  Table table;
  for (auto family : families) {
    for (const OpRow& row : family()) PARALLAX_CHECK(table.emplace(row.op, row).second);
  }
  return table;
}

bool is_written(const Graph& graph, StorageId storage) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return node.op->writes() &&
           std::ranges::any_of(node.results, [&](ValueId result) { return graph.meta(result).storage == storage; });
  });
}

}  // namespace

const OpRow* find_row(std::string_view op) {
  static const Table table = make_table();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

const Source* NodeCall::source_of(ValueId value) const {
  const auto found = std::ranges::find_if(
      graph_->sources, [&](const Source& source) { return graph_->meta(source.value).storage == meta(value).storage; });
  return found == graph_->sources.end() ? nullptr : &*found;
}

bool NodeCall::is_constant(ParameterRef parameter) const {
  if (!is_tensor(parameter)) return false;
  const Source* source = source_of(value(parameter));
  return source && source->kind == SourceKind::Constant && !source->window &&
         !is_written(*graph_, meta(source->value).storage);
}

std::vector<float> NodeCall::constant(ParameterRef parameter, const Layout& layout) const {
  const Source* source = source_of(value(parameter));
  PARALLAX_CHECK(source != nullptr);
  const TensorMeta& made = meta(source->value);
  std::vector<float> storage(static_cast<std::size_t>(graph_->storage(made.storage).elements));
  scatter(source->data, made.layout, reinterpret_cast<std::byte*>(storage.data()));
  std::vector<float> elements;
  for_each_element(layout, [&](int64_t element) { elements.push_back(storage[static_cast<std::size_t>(element)]); });
  return elements;
}

}  // namespace parallax::xnnpack
