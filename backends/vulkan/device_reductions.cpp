// Reductions over dims, extremes with their places, and running sums and products.
#include <algorithm>

#include "backends/vulkan/device_contraction.h"

namespace parallax::vulkan {
namespace {

const ShaderSource scan_source = {"scan", [] { return std::string(shader_text("scan")); }};

// A reduced dim that stays as one of 1 is told by the ranks only where some dim is reduced.
template <Reduction function>
Result<void> reduce(const KernelCall& call) {
  record_contraction(call, reduction_of(call, function, call.input(0), call.output()));
  return {};
}

// In the dtype of the operand; the result is the place in the reduced dims.
template <Reduction function>
Result<void> place(const KernelCall& call) {
  Contraction c = reduction_of(call, function, call.input(0), call.output());
  c.dtype = call.input(0).dtype;
  record_contraction(call, std::move(c));
  return {};
}

// (values, indices)
template <Reduction value, Reduction place>
Result<void> extreme_with_place(const KernelCall& call) {
  Contraction c = reduction_of(call, place, call.input(0), call.output(1));
  c.dtype = call.input(0).dtype;
  record_contraction(call, std::move(c));
  record_contraction(call, reduction_of(call, value, call.input(0), call.output()));
  return {};
}

bool takes_any(const Call&, const TensorMeta&) { return true; }

// Of no elements there is no place; eager refuses most of it.
bool takes_elements(const Call& call, const TensorMeta&) { return call.tensor(0).layout.numel() > 0; }

template <bool product>
Result<void> scan(const KernelCall& call) {
  const TensorRef& input = call.input(0);
  const TensorRef& output = call.output();
  if (output.layout->numel() == 0) return {};
  Recorder& recorder = call.recorder();
  const BoundTensor from = recorder.bind(input, *input.layout);
  const BoundTensor to = recorder.bind(output, *output.layout);
  const int rank = from.layout.rank();
  const int dim = rank == 0 ? -1 : portable::wrapped_dim(call.integer(1), rank);
  const int64_t length = rank == 0 ? 1 : from.layout.sizes[dim];
  Dispatch dispatch;
  dispatch.source = &scan_source;
  dispatch.count = static_cast<uint64_t>(output.layout->numel() / length);
  dispatch.reads = {from.range};
  dispatch.writes = {to.range};
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t{product}, int64_t(input.dtype), int64_t(output.dtype), from.layout.offset,
                       to.layout.offset, length, rank == 0 ? 0 : from.layout.strides[dim],
                       rank == 0 ? 0 : to.layout.strides[dim], int64_t{std::max(rank - 1, 0)}}) {
    recorder.word(word);
  }
  for (int d = 0; d < rank; ++d) {
    if (d == dim) continue;
    for (int64_t word : {from.layout.sizes[d], from.layout.strides[d], to.layout.strides[d]}) recorder.word(word);
  }
  recorder.add(std::move(dispatch));
  return {};
}

using enum Reduction;

constexpr std::array rows = {
    KernelRow{"aten.sum.default", takes_any, reduce<Sum>},
    KernelRow{"aten.sum.dim_IntList", takes_any, reduce<Sum>},
    KernelRow{"aten.prod.default", takes_any, reduce<Product>},
    KernelRow{"aten.prod.dim_int", takes_any, reduce<Product>},
    KernelRow{"aten.amax.default", takes_any, reduce<Largest>},
    KernelRow{"aten.amin.default", takes_any, reduce<Smallest>},
    KernelRow{"aten.mean.default", takes_any, reduce<Mean>},
    KernelRow{"aten.mean.dim", takes_any, reduce<Mean>},
    KernelRow{"aten.argmax.default", takes_elements, place<PlaceOfLargest>},
    KernelRow{"aten.argmin.default", takes_elements, place<PlaceOfSmallest>},
    KernelRow{"aten.max.dim", takes_elements, extreme_with_place<Largest, PlaceOfLargest>},
    KernelRow{"aten.min.dim", takes_elements, extreme_with_place<Smallest, PlaceOfSmallest>},
    KernelRow{"aten.cumsum.default", takes_any, scan<false>},
    KernelRow{"aten.cumprod.default", takes_any, scan<true>},
};

}  // namespace

std::span<const KernelRow> reduction_kernels() { return rows; }

}  // namespace parallax::vulkan
