#include "backends/vulkan/heap.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::vulkan {
namespace {

constexpr uint64_t chunk_bytes = uint64_t{16} << 20;
// Of a block: more than any device asks for a binding's first byte.
constexpr uint64_t block_alignment = 256;

uint64_t rounded_up(uint64_t bytes) { return (bytes + block_alignment - 1) / block_alignment * block_alignment; }

// Memory that the host sees without flushes; there always is some.
std::optional<uint32_t> coherent_type(VkPhysicalDevice device, uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(device, &properties);
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (uint32_t type = 0; type < properties.memoryTypeCount; ++type) {
    if ((allowed >> type & 1) && (properties.memoryTypes[type].propertyFlags & wanted) == wanted) return type;
  }
  return std::nullopt;
}

}  // namespace

Result<Heap::Chunk*> Heap::grow(uint64_t bytes) {
  VkDevice device = context_->device();
  auto chunk = std::make_unique<Chunk>();
  chunk->size = std::max(bytes, chunk_bytes);
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = chunk->size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const std::string what = fmt::format("a buffer of {} bytes", chunk->size);
  VkBuffer buffer = nullptr;
  TRY_VOID(succeeded(what, vkCreateBuffer(device, &info, nullptr, &buffer)));
  chunk->buffer = BufferHandle(device, buffer);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  const std::optional<uint32_t> type = coherent_type(context_->physical_device(), needs.memoryTypeBits);
  if (!type) return device_error(what, VK_ERROR_FEATURE_NOT_PRESENT);
  VkMemoryAllocateInfo memory_info{};
  memory_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory_info.allocationSize = needs.size;
  memory_info.memoryTypeIndex = *type;
  VkDeviceMemory memory = nullptr;
  const VkResult allocated = context_->fails(Failure::Memory)
                                 ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                 : vkAllocateMemory(device, &memory_info, nullptr, &memory);
  TRY_VOID(succeeded(what, allocated));
  chunk->memory = MemoryHandle(device, memory);
  TRY_VOID(succeeded(what, vkBindBufferMemory(device, buffer, memory, 0)));
  void* mapped = nullptr;
  TRY_VOID(succeeded(what, vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped)));
  chunk->mapped = static_cast<std::byte*>(mapped);
  chunk->free[0] = chunk->size;
  chunks_.push_back(std::move(chunk));
  return chunks_.back().get();
}

Result<std::shared_ptr<std::byte[]>> Heap::allocate(int64_t bytes) {
  const uint64_t size = rounded_up(std::max<uint64_t>(static_cast<uint64_t>(bytes), 1));
  Chunk* chunk = nullptr;
  uint64_t offset = 0;
  for (const auto& candidate : chunks_) {
    const auto hole = std::ranges::find_if(candidate->free, [&](const auto& free) { return free.second >= size; });
    if (hole == candidate->free.end()) continue;
    chunk = candidate.get();
    offset = hole->first;
    break;
  }
  if (!chunk) {
    TRY(chunk, grow(size));
  }
  const uint64_t rest = chunk->free[offset] - size;
  chunk->free.erase(offset);
  if (rest > 0) chunk->free[offset + size] = rest;
  return std::shared_ptr<std::byte[]>(chunk->mapped + offset, [heap = shared_from_this(), chunk, offset, size](
                                                                  std::byte*) { heap->release(*chunk, offset, size); });
}

void Heap::release(Chunk& chunk, uint64_t offset, uint64_t bytes) {
  auto at = chunk.free.emplace(offset, bytes).first;
  const auto next = std::next(at);
  if (next != chunk.free.end() && at->first + at->second == next->first) {
    at->second += next->second;
    chunk.free.erase(next);
  }
  if (at == chunk.free.begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second != at->first) return;
  before->second += at->second;
  chunk.free.erase(at);
}

std::optional<BufferRange> Heap::find(const std::byte* first, int64_t bytes) const {
  for (const auto& chunk : chunks_) {
    if (first < chunk->mapped || first >= chunk->mapped + chunk->size) continue;
    const auto offset = static_cast<uint64_t>(first - chunk->mapped);
    return BufferRange{chunk->buffer.get(), offset, std::min(static_cast<uint64_t>(bytes), chunk->size - offset)};
  }
  return std::nullopt;
}

}  // namespace parallax::vulkan
