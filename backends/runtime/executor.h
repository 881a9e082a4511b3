// Executor: runs a compiled program in host memory.
//
// An Executable is the program with a kernel for each step; an Instance is one load of it, with a block of memory for
// each arena of the plan, which a device lends where one runs partitions. Partitions are called one after the other,
// with what goes in and comes out bound by position. Outputs are handed out where they lie, so that what a later run
// does to that memory can be seen.
//
// A program that is wrong on purpose runs to its end too: what was never bound is read as poison, and behind each arena
// there is room for the largest storage, so that no slot leads out of memory.
#pragma once

#include <array>
#include <memory>

#include "backends/delegate.h"
#include "backends/device.h"
#include "backends/runtime/fused_loop.h"
#include "compiler/compile.h"

namespace parallax::runtime {

using portable::Kernel;
using portable::TensorRef;

class ControlStep;
class Sanitizer;

// A partition that another backend runs.
struct DelegatedPartition {
  std::unique_ptr<Delegate> delegate;  // null: the kernels run it
  std::vector<ValueId> outputs;        // that the delegate writes
};

// A program that can be loaded. Shared by its instances, whose runs do not overlap where there are delegates; all else
// is immutable.
struct Executable {
  Program program;
  std::vector<DelegatedPartition> delegated;  // by partition
  DeviceOfBackend device;                     // whose partitions it runs
  std::vector<bool> computes;                 // by node: a result in memory of its own, or a write
  std::vector<Kernel> kernels;                // by node that computes on the host and in no delegate; else null
  std::vector<std::vector<std::shared_ptr<const Executable>>> subgraphs;  // by node that runs some
  std::vector<ValueId> lies_in;  // by value: the operand whose memory it is in; invalid for memory of its own
  std::vector<std::optional<NodeId>> makers;  // by storage
  std::vector<bool> inner;                    // by value: never leaves the loop of the group that makes it
  int64_t margin = 0;                         // bytes behind each arena
  std::vector<Slot> redzones;                 // of the backend's arena, where a device works in it
  std::vector<FeedSlot> feed;
  std::vector<ValueId> inputs, buffers;  // each source's newest value, as the caller sees it after a run
};

// Finds the kernels, has the delegates made and lays out the memory. `makers` go by the compilation's backends; a null
// one, or none, is for the kernels, or for the device. An op without a kernel is an error of kind Unsupported that
// names it.
Result<std::shared_ptr<const Executable>> load(Program program, std::span<const MakeDelegate> makers = {},
                                               DeviceOfBackend device = {});

// How many nodes run in delegates or on a device; views that cost nothing are not counted.
int delegated_nodes(const Executable& executable);

// A tensor where the run left it. The memory lives as long as somebody holds it.
struct TensorInPlace {
  std::shared_ptr<std::byte[]> memory;
  const std::byte* storage = nullptr;
  DType dtype = DType::F32;
  Layout layout;

  // The elements that are there now.
  Tensor read() const { return gather(dtype, layout, storage); }
};

struct RunResult {
  std::vector<TensorInPlace> outputs, inputs, buffers;
  int on_device = 0;  // nodes that a device did
};

// One node in memory that is given by storage: how the compiler computes with constants (PassOptions::evaluate).
Result<void> evaluate(const Graph& graph, NodeId node, std::span<std::byte* const> storages);

class Instance {
 public:
  // `poison` fills the arena and fresh memory before each run, so that a read of bytes that nothing wrote shows.
  Instance(std::shared_ptr<const Executable> executable, std::byte poison);
  ~Instance();

  // Goes on as an executable of the same program at other sizes: state stays where it is, everything else is laid out
  // anew.
  void resize(std::shared_ptr<const Executable> resized);

  // From now on its buffers are those of another instance, of a program over the same buffers, which outlives it.
  void share_state(const Instance& owner);

  // One run. An error is what the data makes an op raise; the instance is not to be run again then.
  Result<RunResult> run(std::span<const Tensor> feed, Sanitizer* sanitizer = nullptr);

  // One run of a subgraph's program on tensors of its caller, which keeps them and what the program returns. `memory`
  // is for the arenas of what is returned and of the backend (memory_of); an output that is not null is made there.
  Result<void> call(std::span<const TensorRef> operands, std::byte* memory, std::span<std::byte* const> outputs);
  // Where the last such run left output i.
  const TensorRef& returned(std::size_t i) const { return outside_[executable_->program.graph.outputs[i].index]; }

 private:
  void bind_nothing();
  std::shared_ptr<std::byte[]>& block(Arena arena) { return blocks_[static_cast<std::size_t>(arena)]; }
  const std::shared_ptr<std::byte[]>& block(Arena arena) const { return blocks_[static_cast<std::size_t>(arena)]; }
  std::byte* address(StorageId storage) const;
  Result<void> allocate(Arena arena);
  int64_t& block_bytes(Arena arena) { return block_bytes_[static_cast<std::size_t>(arena)]; }
  int64_t block_bytes(Arena arena) const { return block_bytes_[static_cast<std::size_t>(arena)]; }
  Result<void> lay_out(Arena arena);
  Result<void> prepare();
  TensorInPlace in_place(ValueId value, const std::byte* storage) const;
  Result<void> make_memory(std::span<const Tensor> feed);
  Result<void> run_steps(Sanitizer* sanitizer);
  Result<void> run_partition(std::size_t p, Sanitizer* sanitizer);
  Result<void> run_delegate(std::size_t p, Sanitizer* sanitizer);
  Result<void> run_on_device(std::size_t p, Sanitizer* sanitizer);
  Result<void> run_kernels(const Partition& partition, Sanitizer* sanitizer);
  Result<void> run_step(NodeRange nodes, const FusedGroup* group);
  // Says where the results of a step lie.
  void place(NodeRange nodes, const FusedGroup* group);
  // What a step does, with the sanitizer looking on.
  template <class Run>
  Result<void> watched(NodeRange nodes, const FusedGroup* group, Sanitizer* sanitizer, Run&& run);
  // Calls `visit(nodes, group)` for each step of a partition, in order, until one is an error.
  template <class Visit>
  Result<void> for_each_step(const Partition& partition, Visit&& visit);
  // Where the partition's output i lies, seen from outside; null for nowhere.
  std::byte* bound_output(const Partition& partition, std::size_t i) const;

  std::shared_ptr<const Executable> executable_;
  std::byte poison_;
  std::array<std::shared_ptr<std::byte[]>, arena_count> blocks_;  // by Arena
  std::array<int64_t, arena_count> block_bytes_{};                // likewise
  std::vector<TensorRef> outside_;                                // by value: as the program's caller and calls see it
  std::vector<TensorRef> tensors_;                                // by value: as the partition that runs sees it
  FusedLoop loop_;
  std::vector<std::byte*> bound_;  // by storage of a subgraph's program: memory of the caller; else null
  std::vector<std::unique_ptr<ControlStep>> control_;  // by node that runs subgraphs
  std::unique_ptr<std::byte[]> scratch_;               // of kernels; as it is left, since each clears what it takes
  std::vector<std::unique_ptr<DevicePartition>> on_device_;  // by partition; null for those of the host
  Result<void> ready_;                                       // the error of what could not be laid out
};

}  // namespace parallax::runtime
