// Context: a Vulkan instance with one device and its compute queue.
//
// What the kernels need of a device is asked for here, so that a device that lacks it is refused by name before
// anything runs on it. Nothing falls back to another device.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/vulkan/handle.h"

namespace parallax::vulkan {

// What a device may be told to fail with, for the sake of what is said then.
enum class Failure : uint8_t { None, Feature, Memory, Shader, Submission };
// "feature", "memory" …
Result<Failure> failure_called(std::string_view name);

struct ContextRequest {
  std::string device;     // an index, or a part of a name; empty: the first of Mesa's llvmpipe, which runs anywhere
  bool validate = false;  // with the Khronos layer and its synchronization validation
  Failure fails = Failure::None;

  friend bool operator==(const ContextRequest&, const ContextRequest&) = default;
};

// What the program has to keep to.
struct DeviceLimits {
  uint64_t buffer_range = 0;      // bytes that a binding may have
  uint64_t offset_alignment = 1;  // of a binding's first byte
  uint32_t groups = 0;            // in one dispatch, along x
  uint32_t group_invocations = 0;
};

inline constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";
// The version of Vulkan that the layer is written to, as VK_MAKE_API_VERSION packs it; nothing where it is not
// installed.
std::optional<uint32_t> validation_layer_version();

class Context {
 public:
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The context of that request, one a process. No driver, no such device, a device without a feature and a layer that
  // is not installed are errors of kind NoTarget, and so is a lost device anywhere else.
  static Result<std::shared_ptr<Context>> open(const ContextRequest& request);

  VkDevice device() const { return device_; }
  VkPhysicalDevice physical_device() const { return physical_; }
  VkQueue queue() const { return queue_; }
  uint32_t queue_family() const { return family_; }
  const std::string& device_name() const { return device_name_; }
  // "Mesa 22.3.6 (LLVM 15.0.6)"
  const std::string& driver() const { return driver_; }
  bool is_lavapipe() const { return is_lavapipe_; }
  const DeviceLimits& limits() const { return limits_; }
  // Whether NaN, infinities and the sign of zero can be kept by order (SignedZeroInfNanPreserve), and roundings to the
  // nearest (RoundingModeRTE).
  bool preserves_special_values() const { return preserves_special_values_; }
  bool rounds_to_nearest() const { return rounds_to_nearest_; }

  PFN_vkCmdPushDescriptorSetKHR push_descriptors() const { return push_descriptors_; }

  // Whether it is to fail in that way.
  bool fails(Failure failure) const { return fails_ == failure; }

  // Held by who records or submits: the queue, the pipelines and the table of shaders are the process's.
  std::mutex& turns() { return turns_; }

  bool validates() const { return validates_; }
  // What the validation layers said since the last call.
  std::vector<std::string> take_messages() { return std::exchange(messages_, {}); }
  // What is wrong with an order of writes (write_order.h), and what was added since the last call.
  void add_disorder(std::string what) { disorders_.push_back(std::move(what)); }
  std::vector<std::string> take_disorders() { return std::exchange(disorders_, {}); }

 private:
  Context() = default;
  Result<void> create_instance(bool validate);
  Result<void> pick_device(const std::string& wanted);
  Result<void> create_device();

  VkInstance instance_ = nullptr;
  VkDebugUtilsMessengerEXT messenger_ = nullptr;
  VkPhysicalDevice physical_ = nullptr;
  VkDevice device_ = nullptr;
  VkQueue queue_ = nullptr;
  uint32_t family_ = 0;
  std::string device_name_, driver_;
  Failure fails_ = Failure::None;
  bool is_lavapipe_ = false;
  bool preserves_special_values_ = false;
  bool rounds_to_nearest_ = false;
  DeviceLimits limits_;
  PFN_vkCmdPushDescriptorSetKHR push_descriptors_ = nullptr;
  bool validates_ = false;
  std::vector<std::string> messages_, disorders_;
  std::mutex turns_;
};

}  // namespace parallax::vulkan
