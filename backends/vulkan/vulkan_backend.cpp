#include "backends/vulkan/vulkan_backend.h"

#include <algorithm>

#include "backends/vulkan/device_kernel.h"
#include "backends/vulkan/device_options.h"

namespace parallax::vulkan {
namespace {

// A view costs nothing, and goes with its neighbours.
bool takes_node(const Graph& graph, const Node& node) { return node.op->is_view() || takes(graph, node); }

bool keeps(const Graph& graph, const Node& node) { return !node.op->is_view() && takes(graph, node); }

bool may_take(const Op& op, DType) { return has_kernel(op); }

Result<void> equip(std::span<const NamedOption> given, CompiledTargetOptions& target) {
  DeviceOptions options = default_device_options();
  for (const auto& [name, value] : given) {
    if (const auto set = set_device_option(name, value, options); !set) {
      return fail("target vulkan: {}", set.error().reason);
    }
  }
  TRY(const std::shared_ptr<VulkanDevice> device, VulkanDevice::open(options));
  target.delegates = &delegates(device->context());
  target.alignment = static_cast<int64_t>(device->context().limits().offset_alignment);
  target.redzone = target.alignment;
  target.device = device;
  return {};
}

constexpr std::array backends = {Backend{.name = "vulkan", .takes = takes_node, .fuses = true}};

}  // namespace

const DelegateSet& delegates(const Context& context) {
  static constexpr DelegateSet lavapipe = {"vulkan-lavapipe", backends, nullptr, keeps, may_take};
  static constexpr DelegateSet any = {"vulkan", backends, nullptr, keeps, may_take};
  return context.is_lavapipe() ? lavapipe : any;
}

constexpr OwnBackend own_backend = {
    .name = "vulkan",
    .what = "the same, with what a Vulkan device has kernels for run there",
    .options = device_option_names,
    .equip = equip,
};

}  // namespace parallax::vulkan
