#include "backends/vulkan/device_kernel.h"

#include <algorithm>
#include <unordered_map>

#include "ops/fused_op.h"

namespace parallax::vulkan {
namespace {

constexpr std::array families = {move_kernels,   fill_kernels,     reduction_kernels,  scan_kernels,    order_kernels,
                                 norm_kernels,   index_kernels,    scatter_kernels,    mask_kernels,    pad_kernels,
                                 search_kernels, distance_kernels, resampling_kernels, product_kernels, window_kernels};

// Bytes that a binding may have on every device: the least maxStorageBufferRange that Vulkan allows.
constexpr uint64_t smallest_buffer_range = uint64_t{1} << 27;
constexpr uint64_t widest_element = 8;  // in bytes

const KernelRow* find_row(const Op& op) {
  if (as_fused(op)) return &integer_kernel();
  using Table = std::unordered_map<std::string_view, const KernelRow*>;
  static const Table table = [] {
    Table made;
    for (auto family : families) {
      for (const KernelRow& row : family()) PARALLAX_CHECK(made.emplace(row.op, &row).second);
    }
    return made;
  }();
  const auto found = table.find(op.name);
  return found == table.end() ? nullptr : found->second;
}

using Number = PointwiseProgram::Number;

}  // namespace

void KernelCall::move(const TensorRef& from, const Layout& source, const TensorRef& to, const Layout& target) const {
  if (source.numel() == 0) return;
  PointwiseProgram program(source.sizes);
  program.store(program.load(from, source), to, target);
  program.record(*recorder_, node_);
}

Result<TensorRef> KernelCall::scratch(DType dtype, const Layout& layout) const {
  TRY(std::byte* const storage, recorder_->scratch(layout.numel() * size_of(dtype)));
  return TensorRef{storage, dtype, &layout};
}

Result<TensorRef> KernelCall::scratch(DType dtype, const Layout& layout, const Scalar& number) const {
  TRY(const TensorRef made, scratch(dtype, layout));
  PointwiseProgram program(layout.sizes);
  program.store(program.constant(dtype, number), made, layout);
  program.record(*recorder_, node_);
  return made;
}

Result<TensorRef> KernelCall::scratch(DType dtype, const Scalar& number) const {
  static const Layout alone = contiguous_layout({});
  return scratch(dtype, alone, number);
}

bool takes_looks(int64_t invocations, int64_t elements) {
  constexpr int64_t most = int64_t{1} << 26;
  return invocations == 0 || elements <= most / invocations;
}

Number PointwiseCall::operand(ParameterRef parameter, DType dtype, std::optional<int> axis) const {
  if (const auto* number = std::get_if<Scalar>(&argument(parameter))) return program_->constant(dtype, *number);
  return program_->converted((*load_)(value(parameter), axis), dtype);
}

bool takes_pointwise(const Call& call, const TensorMeta& result) {
  const PointwiseRow* row = find_pointwise(call.op().name);
  if (!row || (row->fits && !row->fits(call))) return false;
  return row->function.empty() ||
         opcode_of(find_function(row->function), class_of(row->dtype(call, result.dtype))).has_value();
}

Number emit_pointwise(const Call& call, const TensorMeta& result, PointwiseProgram& program,
                      const PointwiseCall::Load& load) {
  const PointwiseRow* row = find_pointwise(call.op().name);
  PARALLAX_CHECK(row != nullptr);
  return program.converted(row->emit(*row, PointwiseCall(call, result, program, load)), result.dtype);
}

Layout met_by(const Layout& tensor, const Dims& sizes, std::optional<int> axis) {
  Layout met{sizes, Dims::filled(sizes.size(), 0), tensor.offset};
  if (tensor.numel() == 1) return met;
  if (axis) {
    for (int dim = 0; dim < tensor.rank(); ++dim) {
      if (tensor.sizes[dim] > 1) met.strides[*axis] = tensor.strides[dim];
    }
    return met;
  }
  const std::optional<Layout> wide = broadcast_to(tensor, sizes);
  PARALLAX_CHECK(wide.has_value());
  return *wide;
}

bool has_kernel(const Op& op) { return find_pointwise(op.name) || find_row(op); }

bool takes(const Graph& graph, const Node& node) {
  if (node.results.empty()) return false;
  const auto in_limits = [&](ValueId value) {
    const TensorMeta& meta = graph.meta(value);
    return static_cast<uint64_t>(graph.storage(meta.storage).elements) * widest_element <= smallest_buffer_range;
  };
  bool fits = std::ranges::all_of(node.results, in_limits);
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) { fits = fits && in_limits(value); });
  }
  if (!fits) return false;
  const Call call(*node.op, node.arguments, graph.metas);
  const TensorMeta& result = graph.meta(node.results.front());
  if (find_pointwise(node.op->name)) return takes_pointwise(call, result);
  const KernelRow* row = find_row(*node.op);
  return row && row->takes(call, result);
}

Result<void> record_node(const Graph& graph, NodeId id, std::span<const TensorRef> tensors, Recorder& recorder) {
  const Node& node = graph.node(id);
  const int n = static_cast<int>(id.index);
  const Call call(*node.op, node.arguments, graph.metas);
  if (find_pointwise(node.op->name)) {
    const TensorRef& output = tensors[node.results.front().index];
    const Dims& sizes = output.layout->sizes;
    if (output.layout->numel() == 0) return {};
    PointwiseProgram program(sizes);
    const auto load = [&](ValueId value, std::optional<int> axis) {
      const TensorRef& tensor = tensors[value.index];
      return program.load(tensor, met_by(*tensor.layout, sizes, axis));
    };
    program.store(emit_pointwise(call, graph.meta(node.results.front()), program, load), output, *output.layout);
    program.record(recorder, n);
    return {};
  }
  const KernelRow* row = find_row(*node.op);
  PARALLAX_CHECK(row != nullptr);
  return row->record(KernelCall(call, tensors, node.results, n, recorder));
}

Result<void> record_group(const Graph& graph, std::size_t first, std::size_t end, const std::vector<bool>& inner,
                          std::span<const TensorRef> tensors, Recorder& recorder) {
  const Dims& sizes = graph.meta(graph.nodes[first].results.front()).layout.sizes;
  if (contiguous_layout(sizes).numel() == 0) return {};
  PointwiseProgram program(sizes);
  std::unordered_map<uint32_t, Number> numbers;  // by value
  // Calls that know an axis go into no group.
  const auto load = [&](ValueId value, std::optional<int>) {
    const auto known = numbers.find(value.index);
    if (known != numbers.end()) return known->second;
    const TensorRef& tensor = tensors[value.index];
    return numbers[value.index] = program.load(tensor, met_by(*tensor.layout, sizes, {}));
  };
  for (std::size_t n = first; n < end; ++n) {
    const Node& node = graph.nodes[n];
    if (!find_pointwise(node.op->name)) continue;  // a planted fault may leave a node nothing to make
    const ValueId result = node.results.front();
    const Call call(*node.op, node.arguments, graph.metas);
    numbers[result.index] = emit_pointwise(call, graph.meta(result), program, load);
    const TensorRef& tensor = tensors[result.index];
    if (!inner[result.index]) program.store(numbers[result.index], tensor, *tensor.layout);
  }
  if (program.fits()) {
    program.record(recorder, static_cast<int>(end) - 1);
    return {};
  }
  // Node by node, with memory for what needs none in one loop.
  std::vector<TensorRef> placed(tensors.begin(), tensors.end());
  for (std::size_t n = first; n < end; ++n) {
    const ValueId result = graph.nodes[n].results.front();
    if (!inner[result.index]) continue;
    TRY(placed[result.index].storage,
        recorder.scratch(graph.meta(result).layout.extent() * size_of(graph.meta(result).dtype)));
  }
  for (std::size_t n = first; n < end; ++n) {
    if (find_pointwise(graph.nodes[n].op->name)) TRY_VOID(record_node(graph, NodeId(n), placed, recorder));
  }
  return {};
}

}  // namespace parallax::vulkan
