// Op row: how a call of one ATen op becomes nodes of an XNNPACK subgraph. Tables of rows, in a few files by family.
//
// The library is that of Debian 12 (February 2022). What a row says of it was read in its sources at that commit
// (github.com/google/XNNPACK, ae108ef) and is held against the oracle by tests/backends/xnnpack_test.cpp.
#pragma once

#include <xnnpack.h>

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace parallax::xnnpack {

class Definer;

// A call together with the graph that it stands in.
class NodeCall : public Call {
 public:
  NodeCall(const Graph& graph, const Node& node)
      : Call(*node.op, node.arguments, graph.metas), graph_(&graph), node_(&node) {}

  const Graph& graph() const { return *graph_; }
  const Node& node() const { return *node_; }
  ValueId result() const { return node_->results.front(); }
  const Dims& result_sizes() const { return meta(result()).layout.sizes; }
  const Dims& sizes(ParameterRef parameter) const { return tensor(parameter).layout.sizes; }
  // Whether a parameter is a tensor that is known when the graph is compiled. The library packs weights when it creates
  // an operator and takes no others.
  bool is_constant(ParameterRef parameter) const;
  // Its elements under another layout of its storage.
  std::vector<float> constant(ParameterRef parameter, const Layout& layout) const;

 private:
  const Source* source_of(ValueId value) const;

  const Graph* graph_;
  const Node* node_;
};

// The order in which an op needs the elements of its tensors of rank 4.
enum class Order { Any, RowMajor, ChannelsLast };

struct OpRow {
  std::string_view op;
  // Whether the library computes this call. Every tensor is f32, has elements and a rank that the library takes.
  bool (*fits)(const NodeCall& call);
  // Adds the nodes that write the call's first result.
  xnn_status (*define)(Definer& definer, const NodeCall& call);
  Order order = Order::Any;
};

inline bool always_fits(const NodeCall&) { return true; }

// The families. A new one is its file and one line in backends.cpp.
std::span<const OpRow> arithmetic_rows();
std::span<const OpRow> unary_rows();
std::span<const OpRow> clamp_rows();
std::span<const OpRow> product_rows();
std::span<const OpRow> convolution_rows();
std::span<const OpRow> picture_rows();
std::span<const OpRow> shape_rows();

// The row of an op, or null.
const OpRow* find_row(std::string_view op);

}  // namespace parallax::xnnpack
