#include "backends/xnnpack/backends.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/xnnpack/integer_delegate.h"
#include "backends/xnnpack/xnnpack_delegate.h"
#include "ops/fused_op.h"

namespace parallax::xnnpack {
namespace {

bool is_tensor_of_ours(const TensorMeta& meta) {
  return meta.dtype == DType::F32 && meta.layout.numel() > 0 && meta.layout.rank() <= XNN_MAX_TENSOR_DIMS;
}

// Results behind the first are never written: nobody may look at them.
bool is_unused(const Graph& graph, ValueId value) {
  const auto names_it = [&](const Node& node) {
    bool named = false;
    for (const Argument& argument : node.arguments) for_each_value(argument, [&](ValueId v) { named |= v == value; });
    return named;
  };
  return std::ranges::find(graph.outputs, value) == graph.outputs.end() && std::ranges::none_of(graph.nodes, names_it);
}

// The library takes subnormal operands for 0. The profile says so of tensors; of a number that may be far from what
// eager computes: x times 1e-40.
bool is_kept(const Argument& argument) {
  const auto* number = std::get_if<Scalar>(&argument);
  return !number || std::fpclassify(static_cast<float>(as_double(*number))) != FP_SUBNORMAL;
}

bool computes(const OpRow& row, const NodeCall& call) {
  const Node& node = call.node();
  if (!std::ranges::all_of(node.arguments, is_kept)) return false;
  if (node.op->writes() || node.results.empty() || !is_tensor_of_ours(call.meta(call.result()))) return false;
  for (const Argument& argument : node.arguments) {
    bool fits = true;
    for_each_value(argument, [&](ValueId value) { fits = fits && is_tensor_of_ours(call.meta(value)); });
    if (!fits) return false;
  }
  const std::span others = std::span(node.results).subspan(1);
  return std::ranges::all_of(others, [&](ValueId other) { return is_unused(call.graph(), other); }) && row.fits(call);
}

// The order of the partition that computes this call; nothing where the library does not.
std::optional<Order> order_of(const NodeCall& call) {
  const OpRow* row = find_row(call.op().name);
  if (!row || is_view(call) || !computes(*row, call)) return std::nullopt;
  if (row->order != Order::Any) return row->order;
  return call.result_sizes().size() == 4 ? Order::ChannelsLast : Order::RowMajor;
}

// Whether a view is worth a reshape: what it shows was made row-major by the library, and it shows all of it.
bool is_reshape(const NodeCall& call) {
  const Graph& graph = call.graph();
  const TensorMeta& result = call.meta(call.result());
  if (call.node().results.size() != 1 || !is_tensor_of_ours(result) || !is_contiguous(result.layout)) return false;
  const auto maker = std::ranges::find_if(graph.nodes, [&](const Node& node) {
    return std::ranges::any_of(node.results, [&](ValueId v) { return graph.meta(v).storage == result.storage; });
  });
  if (maker == graph.nodes.end() || &*maker == &call.node()) return false;
  const Layout& whole = graph.meta(maker->results.front()).layout;
  const Layout& from = call.tensor(first_operand).layout;  // as_strided may show more than its operand
  return is_contiguous(whole) && whole.offset == result.layout.offset && whole.numel() == result.layout.numel() &&
         is_contiguous(from) && from.offset == whole.offset && from.numel() == whole.numel() &&
         order_of(NodeCall(graph, *maker)) == Order::RowMajor;
}

bool takes_row_major(const Graph& graph, const Node& node) {
  const NodeCall call(graph, node);
  return is_view(call) ? is_reshape(call) : order_of(call) == Order::RowMajor;
}

bool takes_channels_last(const Graph& graph, const Node& node) {
  return order_of(NodeCall(graph, node)) == Order::ChannelsLast;
}

bool keeps(const Graph& graph, const Node& node) { return order_of(NodeCall(graph, node)).has_value(); }

bool may_take(const Op& op, DType dtype) { return dtype == DType::F32 && find_row(op.name) != nullptr; }

Result<void> equip(std::span<const NamedOption>, CompiledTargetOptions& target) {
  target.delegates = &delegates();
  return {};
}

// A partition is of one backend, and so all of integers or all of floats.
Result<std::unique_ptr<Delegate>> make_any_delegate(const Graph& graph, const Partition& partition,
                                                    std::span<const ValueId> outputs) {
  const bool integers = as_fused(*graph.nodes[partition.nodes.first].op) != nullptr;
  return integers ? make_integer_delegate(graph, partition, outputs) : make_delegate(graph, partition, outputs);
}

constexpr std::array backends = {
    Backend{.name = "xnnpack-int8", .takes = takes_integers, .whole = true},
    Backend{.name = "xnnpack-nhwc", .takes = takes_channels_last, .whole = true},
    Backend{.name = "xnnpack", .takes = takes_row_major, .whole = true},
};

}  // namespace

bool is_view(const NodeCall& call) {
  const Node& node = call.node();
  if (node.op->writes() || node.results.empty() || node.arguments.empty() || !call.is_tensor(first_operand))
    return false;
  return call.meta(call.result()).storage == call.tensor(first_operand).storage;
}

const DelegateSet& delegates() {
  static constexpr DelegateSet set = {"xnnpack", backends, make_any_delegate, keeps, may_take};
  return set;
}

constexpr OwnBackend own_backend = {
    .name = "xnnpack", .what = "the same, with what Debian's XNNPACK computes delegated to it", .equip = equip};

}  // namespace parallax::xnnpack
