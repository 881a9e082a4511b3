// Heap: memory that the host and the device see alike.
//
// A few large buffers, mapped for as long as they live and coherent, so that the slots of a plan are (offset, range) of
// a buffer and the portable kernels may work on the same bytes between submissions.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "backends/vulkan/context.h"

namespace parallax::vulkan {

// Bytes of a buffer.
struct BufferRange {
  VkBuffer buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;

  uint64_t end() const { return offset + size; }
  friend bool operator==(const BufferRange&, const BufferRange&) = default;
};

class Heap : public std::enable_shared_from_this<Heap> {
 public:
  explicit Heap(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // A block of its own, which ends with its last owner. Out of device memory is an error.
  Result<std::shared_ptr<std::byte[]>> allocate(int64_t bytes);

  // Where bytes of a block lie; nothing for memory that is not of this heap.
  std::optional<BufferRange> find(const std::byte* first, int64_t bytes) const;

 private:
  struct Chunk {
    MemoryHandle memory;
    BufferHandle buffer;  // ends before its memory
    std::byte* mapped = nullptr;
    uint64_t size = 0;
    std::map<uint64_t, uint64_t> free;  // by offset: bytes
  };
  Result<Chunk*> grow(uint64_t bytes);
  void release(Chunk& chunk, uint64_t offset, uint64_t bytes);

  std::shared_ptr<Context> context_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace parallax::vulkan
