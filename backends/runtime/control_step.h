// Control step: runs a branch or a loop of a compiled program, as one step of its caller.
#pragma once

#include "backends/runtime/executor.h"
#include "compiler/compiled_control.h"

namespace parallax::runtime {

class ControlStep {
 public:
  // One executable for each subgraph. The op must outlive the step.
  ControlStep(const CompiledControlOp& op, std::span<const std::shared_ptr<const Executable>> subgraphs,
              std::byte poison);

  // Runs the node over the tensors of its caller, by value; its last result is the workspace. An error is what the data
  // makes an op raise, or a loop that does not end.
  Result<void> run(const Node& node, std::span<const TensorRef> tensors);

 private:
  Result<void> call(std::size_t subgraph, std::span<const TensorRef> operands,
                    std::span<std::byte* const> outputs = {});
  Result<void> branch(std::span<const TensorRef> operands, bool predicate);
  Result<void> loop(std::vector<TensorRef> operands);
  Result<void> scan(std::vector<TensorRef> operands);
  // One step of a loop on the carries in the results; leaves the next ones there, and what is stacked in its place.
  Result<void> step(std::size_t subgraph, std::span<const TensorRef> operands, int64_t number);

  const CompiledControlOp* op_;
  std::vector<std::unique_ptr<Instance>> instances_;  // by subgraph
  std::vector<TensorRef> results_;                    // of the run
  std::byte* workspace_ = nullptr;                    // likewise
  std::optional<bool> predicate_;                     // of an earlier run, where that is taken for this one's
};

}  // namespace parallax::runtime
