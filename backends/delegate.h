// Delegate: what another backend made of a partition, and how the executor has it run.
//
// A delegate sees what a delegate of a shipped runtime sees: tensors in memory by position, and nothing of the graph
// around it. One whose tensors live elsewhere, on a device, copies what comes in and goes out; the addresses that it is
// given are the host's.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backends/portable/elements.h"
#include "compiler/compile.h"

namespace parallax {

class Delegate {
 public:
  virtual ~Delegate() = default;

  // Runs the partition once. `inputs` go by the partition's list of inputs, `outputs` by the values that it was made to
  // write. Behind each tensor there are `delegate_slack` bytes that may be read. Runs do not overlap.
  virtual Result<void> run(std::span<const portable::TensorRef> inputs,
                           std::span<const portable::TensorRef> outputs) = 0;
};

// A vectorised loop may read over the end of a tensor by so many bytes.
inline constexpr int64_t delegate_slack = 16;

// Makes the delegate of a partition. `outputs` are the values that are to be written: of each storage that the
// partition makes and somebody else looks at, the value that it is made with.
using MakeDelegate = Result<std::unique_ptr<Delegate>> (*)(const Graph& graph, const Partition& partition,
                                                           std::span<const ValueId> outputs);

// The backends that a target hands nodes to before its own kernels are asked.
struct DelegateSet {
  std::string_view profile;           // what the target promises of its arithmetic
  std::span<const Backend> backends;  // the preferred one first; they run partitions whole, or on a device
  MakeDelegate make = nullptr;        // null: a device runs them (backends/device.h)
  KeepFn keeps = nullptr;  // whether one of the backends takes a call
  // Whether one of them may take calls of the op whose first tensor has this dtype.
  bool (*may_take)(const Op& op, DType dtype) = nullptr;
};

}  // namespace parallax
