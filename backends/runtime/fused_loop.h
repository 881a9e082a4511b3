// Fused loop: runs the nodes of a fused group block by block, each block through all nodes before the next.
//
// Kernels see tensors of one dim with as many elements as the block has. What is inner to the group lives in buffers of
// one block each.
#pragma once

#include "backends/portable/kernel.h"
#include "compiler/program.h"

namespace parallax::runtime {

using portable::Kernel;
using portable::TensorRef;

class FusedLoop {
 public:
  // Elements a block: few, so that small tensors take several, the last one not full.
  static constexpr int64_t block_elements = 16;

  // `inner` says by value what never leaves the loop of the group that makes it. Both must outlive the loop.
  FusedLoop(const Graph& graph, const std::vector<bool>& inner) : graph_(&graph), inner_(&inner) {}

  // `tensors` goes by value, `kernels` by node.
  Result<void> run(const FusedGroup& group, std::span<const TensorRef> tensors, std::span<const Kernel> kernels);

 private:
  struct Operand {
    ValueId value;
    bool written = false;
    bool inner = false;
    int64_t elements = 0;
    std::vector<std::byte> block;  // of what is inner, and of rows that repeat
  };
  void begin(const FusedGroup& group, std::span<const TensorRef> tensors);
  void add(ValueId value, bool written, const Dims& sizes);
  void bind_block(std::span<const TensorRef> tensors, int64_t first, int64_t count);

  const Graph* graph_;
  const std::vector<bool>* inner_;
  std::vector<TensorMeta> metas_;  // by value: as the kernels see them
  std::vector<TensorRef> refs_;    // likewise
  std::vector<Operand> operands_;  // of the group that runs
  std::vector<bool> added_;        // by value: is one of them
};

}  // namespace parallax::runtime
