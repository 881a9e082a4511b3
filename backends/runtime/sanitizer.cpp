#include "backends/runtime/sanitizer.h"

#include <algorithm>

#include "backends/portable/kernel.h"

namespace parallax::runtime {

Sanitizer::Sanitizer(const Program& program)
    : graph_(&program.graph),
      joined_at_(program.graph.storages.size()),
      owner_(static_cast<std::size_t>(program.plan.arena(Arena::Backend).size)),
      writer_(owner_.size()),
      newest_(program.graph.storages.size()) {
  for (const Join& join : program.joins) joined_at_[join.part.index] = join.node;
}

void Sanitizer::begin(const std::byte* arena) {
  arena_ = arena;
  std::ranges::fill(owner_, StorageId().index);
  std::ranges::fill(writer_, -1);
  std::ranges::fill(newest_, -1);
}

namespace {

// Calls `visit(byte)` with the place in the arena of each byte of the tensor that lies in it, until it returns false.
template <class Visit>
void for_each_arena_byte(const TensorRef& tensor, const std::byte* arena, std::size_t arena_bytes, Visit&& visit) {
  const auto start = reinterpret_cast<uintptr_t>(tensor.storage);
  const auto first = reinterpret_cast<uintptr_t>(arena);
  if (start < first || start >= first + arena_bytes) return;
  const auto size = static_cast<std::size_t>(size_of(tensor.dtype));
  bool going = true;
  for_each_element(*tensor.layout, [&](int64_t element) {
    const std::size_t byte = start - first + static_cast<std::size_t>(element) * size;
    for (std::size_t k = 0; going && k < size && byte + k < arena_bytes; ++k) going = visit(byte + k);
  });
}

}  // namespace

void Sanitizer::read(ValueId value, int step, const TensorRef& tensor) {
  const StorageId storage = graph_->meta(value).storage;
  for_each_arena_byte(tensor, arena_, owner_.size(), [&](std::size_t byte) {
    const int wanted = newest_[storage.index];
    if (owner_[byte] == storage.index && writer_[byte] == wanted) return true;
    PlanFailure failure;
    failure.storage = storage;
    failure.slot = {tensor.storage - arena_, storage_bytes(*graph_, storage)};
    failure.value = value;
    failure.written_by = wanted;
    failure.overwritten_by = writer_[byte];
    failure.read_by = step;
    failures_.push_back(failure);
    return false;
  });
}

void Sanitizer::read_operands(NodeRange nodes, std::span<const TensorRef> tensors, bool written) {
  std::vector<bool> made(nodes.size() == 1 ? 0 : graph_->storages.size(), false);
  for (std::size_t n = nodes.first; n < nodes.end; ++n) {
    const Node& node = graph_->nodes[n];
    // The kernel may write each element of its result where it has just read the same element of an operand.
    const auto overwritten_in_place = [&](const TensorRef& operand) {
      if (!written || nodes.size() != 1 || node.results.size() != 1 || !portable::writes_in_place(*node.op, 0))
        return false;
      const TensorRef& result = tensors[node.results.front().index];
      return operand.storage == result.storage && same_places(*operand.layout, *result.layout) &&
             size_of(operand.dtype) == size_of(result.dtype);
    };
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        if (!made.empty() && made[graph_->meta(value).storage.index]) return;
        const TensorRef& operand = tensors[value.index];
        if (written && joined_at_[graph_->meta(value).storage.index] == NodeId(n)) return;
        if (!overwritten_in_place(operand)) read(value, static_cast<int>(nodes.end) - 1, operand);
      });
    }
    if (nodes.size() == 1) break;
    for (ValueId result : node.results) made[graph_->meta(result).storage.index] = true;
  }
}

void Sanitizer::before_step(NodeRange nodes, std::span<const TensorRef> tensors) {
  failures_before_ = failures_.size();
  read_operands(nodes, tensors, false);
}

void Sanitizer::after_step(NodeRange nodes, std::span<const TensorRef> tensors) {
  const int step = static_cast<int>(nodes.end) - 1;
  for (std::size_t n = nodes.first; n < nodes.end; ++n) {
    for (ValueId result : graph_->nodes[n].results) {
      const StorageId storage = graph_->meta(result).storage;
      newest_[storage.index] = step;
      // The whole storage, gaps between its elements included: after functionalization a storage of ours has one
      // writer.
      const Layout whole = contiguous_layout({graph_->storage(storage).elements});
      const TensorRef& tensor = tensors[result.index];
      for_each_arena_byte({tensor.storage, tensor.dtype, &whole}, arena_, owner_.size(), [&](std::size_t byte) {
        owner_[byte] = storage.index;
        writer_[byte] = step;
        return true;
      });
    }
  }
  // A result over an operand: the kernel may have written what it was still to read.
  if (failures_.size() == failures_before_) read_operands(nodes, tensors, true);
}

void Sanitizer::at_return(std::span<const TensorRef> tensors) {
  for (ValueId output : graph_->outputs) read(output, static_cast<int>(graph_->nodes.size()), tensors[output.index]);
}

}  // namespace parallax::runtime
