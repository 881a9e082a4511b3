#include "backends/vulkan/vulkan_backend.h"

#include <algorithm>

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {
namespace {

// A view costs nothing, and goes with its neighbours.
bool takes_node(const Graph& graph, const Node& node) { return node.op->is_view() || takes(graph, node); }

bool keeps(const Graph& graph, const Node& node) { return !node.op->is_view() && takes(graph, node); }

bool may_take(const Op& op, DType) { return has_kernel(op); }

constexpr std::array backends = {Backend{.name = "vulkan", .takes = takes_node, .fuses = true}};

}  // namespace

const DelegateSet& delegates(const Context& context) {
  static constexpr DelegateSet lavapipe = {"lavapipe", backends, nullptr, keeps, may_take};
  static constexpr DelegateSet any = {"vulkan", backends, nullptr, keeps, may_take};
  return context.is_lavapipe() ? lavapipe : any;
}

}  // namespace parallax::vulkan
