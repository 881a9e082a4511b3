#include "backends/vulkan/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define PARALLAX_CHECKS_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PARALLAX_CHECKS_LEAKS
#endif
#endif

#ifdef PARALLAX_CHECKS_LEAKS
// What a driver keeps until the process ends (Mesa: which cores share a cache, on AMD's processors) hangs on its
// globals. The leak checker looks for those after the loader has unloaded it, so it stays.
extern "C" int dlclose(void*) noexcept { return 0; }
#endif

namespace parallax::vulkan {
namespace {

std::unexpected<Error> no_target(std::string reason) {
  return std::unexpected(Error{ErrorKind::NoTarget, "", "", "vulkan: " + std::move(reason)});
}

VKAPI_ATTR VkBool32 VKAPI_CALL keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* messages) {
  static_cast<std::vector<std::string>*>(messages)->emplace_back(data->pMessage);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(std::vector<std::string>* messages) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = keep_message;
  info.pUserData = messages;
  return info;
}

bool has_extension(VkPhysicalDevice device, const char* name) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return std::ranges::any_of(extensions,
                             [&](const auto& extension) { return std::string_view(extension.extensionName) == name; });
}

// The features that kernels are written with, chained for asking and for creating.
struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};

  Features() {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    core.pNext = &v11;
    v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    v11.pNext = &v12;
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  struct Needed {
    VkBool32* flag;
    std::string_view name;
  };
  std::array<Needed, 6> needed() {
    return {{{&core.features.shaderInt64, "shaderInt64"},
             {&core.features.shaderFloat64, "shaderFloat64"},
             {&core.features.shaderStorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing"},
             {&v11.storageBuffer16BitAccess, "storageBuffer16BitAccess"},
             {&v12.storageBuffer8BitAccess, "storageBuffer8BitAccess"},
             {&v12.shaderInt8, "shaderInt8"}}};
  }
};

std::string device_list(const std::vector<VkPhysicalDevice>& devices) {
  std::string list;
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", properties.deviceName);
  }
  return list;
}

bool is_wanted(const std::string& wanted, std::size_t index, std::string_view name) {
  std::size_t number = 0;
  const auto parsed = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == wanted.data() + wanted.size()) return number == index;
  return name.contains(wanted.empty() ? "llvmpipe" : wanted);
}

// Sets an environment variable that the user has not set, until the end of the scope. Other processes do not get it.
class VariableForNow {
 public:
  VariableForNow(const char* name, const char* value) : name_(std::getenv(name) ? nullptr : name) {
    if (name_) ::setenv(name_, value, 1);
  }
  ~VariableForNow() {
    if (name_) ::unsetenv(name_);
  }
  VariableForNow(const VariableForNow&) = delete;
  VariableForNow& operator=(const VariableForNow&) = delete;

 private:
  const char* name_;
};

constexpr std::array failures = {std::pair(std::string_view("feature"), Failure::Feature),
                                 std::pair(std::string_view("memory"), Failure::Memory),
                                 std::pair(std::string_view("shader"), Failure::Shader),
                                 std::pair(std::string_view("submission"), Failure::Submission)};

}  // namespace

Result<Failure> failure_called(std::string_view name) {
  for (const auto& [known, failure] : failures) {
    if (known == name) return failure;
  }
  return fail("fail is feature, memory, shader or submission");
}

std::string_view name(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    default:
      return "an error without a name here";
  }
}

std::unexpected<Error> device_error(std::string_view what, VkResult result) {
  return no_target(fmt::format("{}: {} ({})", what, name(result), static_cast<int>(result)));
}

std::optional<uint32_t> validation_layer_version() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  for (const VkLayerProperties& layer : layers) {
    if (std::string_view(layer.layerName) == validation_layer) return layer.specVersion;
  }
  return std::nullopt;
}

Context::~Context() {
  if (device_) vkDestroyDevice(device_, nullptr);
  if (messenger_) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance_, messenger_, nullptr);
  }
  if (instance_) vkDestroyInstance(instance_, nullptr);
}

Result<std::shared_ptr<Context>> Context::open(const ContextRequest& request) {
  // Never destroyed: at exit, drivers and layers may be gone before our statics are.
  static auto& opened = *new std::vector<std::pair<ContextRequest, std::shared_ptr<Context>>>;
  for (const auto& [known, context] : opened) {
    if (known == request) return context;
  }
  const std::shared_ptr<Context> context(new Context);
  context->fails_ = request.fails;
  // llvmpipe, which reads them once, spends most of a campaign in LLVM on kernels that run for microseconds. Without
  // LLVM's optimizations and with vectors of 128 bits a kernel is compiled in half the time.
  const VariableForNow passes("GALLIVM_PERF", "nopt");
  const VariableForNow width("LP_NATIVE_VECTOR_WIDTH", "128");
  TRY_VOID(context->create_instance(request.validate));
  TRY_VOID(context->pick_device(request.device));
  TRY_VOID(context->create_device());
  opened.emplace_back(request, context);
  return context;
}

Result<void> Context::create_instance(bool validate) {
  validates_ = validate;
  if (validate && !validation_layer_version()) {
    return no_target(fmt::format("{} is not installed; Debian's package is vulkan-validationlayers", validation_layer));
  }
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "parallax";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(&messages_);
  constexpr VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  if (validate) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &validation_layer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  TRY_VOID(succeeded("no driver to be had, of Debian's packages mesa-vulkan-drivers has one",
                     vkCreateInstance(&info, nullptr, &instance_)));
  if (!validate) return {};
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  return succeeded("the messenger of the validation layer", create(instance_, &messenger, nullptr, &messenger_));
}

Result<void> Context::pick_device(const std::string& wanted) {
  uint32_t count = 0;
  TRY_VOID(succeeded("no list of devices", vkEnumeratePhysicalDevices(instance_, &count, nullptr)));
  std::vector<VkPhysicalDevice> devices(count);
  TRY_VOID(succeeded("no list of devices", vkEnumeratePhysicalDevices(instance_, &count, devices.data())));
  if (devices.empty()) return no_target("there is no device; mesa-vulkan-drivers brings one that needs no GPU");
  for (std::size_t i = 0; i < devices.size() && !physical_; ++i) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceFloatControlsProperties floats{};
    floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    floats.pNext = &driver;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &floats;
    vkGetPhysicalDeviceProperties2(devices[i], &properties);
    const VkPhysicalDeviceProperties& core = properties.properties;
    if (!is_wanted(wanted, i, core.deviceName)) continue;
    physical_ = devices[i];
    device_name_ = core.deviceName;
    driver_ = driver.driverInfo;
    is_lavapipe_ = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
    preserves_special_values_ =
        floats.shaderSignedZeroInfNanPreserveFloat32 && floats.shaderSignedZeroInfNanPreserveFloat64;
    rounds_to_nearest_ = floats.shaderRoundingModeRTEFloat32 && floats.shaderRoundingModeRTEFloat64;
    limits_ = {core.limits.maxStorageBufferRange, core.limits.minStorageBufferOffsetAlignment,
               core.limits.maxComputeWorkGroupCount[0], core.limits.maxComputeWorkGroupInvocations};
    if (core.apiVersion < VK_API_VERSION_1_2) return no_target(device_name_ + " is older than Vulkan 1.2");
  }
  if (physical_) return {};
  return no_target(
      fmt::format("no device is called '{}'; there is {}", wanted.empty() ? "llvmpipe" : wanted, device_list(devices)));
}

Result<void> Context::create_device() {
  Features offered;
  vkGetPhysicalDeviceFeatures2(physical_, &offered.core);
  Features asked;
  const auto has = offered.needed();
  const auto wants = asked.needed();
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!*has[i].flag || fails(Failure::Feature))
      return no_target(fmt::format("{} has no {}", device_name_, has[i].name));
    *wants[i].flag = VK_TRUE;
  }
  if (!has_extension(physical_, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) {
    return no_target(fmt::format("{} has no {}", device_name_, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME));
  }
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  const auto family =
      std::ranges::find_if(families, [](const auto& f) { return (f.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
  if (family == families.end()) return no_target(device_name_ + " has no queue for compute");
  family_ = static_cast<uint32_t>(family - families.begin());
  constexpr float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char* extension = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &asked.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  TRY_VOID(succeeded(device_name_, vkCreateDevice(physical_, &info, nullptr, &device_)));
  vkGetDeviceQueue(device_, family_, 0, &queue_);
  push_descriptors_ =
      reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(vkGetDeviceProcAddr(device_, "vkCmdPushDescriptorSetKHR"));
  return {};
}

}  // namespace parallax::vulkan
