// Values that come from no tensor, or from one element of one.
#include <algorithm>

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {
namespace {

using Number = PointwiseProgram::Number;

// Stores what `make(program)` gives as every element of the result.
template <class Make>
Result<void> fill(const KernelCall& call, Make&& make) {
  const TensorRef& output = call.output();
  PointwiseProgram program(output.layout->sizes);
  if (output.layout->numel() == 0) return {};
  program.store(make(program), output, *output.layout);
  program.record(call.recorder(), call.node());
  return {};
}

// full and full_like call the number a fill value.
Result<void> fill_parameter(const KernelCall& call) {
  const arg number = call.takes(arg::fill_value) ? arg::fill_value : arg::value;
  return fill(call,
              [&](PointwiseProgram& program) { return program.constant(call.output().dtype, call.scalar(number)); });
}

// constant_pad_nd(self, pad, value): two numbers a dim, from the last one on; what is negative cuts off.
Result<void> pad(const KernelCall& call) {
  const TensorRef& output = call.output();
  TRY_VOID(
      fill(call, [&](PointwiseProgram& program) { return program.constant(output.dtype, call.scalar(arg::value)); }));
  Layout from = *call.input(arg::self).layout;
  Layout to = *output.layout;
  const IntList& widths = call.integers(arg::pad);
  for (std::size_t k = 0; 2 * k < widths.size(); ++k) {
    const int dim = from.rank() - 1 - static_cast<int>(k);
    const auto cut_off = [&](std::size_t side) { return std::max<int64_t>(-widths[2 * k + side], 0); };
    from.offset += cut_off(0) * from.strides[dim];
    to.offset += std::max<int64_t>(widths[2 * k], 0) * to.strides[dim];
    from.sizes[dim] = std::max<int64_t>(from.sizes[dim] - cut_off(0) - cut_off(1), 0);
    to.sizes[dim] = from.sizes[dim];
  }
  call.move(call.input(arg::self), from, output, to);
  return {};
}

// diag_embed(self, offset, dim1, dim2): the operand's last dim as a diagonal of two dims that are 0 elsewhere.
Result<void> embed_diagonal(const KernelCall& call) {
  const TensorRef& output = call.output();
  TRY_VOID(fill(call, [&](PointwiseProgram& program) { return program.constant(output.dtype, int64_t{0}); }));
  const int64_t offset = call.integer(arg::offset);
  Layout diagonal = *output.layout;
  const int first = portable::wrapped_dim(call.integer(arg::dim1), diagonal.rank());
  const int second = portable::wrapped_dim(call.integer(arg::dim2), diagonal.rank());
  const int64_t step = diagonal.strides[first] + diagonal.strides[second];
  diagonal.offset += offset < 0 ? -offset * diagonal.strides[first] : offset * diagonal.strides[second];
  for (int dim : {std::max(first, second), std::min(first, second)}) {
    diagonal.sizes.erase(dim);
    diagonal.strides.erase(dim);
  }
  diagonal.sizes.push_back(call.input(arg::self).layout->sizes.back());
  diagonal.strides.push_back(step);
  call.move(call.input(arg::self), *call.input(arg::self).layout, output, diagonal);
  return {};
}

template <int64_t number>
Result<void> fill_constant(const KernelCall& call) {
  return fill(call, [&](PointwiseProgram& program) { return program.constant(call.output().dtype, Scalar(number)); });
}

Result<void> fill_tensor(const KernelCall& call) {
  return fill(call, [&](PointwiseProgram& program) {
    const TensorRef& value = call.input(arg::value);
    return program.load(value, *broadcast_to(*value.layout, call.output().layout->sizes));
  });
}

// start + i step: integers exactly, floats in double whatever the dtype.
Result<void> arange(const KernelCall& call) {
  const DType dtype = is_floating(call.output().dtype) ? DType::F64 : DType::I64;
  return fill(call, [&](PointwiseProgram& program) {
    const Number start = program.constant(dtype, call.scalar(arg::start));
    const Number place = program.converted(program.place(), dtype);
    return program.apply(find_function("add"), start, place, program.constant(dtype, call.scalar(arg::step)));
  });
}

constexpr std::array fill_table = {
    KernelRow{"aten.full.default", takes_any, fill_parameter},
    KernelRow{"aten.full_like.default", takes_any, fill_parameter},
    KernelRow{"aten.fill.Scalar", takes_any, fill_parameter},
    KernelRow{"aten.fill.Tensor", takes_any, fill_tensor},
    KernelRow{"aten.zero.default", takes_any, fill_constant<0>},
    KernelRow{"aten.zeros_like.default", takes_any, fill_constant<0>},
    KernelRow{"aten.ones_like.default", takes_any, fill_constant<1>},
    KernelRow{"aten.constant_pad_nd.default", takes_any, pad},
    KernelRow{"aten.diag_embed.default", takes_any, embed_diagonal},
    KernelRow{"aten.arange.start_step", takes_any, arange},
};

}  // namespace

std::span<const KernelRow> fill_kernels() { return fill_table; }

}  // namespace parallax::vulkan
