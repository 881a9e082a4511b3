// Vector norms: a function of each element, a reduction, and the way back, with memory in between.
#include <cmath>

#include "backends/vulkan/device_contraction.h"

namespace parallax::vulkan {
namespace {

using Number = PointwiseProgram::Number;

// Halves add up in f32.
DType sum_dtype(DType result) { return result == DType::F64 ? DType::F64 : DType::F32; }

// What is reduced: |x| to the power of the order.
Number summand(PointwiseProgram& program, Number x, double order) {
  if (order == 0)
    return program.converted(program.apply(find_function("ne"), x, program.constant(x.dtype, 0.0)), x.dtype);
  const Number size = program.apply(find_function("abs"), x);
  if (order == 1 || std::isinf(order)) return size;
  if (order == 2) return program.apply(find_function("mul"), size, size);
  return program.apply(find_function("pow"), size, program.constant(x.dtype, order));
}

Number root(PointwiseProgram& program, Number sum, double order) {
  if (order == 0 || order == 1 || std::isinf(order)) return sum;
  if (order == 2) return program.apply(find_function("sqrt"), sum);
  return program.apply(find_function("pow"), sum, program.constant(sum.dtype, 1 / order));
}

// Where a call gives none it is 2.
double order_of(const Call& call) {
  const arg order = call.takes(arg::ord) ? arg::ord : arg::p;
  return call.has(order) ? call.real(order) : 2;
}

// linalg_vector_norm(self, ord, dim, keepdim, dtype), norm(self, p, dim, keepdim, dtype)
Result<void> vector_norm(const KernelCall& call) {
  const TensorRef& output = call.output();
  const Layout& from = *call.input(arg::self).layout;
  const double order = order_of(call);
  const DType dtype = sum_dtype(output.dtype);
  const Layout each = contiguous_layout(from.sizes);
  const Layout sums = contiguous_layout(output.layout->sizes);
  TRY(const TensorRef powers, call.scratch(dtype, each));
  TRY(const TensorRef total, call.scratch(dtype, sums));
  if (each.numel() > 0) {
    PointwiseProgram program(from.sizes);
    const Number x =
        program.converted(program.converted(program.load(call.input(arg::self), from), output.dtype), dtype);
    program.store(summand(program, x, order), powers, each);
    program.record(call.recorder(), call.node());
  }
  const Reduction function = !std::isinf(order) ? Reduction::Sum : order > 0 ? Reduction::Largest : Reduction::Smallest;
  record_contraction(call, reduction_of(call, function, powers, total));
  if (sums.numel() == 0) return {};
  PointwiseProgram program(output.layout->sizes);
  const Number norm = root(program, program.load(total, sums), order);
  program.store(program.converted(norm, output.dtype), output, *output.layout);
  program.record(call.recorder(), call.node());
  return {};
}

// There is no power of doubles, nor an extreme of nothing.
bool takes_norm(const Call& call, const TensorMeta& result) {
  const double order = order_of(call);
  const bool plain = order == 0 || order == 1 || order == 2 || std::isinf(order);
  return is_floating(result.dtype) && (plain || result.dtype != DType::F64) &&
         (!std::isinf(order) || call.tensor(arg::self).layout.numel() > 0);
}

constexpr std::array norm_table = {
    KernelRow{"aten.linalg_vector_norm.default", takes_norm, vector_norm},
    KernelRow{"aten.norm.Scalar", takes_norm, vector_norm},
    KernelRow{"aten.norm.ScalarOpt_dtype", takes_norm, vector_norm},
    KernelRow{"aten.norm.ScalarOpt_dim", takes_norm, vector_norm},
    KernelRow{"aten.norm.ScalarOpt_dim_dtype", takes_norm, vector_norm},
};

}  // namespace

std::span<const KernelRow> norm_kernels() { return norm_table; }

}  // namespace parallax::vulkan
