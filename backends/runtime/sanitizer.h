// The arena sanitizer: watches a run and asks of every byte that a step reads who wrote it last.
//
// It keeps a shadow of the arena with the last writer of each byte, from the addresses that the kernels are really
// given; the plan is not looked at. Poison in the arena makes what it reports show in the values too.
#pragma once

#include <vector>

#include "backends/portable/elements.h"
#include "compiler/program.h"
#include "planner/plan_checker.h"

namespace parallax::runtime {

using portable::TensorRef;

class Sanitizer {
 public:
  // For runs of this program, which must outlive the sanitizer.
  explicit Sanitizer(const Program& program);

  // A run begins, with its arena there.
  void begin(const std::byte* arena);
  // A node or a fused group, which counts as its last node. `tensors` goes by value id.
  void before_step(NodeRange nodes, std::span<const TensorRef> tensors);
  void after_step(NodeRange nodes, std::span<const TensorRef> tensors);
  void at_return(std::span<const TensorRef> tensors);

  // Reads that met other bytes than their own, in the order in which they happened.
  const std::vector<PlanFailure>& failures() const { return failures_; }

 private:
  // `written`: after the step, whose kernel may have overwritten operands in place.
  void read_operands(NodeRange nodes, std::span<const TensorRef> tensors, bool written);
  void read(ValueId value, int step, const TensorRef& tensor);

  const Graph* graph_;
  std::vector<NodeId> joined_at_;  // by storage: the node whose result its bytes become where they are, or none
  const std::byte* arena_ = nullptr;
  std::vector<uint32_t> owner_;  // by byte: the storage that was written there, or none
  std::vector<int> writer_;      // by byte: the step that wrote it, -1 for none
  std::vector<int> newest_;      // by storage: the step that wrote it last, -1 for none
  std::vector<PlanFailure> failures_;
  std::size_t failures_before_ = 0;  // how many there were when the present step began
};

}  // namespace parallax::runtime
