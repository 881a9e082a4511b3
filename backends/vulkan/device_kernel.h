// Kernel: how the Vulkan backend has one op computed: what it writes down for the device. A table of names and
// functions, in a few files by family.
//
// Kernels are written from ATen's documentation and GLSL's, and share no arithmetic with the portable ones, so that a
// mistake in one is seen in the other.
#pragma once

#include <functional>

#include "backends/vulkan/pointwise_program.h"
#include "graph/graph.h"

namespace parallax::vulkan {

// A call with its operands and results in memory that the device sees.
class KernelCall : public Call {
 public:
  // `tensors` goes by value id.
  KernelCall(const Call& call, std::span<const TensorRef> tensors, std::span<const ValueId> results, int node,
             Recorder& recorder)
      : Call(call), tensors_(tensors), results_(results), node_(node), recorder_(&recorder) {}

  const TensorRef& ref(ValueId value) const { return tensors_[value.index]; }
  const TensorRef& input(ParameterRef parameter) const { return ref(value(parameter)); }
  const TensorRef& output(int k = 0) const { return ref(results_[static_cast<std::size_t>(k)]); }
  // What is to be blamed for what the kernel raises.
  int node() const { return node_; }
  Recorder& recorder() const { return *recorder_; }

  // Puts the elements of a layout over one tensor's storage, converted, into another's.
  void move(const TensorRef& from, const Layout& source, const TensorRef& to, const Layout& target) const;

  // A tensor in memory that lives as long as the recorder. The layout, which has no gaps, has to outlive it.
  Result<TensorRef> scratch(DType dtype, const Layout& layout) const;
  // One whose elements all are a number.
  Result<TensorRef> scratch(DType dtype, const Layout& layout, const Scalar& number) const;
  // A number, as a tensor of no dims.
  Result<TensorRef> scratch(DType dtype, const Scalar& number) const;

 private:
  std::span<const TensorRef> tensors_;
  std::span<const ValueId> results_;
  int node_;
  Recorder* recorder_;
};

// Which calls a kernel takes, as far as dtypes and arguments tell; `result` is the first result.
using TakesFn = bool (*)(const Call& call, const TensorMeta& result);
using RecordFn = Result<void> (*)(const KernelCall& call);

inline bool takes_any(const Call&, const TensorMeta&) { return true; }
// Whether it is worth while that so many invocations look at so many elements each.
bool takes_looks(int64_t invocations, int64_t elements);

struct KernelRow {
  std::string_view op;
  TakesFn takes;
  RecordFn record;
};

// A call inside a program: its operands are numbers already, or become ones.
class PointwiseCall : public Call {
 public:
  // A value's element for each of the result's. One of several scales lies along a dim of the result, `axis`; all else
  // is broadcast.
  using Load = std::function<PointwiseProgram::Number(ValueId value, std::optional<int> axis)>;
  PointwiseCall(const Call& call, const TensorMeta& result, PointwiseProgram& program, const Load& load)
      : Call(call), result_(&result), program_(&program), load_(&load) {}

  PointwiseProgram& program() const { return *program_; }
  DType result_dtype() const { return result_->dtype; }
  // A parameter that is a tensor or a Python number, in that dtype.
  PointwiseProgram::Number operand(ParameterRef parameter, DType dtype, std::optional<int> axis = {}) const;

 private:
  const TensorMeta* result_;
  PointwiseProgram* program_;
  const Load* load_;
};

// An op that works element by element. All of them can share a program.
struct PointwiseRow {
  using Emit = PointwiseProgram::Number (*)(const PointwiseRow& row, const PointwiseCall& call);
  std::string_view op;
  std::string_view function;
  Emit emit;
  // What it computes in.
  DType (*dtype)(const Call& call, DType result);
  bool (*fits)(const Call& call) = nullptr;  // null: whatever the arguments are
};

const PointwiseRow* find_pointwise(std::string_view op);
// Whether a row computes the call.
bool takes_pointwise(const Call& call, const TensorMeta& result);
// Adds the result of a call that a row computes to a program.
PointwiseProgram::Number emit_pointwise(const Call& call, const TensorMeta& result, PointwiseProgram& program,
                                        const PointwiseCall::Load& load);
// The elements of a tensor as PointwiseCall::Load has them; where they lie along an axis, they have at most one dim
// over 1.
Layout met_by(const Layout& tensor, const Dims& sizes, std::optional<int> axis);

// The families. A new one is its file and one line in device_kernel.cpp.
std::span<const KernelRow> move_kernels();
std::span<const KernelRow> fill_kernels();
std::span<const KernelRow> reduction_kernels();
std::span<const KernelRow> scan_kernels();
std::span<const KernelRow> order_kernels();
std::span<const KernelRow> norm_kernels();
std::span<const KernelRow> index_kernels();
std::span<const KernelRow> scatter_kernels();
std::span<const KernelRow> mask_kernels();
std::span<const KernelRow> pad_kernels();
std::span<const KernelRow> search_kernels();
std::span<const KernelRow> distance_kernels();
std::span<const KernelRow> resampling_kernels();
std::span<const KernelRow> product_kernels();
std::span<const KernelRow> window_kernels();
// Of fused calls of quantized tensors, whatever their parts are.
const KernelRow& integer_kernel();

// Whether there is a kernel for calls of the op, at least for some dtypes.
bool has_kernel(const Op& op);
// Whether a device computes this node: a kernel for its dtypes, and tensors that every device can bind.
bool takes(const Graph& graph, const Node& node);
// Writes a node down. `tensors` goes by value; the node is one that is taken.
Result<void> record_node(const Graph& graph, NodeId node, std::span<const TensorRef> tensors, Recorder& recorder);
// Writes the nodes of a fused group down as one program; those of `inner` (by value) have no memory.
Result<void> record_group(const Graph& graph, std::size_t first, std::size_t end, const std::vector<bool>& inner,
                          std::span<const TensorRef> tensors, Recorder& recorder);

}  // namespace parallax::vulkan
