#include "backends/vulkan/pipelines.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "backends/vulkan/shader_texts.h"

namespace parallax::vulkan {
namespace {

using std::chrono::steady_clock;

// What the driver's cache is kept behind: drivers need not survive a file that was altered.
struct CacheHead {
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

std::string checked_content(const std::string& file) {
  CacheHead head;
  if (file.size() < sizeof(head)) return {};
  std::memcpy(&head, file.data(), sizeof(head));
  std::string content = file.substr(sizeof(head));
  return content.size() == head.bytes && hash_of(content) == head.hash ? content : std::string();
}

}  // namespace

std::string full_text(const Context& context, const ShaderSource& source) {
  const Width& width = width_of(source.width);
  std::string text = "#version 450\n";
  text += fmt::format("#define INPUTS {}\n#define OUTPUTS {}\n", width.inputs, width.outputs);
  if (context.preserves_special_values()) text += "#define PRESERVE_SPECIAL_VALUES\n";
  if (context.rounds_to_nearest()) text += "#define ROUND_TO_NEAREST\n";
  text.append(shader_text("interface")).append(source.text());
  if (context.fails(Failure::Shader)) text += "#error told to fail\n";
  return text;
}

Result<std::shared_ptr<Pipelines>> Pipelines::make(std::shared_ptr<Context> context,
                                                   const std::filesystem::path& folder) {
  const std::shared_ptr<Pipelines> pipelines(new Pipelines(std::move(context), folder));
  TRY_VOID(pipelines->make_layouts());
  TRY_VOID(pipelines->open_cache());
  return pipelines;
}

Result<void> Pipelines::make_layouts() {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::array<uint32_t, 4> counts = {1, 1, widths[i].inputs, widths[i].outputs};
    std::array<VkDescriptorSetLayoutBinding, counts.size()> bindings{};
    for (uint32_t b = 0; b < bindings.size(); ++b) {
      bindings[b] = {b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts[b], VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    }
    VkDescriptorSetLayoutCreateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set_info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    set_info.bindingCount = static_cast<uint32_t>(bindings.size());
    set_info.pBindings = bindings.data();
    VkDescriptorSetLayout set = nullptr;
    TRY_VOID(
        succeeded("the layout of bindings", vkCreateDescriptorSetLayout(context_->device(), &set_info, nullptr, &set)));
    sets_[i] = SetLayoutHandle(context_->device(), set);
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &push;
    VkPipelineLayout layout = nullptr;
    TRY_VOID(succeeded("the layout of pipelines", vkCreatePipelineLayout(context_->device(), &info, nullptr, &layout)));
    layouts_[i] = PipelineLayoutHandle(context_->device(), layout);
  }
  return {};
}

std::filesystem::path Pipelines::cache_file() const {
  return folder_ / fmt::format("pipelines-{:016x}.bin", hash_of(context_->device_name() + context_->driver()));
}

Result<void> Pipelines::open_cache() {
  const std::string content = folder_.empty() ? std::string() : checked_content(read_file(cache_file()));
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = content.size();
  info.pInitialData = content.data();
  VkPipelineCache cache = nullptr;
  TRY_VOID(succeeded("the driver's cache", vkCreatePipelineCache(context_->device(), &info, nullptr, &cache)));
  cache_ = PipelineCacheHandle(context_->device(), cache);
  return {};
}

void Pipelines::save_cache() const {
  if (folder_.empty() || statistics_.made == 0) return;
  std::size_t size = 0;
  if (vkGetPipelineCacheData(context_->device(), cache_.get(), &size, nullptr) != VK_SUCCESS) return;
  std::string content(size, '\0');
  if (vkGetPipelineCacheData(context_->device(), cache_.get(), &size, content.data()) != VK_SUCCESS) return;
  content.resize(size);
  const CacheHead head = {content.size(), hash_of(content)};
  write_atomically(cache_file(), std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + content);
}

Result<VkShaderModule> Pipelines::module(const ShaderSource& source) {
  ModuleHandle& module = modules_[{source.name, source.width}];
  if (module.get()) return module.get();
  TRY(const SpirV code, shaders_.get(source.name, full_text(*context_, source)));
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = code.size() * sizeof(uint32_t);
  info.pCode = code.data();
  VkShaderModule made = nullptr;
  TRY_VOID(succeeded(fmt::format("shader {}", source.name),
                     vkCreateShaderModule(context_->device(), &info, nullptr, &made)));
  module = ModuleHandle(context_->device(), made);
  return made;
}

Result<VkPipeline> Pipelines::get(const ShaderSource& source, uint32_t workgroup) {
  ++statistics_.asked;
  PipelineHandle& pipeline = pipelines_[{source.name, source.width, workgroup}];
  if (pipeline.get()) return pipeline.get();
  ++statistics_.made;
  const auto start = steady_clock::now();
  TRY(const VkShaderModule module, module(source));
  constexpr VkSpecializationMapEntry entry = {0, 0, sizeof(uint32_t)};
  const VkSpecializationInfo specialization = {1, &entry, sizeof(uint32_t), &workgroup};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout(source.width);
  VkPipeline made = nullptr;
  TRY_VOID(succeeded(fmt::format("a pipeline of {}", source.name),
                     vkCreateComputePipelines(context_->device(), cache_.get(), 1, &info, nullptr, &made)));
  pipeline = PipelineHandle(context_->device(), made);
  statistics_.milliseconds += std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
  return made;
}

}  // namespace parallax::vulkan
