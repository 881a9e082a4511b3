// Handles of Vulkan objects that end with their owner, and results of calls as errors.
#pragma once

#include <vulkan/vulkan.h>

#include <string_view>
#include <utility>

#include "core/result.h"

namespace parallax::vulkan {

// "VK_ERROR_DEVICE_LOST"
std::string_view name(VkResult result);

// What a device that cannot go on gives: the target cannot be run. `what` is what was asked of it.
std::unexpected<Error> device_error(std::string_view what, VkResult result);

// The error of a call that did not succeed.
inline Result<void> succeeded(std::string_view what, VkResult result) {
  if (result != VK_SUCCESS) return device_error(what, result);
  return {};
}

// An object of a device.
template <class Object, void (*destroy)(VkDevice, Object, const VkAllocationCallbacks*)>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, Object object) : device_(device), object_(object) {}
  Handle(Handle&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), object_(std::exchange(other.object_, Object())) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_) destroy(device_, object_, nullptr);
  }

  Object get() const { return object_; }

 private:
  VkDevice device_ = nullptr;
  Object object_ = Object();
};

using BufferHandle = Handle<VkBuffer, vkDestroyBuffer>;
using MemoryHandle = Handle<VkDeviceMemory, vkFreeMemory>;
using ModuleHandle = Handle<VkShaderModule, vkDestroyShaderModule>;
using PipelineHandle = Handle<VkPipeline, vkDestroyPipeline>;
using PipelineCacheHandle = Handle<VkPipelineCache, vkDestroyPipelineCache>;
using PipelineLayoutHandle = Handle<VkPipelineLayout, vkDestroyPipelineLayout>;
using SetLayoutHandle = Handle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using CommandPoolHandle = Handle<VkCommandPool, vkDestroyCommandPool>;
using FenceHandle = Handle<VkFence, vkDestroyFence>;

}  // namespace parallax::vulkan
