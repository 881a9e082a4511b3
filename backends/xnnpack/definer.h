// Definer: builds the XNNPACK subgraph of one partition.
//
// Every value of the partition is in one order of elements: row-major, or, where an operator of pictures is among its
// nodes, channels last, in which all tensors have rank 4. Values that come in or go out are external ones, bound by
// position; a view of what the partition made is a reshape, defined when it is first read.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <unordered_map>

#include "backends/xnnpack/op_row.h"
#include "compiler/program.h"

namespace parallax::xnnpack {

// "invalid parameter".
std::string_view name(xnn_status status);

// A layout with its dims in the order in which the library is to see them.
Layout ordered(const Layout& layout, Order order);

// An external value of a subgraph: the tensor at a position of the partition's inputs or of what it writes.
struct Bound {
  uint32_t id = XNN_INVALID_VALUE_ID;
  std::size_t position = 0;
};

// What a value is known to lie in.
struct Range {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

class Definer {
 public:
  // `outputs` are the values that the subgraph is to write.
  Definer(const Graph& graph, const Partition& partition, std::span<const ValueId> outputs);

  // Defines every node, or says which the library refuses.
  Result<void> define_nodes();

  Order order() const { return order_; }
  xnn_subgraph_t subgraph() const { return subgraph_.get(); }
  const std::vector<Bound>& inputs() const { return inputs_; }
  const std::vector<Bound>& outputs() const { return outputs_; }
  // Data that the operators point to: it must outlive them.
  std::list<std::vector<float>> take_constants() { return std::move(constants_); }

  // For rows. Ids that could not be had are invalid, and what is defined with them fails.
  uint32_t operand(ValueId value);
  // Parameter i, a tensor or a Python number.
  uint32_t operand(const NodeCall& call, ParameterRef parameter);
  uint32_t result(const NodeCall& call) { return made(call.result()); }
  uint32_t constant(std::vector<float> elements, const std::vector<std::size_t>& sizes);
  uint32_t number(double number) { return constant({static_cast<float>(number)}, {}); }
  // A value of its own of these sizes.
  uint32_t temporary(const std::vector<std::size_t>& sizes);
  std::vector<std::size_t> sizes(ValueId value) const;

  // What is known of a value, as far as clamps have said so.
  Range range(uint32_t id) const;
  void set_range(uint32_t id, Range range) { ranges_[id] = range; }

 private:
  struct Delete {
    void operator()(xnn_subgraph_t subgraph) const { xnn_delete_subgraph(subgraph); }
  };

  // The id of a value that a node is about to write.
  uint32_t made(ValueId value);
  uint32_t view(ValueId value);
  uint32_t tensor(const std::vector<std::size_t>& sizes, const float* data, uint32_t external, uint32_t flags);

  const Graph& graph_;
  const Partition& partition_;
  std::span<const ValueId> written_;
  Order order_ = Order::RowMajor;
  std::unique_ptr<xnn_subgraph, Delete> subgraph_;
  std::unordered_map<ValueId, uint32_t> ids_;
  std::unordered_map<uint32_t, Range> ranges_;
  std::vector<Bound> inputs_;
  std::vector<Bound> outputs_;
  std::list<std::vector<float>> constants_;
};

}  // namespace parallax::xnnpack
