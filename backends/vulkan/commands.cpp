#include "backends/vulkan/commands.h"

#include <algorithm>
#include <cstring>

#include "backends/vulkan/write_order.h"

namespace parallax::vulkan {
namespace {

void memory_barrier(VkCommandBuffer buffer, VkPipelineStageFlags until, VkAccessFlags access) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, until, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

VkDescriptorBufferInfo info_of(const BufferRange& range) { return {range.buffer, range.offset, range.size}; }

}  // namespace

Result<std::unique_ptr<Commands>> Commands::make(std::shared_ptr<Context> context, std::shared_ptr<Heap> heap,
                                                 std::shared_ptr<Pipelines> pipelines) {
  std::unique_ptr<Commands> commands(new Commands);
  commands->context_ = std::move(context);
  commands->heap_ = std::move(heap);
  commands->pipelines_ = std::move(pipelines);
  TRY_VOID(commands->start());
  return commands;
}

Result<void> Commands::start() {
  VkDevice device = context_->device();
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = context_->queue_family();
  VkCommandPool pool = nullptr;
  TRY_VOID(succeeded("a pool of commands", vkCreateCommandPool(device, &pool_info, nullptr, &pool)));
  pool_ = CommandPoolHandle(device, pool);
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  TRY_VOID(succeeded("a buffer of commands", vkAllocateCommandBuffers(device, &info, &buffer_)));
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = nullptr;
  TRY_VOID(succeeded("a fence", vkCreateFence(device, &fence_info, nullptr, &fence)));
  fence_ = FenceHandle(device, fence);
  return {};
}

// Slots that the call leaves over repeat its own: what it reads and writes stays the same.
void Commands::bind(const Dispatch& dispatch, const BufferRange& status) const {
  const Width& width = width_of(dispatch.source->width);
  std::vector<VkDescriptorBufferInfo> infos = {info_of(metadata_), info_of(status)};
  for (uint32_t i = 0; i < width.inputs; ++i) {
    infos.push_back(info_of(i < dispatch.reads.size() ? dispatch.reads[i] : metadata_));
  }
  for (uint32_t i = 0; i < width.outputs; ++i) {
    infos.push_back(info_of(i < dispatch.writes.size() ? dispatch.writes[i] : dispatch.writes.front()));
  }
  const std::array<uint32_t, 4> counts = {1, 1, width.inputs, width.outputs};
  std::array<VkWriteDescriptorSet, counts.size()> writes{};
  uint32_t next = 0;
  for (uint32_t binding = 0; binding < writes.size(); ++binding) {
    writes[binding].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[binding].dstBinding = binding;
    writes[binding].descriptorCount = counts[binding];
    writes[binding].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[binding].pBufferInfo = &infos[next];
    next += counts[binding];
  }
  context_->push_descriptors()(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_->layout(dispatch.source->width), 0,
                               static_cast<uint32_t>(writes.size()), writes.data());
}

// In as many parts as the limit asks for; they write apart from each other.
void Commands::dispatch_groups(const Dispatch& dispatch, const CommandRules& rules, bool splits) const {
  const uint32_t groups = rules.groups == 0 ? context_->limits().groups : rules.groups;
  const uint64_t most = uint64_t{groups} * rules.workgroup;
  const uint64_t end = splits ? dispatch.count : std::min(most, dispatch.count);
  for (uint64_t first = 0; first < end; first += most) {
    const uint64_t now = std::min(most, end - first);
    const PushConstants push = {dispatch.metadata, static_cast<uint32_t>(first), static_cast<uint32_t>(dispatch.count)};
    vkCmdPushConstants(buffer_, pipelines_->layout(dispatch.source->width), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       push_constant_bytes, &push);
    vkCmdDispatch(buffer_, static_cast<uint32_t>((now + rules.workgroup - 1) / rules.workgroup), 1, 1);
  }
}

Result<void> Commands::record(std::span<const Dispatch> dispatches, std::span<const uint32_t> metadata,
                              const CommandRules& rules, const DeviceRules& device) {
  const auto raising = std::ranges::count_if(dispatches, [](const Dispatch& dispatch) { return dispatch.raiser >= 0; });
  const uint64_t alignment = std::max<uint64_t>(context_->limits().offset_alignment, 64);
  const auto aligned = [&](uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  status_stride_ = aligned(status_words * sizeof(uint32_t));
  const uint64_t metadata_bytes = aligned(std::max<uint64_t>(metadata.size_bytes(), 1));
  // One more for the dispatches that never raise.
  const uint64_t bytes = metadata_bytes + status_stride_ * (static_cast<uint64_t>(raising) + 1);
  TRY(memory_, heap_->allocate(static_cast<int64_t>(bytes)));
  std::memcpy(memory_.get(), metadata.data(), metadata.size_bytes());
  statuses_ = memory_.get() + metadata_bytes;
  const BufferRange all = *heap_->find(memory_.get(), static_cast<int64_t>(bytes));
  metadata_ = {all.buffer, all.offset, metadata_bytes};
  raisers_.clear();

  TRY_VOID(succeeded("commands", vkResetCommandPool(context_->device(), pool_.get(), 0)));
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  TRY_VOID(succeeded("commands", vkBeginCommandBuffer(buffer_, &begin)));
  BarrierTracker tracker(rules.barriers, device.waits);
  WriteOrder order;
  for (const Dispatch& dispatch : dispatches) {
    if (tracker.before(dispatch.reads, dispatch.writes)) {
      order.barrier();
      memory_barrier(buffer_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                     VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    TRY(const VkPipeline pipeline, pipelines_->get(*dispatch.source, rules.workgroup));
    vkCmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const uint64_t status = dispatch.raiser >= 0 ? raisers_.size() : static_cast<uint64_t>(raising);
    if (dispatch.raiser >= 0) raisers_.push_back(dispatch.raiser);
    bind(dispatch, {all.buffer, all.offset + metadata_bytes + status * status_stride_, status_stride_});
    dispatch_groups(dispatch, rules, device.splits_dispatches);
    if (!context_->validates()) continue;
    if (auto wrong = order.dispatch(dispatch.writes)) context_->add_disorder(*std::move(wrong));
  }
  memory_barrier(buffer_, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
  return succeeded("commands", vkEndCommandBuffer(buffer_));
}

Result<std::optional<Raised>> Commands::submit() {
  VkDevice device = context_->device();
  std::memset(statuses_, 0, status_stride_ * (raisers_.size() + 1));
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &buffer_;
  VkFence fence = fence_.get();
  const VkResult submitted =
      context_->fails(Failure::Submission) ? VK_ERROR_DEVICE_LOST : vkQueueSubmit(context_->queue(), 1, &info, fence);
  TRY_VOID(succeeded("a submission", submitted));
  TRY_VOID(succeeded("waiting for the device", vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX)));
  TRY_VOID(succeeded("waiting for the device", vkResetFences(device, 1, &fence)));
  for (std::size_t i = 0; i < raisers_.size(); ++i) {
    std::array<uint32_t, status_words> words;
    std::memcpy(words.data(), statuses_ + i * status_stride_, sizeof(words));
    if (words[0] == 0) continue;
    Raised raised{raisers_[i], words[0], 0, 0};
    std::memcpy(&raised.first, &words[1], sizeof(int64_t));
    std::memcpy(&raised.second, &words[3], sizeof(int64_t));
    return raised;
  }
  return std::nullopt;
}

}  // namespace parallax::vulkan
