#include "backends/xnnpack/definer.h"

#include <algorithm>
#include <array>

#include "backends/xnnpack/backends.h"

namespace parallax::xnnpack {
namespace {

bool needs_channels_last(const Graph& graph, const Partition& partition) {
  for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
    const OpRow* row = find_row(graph.nodes[n].op->name);
    if (row && row->order == Order::ChannelsLast) return true;
  }
  return false;
}

// By value: whether what is written hangs on it. The library forgets what nobody reads, and asserts when the operator
// that makes it is set up.
std::vector<bool> needed_values(const Graph& graph, NodeRange nodes, std::span<const ValueId> written) {
  std::vector<bool> needed(graph.metas.size(), false);
  for (ValueId value : written) needed[value.index] = true;
  for (std::size_t n = nodes.end; n-- > nodes.first;) {
    if (!needed[graph.nodes[n].results.front().index]) continue;
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) { needed[value.index] = true; });
    }
  }
  return needed;
}

}  // namespace

std::string_view name(xnn_status status) {
  constexpr std::array names = {"success",       "uninitialized",         "invalid parameter",
                                "invalid state", "unsupported parameter", "unsupported hardware",
                                "out of memory"};
  return names[static_cast<std::size_t>(status)];
}

Layout ordered(const Layout& layout, Order order) {
  if (order != Order::ChannelsLast) return layout;
  Layout padded = layout;
  while (padded.rank() < 4) {
    padded.sizes.insert(0, 1);
    padded.strides.insert(0, 0);
  }
  Layout turned = {{}, {}, layout.offset};
  for (int dim : {0, 2, 3, 1}) {
    turned.sizes.push_back(padded.sizes[dim]);
    turned.strides.push_back(padded.strides[dim]);
  }
  return turned;
}

Definer::Definer(const Graph& graph, const Partition& partition, std::span<const ValueId> outputs)
    : graph_(graph), partition_(partition), written_(outputs) {
  if (needs_channels_last(graph, partition)) order_ = Order::ChannelsLast;
  const std::size_t external = partition.inputs.size() + outputs.size();
  xnn_subgraph_t subgraph = nullptr;
  if (xnn_create_subgraph(static_cast<uint32_t>(external), 0, &subgraph) == xnn_status_success) {
    subgraph_.reset(subgraph);
  }
}

Result<void> Definer::define_nodes() {
  if (!subgraph_) return fail("XNNPACK creates no subgraph");
  const std::vector<bool> needed = needed_values(graph_, partition_.nodes, written_);
  for (std::size_t n = partition_.nodes.first; n < partition_.nodes.end; ++n) {
    const Node& node = graph_.nodes[n];
    const NodeCall call(graph_, node);
    if (!needed[call.result().index] || is_view(call)) continue;
    const OpRow* row = find_row(node.op->name);
    PARALLAX_CHECK(row != nullptr);
    if (const xnn_status status = row->define(*this, call); status != xnn_status_success) {
      return fail("{} ({}): XNNPACK refuses it: {}", node.name, node.op->name, name(status));
    }
  }
  return {};
}

std::vector<std::size_t> Definer::sizes(ValueId value) const {
  const Dims sizes = ordered(graph_.meta(value).layout, order_).sizes;
  return {sizes.begin(), sizes.end()};
}

uint32_t Definer::tensor(const std::vector<std::size_t>& sizes, const float* data, uint32_t external, uint32_t flags) {
  uint32_t id = XNN_INVALID_VALUE_ID;
  xnn_define_tensor_value(subgraph(), xnn_datatype_fp32, sizes.size(), sizes.data(), data, external, flags, &id);
  return id;
}

uint32_t Definer::constant(std::vector<float> elements, const std::vector<std::size_t>& sizes) {
  std::vector<float>& kept = constants_.emplace_back(std::move(elements));
  kept.resize(kept.size() + XNN_EXTRA_BYTES / sizeof(float));
  return tensor(sizes, kept.data(), XNN_INVALID_VALUE_ID, 0);
}

uint32_t Definer::temporary(const std::vector<std::size_t>& sizes) {
  return tensor(sizes, nullptr, XNN_INVALID_VALUE_ID, 0);
}

uint32_t Definer::operand(const NodeCall& call, ParameterRef parameter) {
  return call.is_tensor(parameter) ? operand(call.value(parameter)) : number(call.real(parameter));
}

uint32_t Definer::operand(ValueId value) {
  if (const auto found = ids_.find(value); found != ids_.end()) return found->second;
  const auto input = std::ranges::find(partition_.inputs, value);
  if (input == partition_.inputs.end()) return ids_[value] = view(value);
  const auto position = static_cast<std::size_t>(input - partition_.inputs.begin());
  const uint32_t id = tensor(sizes(value), nullptr, static_cast<uint32_t>(position), XNN_VALUE_FLAG_EXTERNAL_INPUT);
  inputs_.push_back({id, position});
  return ids_[value] = id;
}

uint32_t Definer::made(ValueId value) {
  const auto output = std::ranges::find(written_, value);
  if (output == written_.end()) return ids_[value] = temporary(sizes(value));
  const auto position = static_cast<std::size_t>(output - written_.begin());
  const auto external = static_cast<uint32_t>(partition_.inputs.size() + position);
  const uint32_t id = tensor(sizes(value), nullptr, external, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
  outputs_.push_back({id, position});
  return ids_[value] = id;
}

uint32_t Definer::view(ValueId value) {
  for (std::size_t n = partition_.nodes.first; n < partition_.nodes.end; ++n) {
    const NodeCall call(graph_, graph_.nodes[n]);
    if (call.result() != value) continue;
    const uint32_t from = operand(call.value(first_operand));
    const std::vector<std::size_t> to = sizes(value);
    const uint32_t id = temporary(to);
    const bool is_defined =
        xnn_define_static_reshape(subgraph(), to.size(), to.data(), from, id, 0) == xnn_status_success;
    return is_defined ? id : XNN_INVALID_VALUE_ID;
  }
  return XNN_INVALID_VALUE_ID;
}

Range Definer::range(uint32_t id) const {
  const auto found = ranges_.find(id);
  return found == ranges_.end() ? Range() : found->second;
}

}  // namespace parallax::xnnpack
