// Reductions over dims, and extremes with their places.
#include "backends/vulkan/device_contraction.h"

namespace parallax::vulkan {
namespace {

// A reduced dim that stays as one of 1 is told by the ranks only where some dim is reduced.
template <Reduction function>
Result<void> reduce(const KernelCall& call) {
  record_contraction(call, reduction_of(call, function, call.input(arg::self), call.output()));
  return {};
}

// In the dtype of the operand; the result is the place in the reduced dims.
template <Reduction function>
Result<void> place(const KernelCall& call) {
  Contraction c = reduction_of(call, function, call.input(arg::self), call.output());
  c.dtype = call.input(arg::self).dtype;
  record_contraction(call, std::move(c));
  return {};
}

// (values, indices)
constexpr int indices_result = 1;
template <Reduction value, Reduction place>
Result<void> extreme_with_place(const KernelCall& call) {
  Contraction c = reduction_of(call, place, call.input(arg::self), call.output(indices_result));
  c.dtype = call.input(arg::self).dtype;
  record_contraction(call, std::move(c));
  record_contraction(call, reduction_of(call, value, call.input(arg::self), call.output()));
  return {};
}

// nansum(self, dim, keepdim, dtype): the sum of the elements in the result's dtype, those that are NaN being 0.
Result<void> sum_numbers(const KernelCall& call) {
  const TensorRef& input = call.input(arg::self);
  const TensorRef& output = call.output();
  const Layout each = contiguous_layout(input.layout->sizes);
  TRY(const TensorRef numbers, call.scratch(output.dtype, each));
  if (each.numel() > 0) {
    PointwiseProgram program(each.sizes);
    const PointwiseProgram::Number x = program.converted(program.load(input, *input.layout), output.dtype);
    const PointwiseProgram::Number is_nan = program.apply(find_function("ne"), x, x);
    program.store(program.select(is_nan, program.constant(output.dtype, int64_t{0}), x), numbers, each);
    program.record(call.recorder(), call.node());
  }
  record_contraction(call, reduction_of(call, Reduction::Sum, numbers, output));
  return {};
}

// Of no elements there is no place; eager refuses most of it.
bool takes_elements(const Call& call, const TensorMeta&) { return call.tensor(arg::self).layout.numel() > 0; }

using enum Reduction;

constexpr std::array reduction_table = {
    KernelRow{"aten.sum.default", takes_any, reduce<Sum>},
    KernelRow{"aten.sum.dim_IntList", takes_any, reduce<Sum>},
    KernelRow{"aten.nansum.default", takes_any, sum_numbers},
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
};

}  // namespace

std::span<const KernelRow> reduction_kernels() { return reduction_table; }

}  // namespace parallax::vulkan
