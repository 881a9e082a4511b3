#include "backends/portable/integer_operand.h"

namespace parallax::portable {
namespace {

// A parameter that is a number, or a tensor of one element.
double number_of(const KernelCall& call, const Call& part, arg parameter) {
  if (!part.is_tensor(parameter)) return as_double(part.scalar(parameter));
  const TensorRef& tensor = call.ref(part.value(parameter));
  double value = 0;
  read_elements(tensor, Layout{{}, {}, tensor.layout->offset}, &value);
  return value;
}

Numbers<double> all_numbers(const KernelCall& call, const Call& part, arg parameter) {
  const TensorRef& tensor = call.ref(part.value(parameter));
  return call.read<double>(tensor, *tensor.layout, DType::F64);
}

}  // namespace

int64_t cut_to(double x, DType dtype) {
  if (!(x >= static_cast<double>(info(dtype).min_integer) && x <= static_cast<double>(info(dtype).max_integer)))
    return info(dtype).min_integer;
  return static_cast<int64_t>(x);
}

IntegerOperand read_operand(const KernelCall& call, const Call& dequantize, const IntegerRules& rules,
                            const Dims* sizes) {
  const TensorRef& tensor = call.ref(dequantize.value(arg::input));
  const Layout layout = sizes ? *broadcast_to(*tensor.layout, *sizes) : *tensor.layout;
  IntegerOperand operand{layout.sizes, tensor.dtype, call.read<int64_t>(tensor, layout, DType::I64),
                         call.numbers<double>(1)};
  for (int64_t& value : operand.values) value = rules.read(tensor.dtype, value);
  if (!dequantize.takes(arg::scales)) {
    operand.scales[0] = static_cast<double>(static_cast<float>(number_of(call, dequantize, arg::scale)));
    operand.zero_point = static_cast<int64_t>(number_of(call, dequantize, arg::zero_point));
    for (int64_t& value : operand.values) value -= operand.zero_point;
    return operand;
  }
  operand.scales = all_numbers(call, dequantize, arg::scales);
  if (dequantize.takes(arg::axis)) {
    const int axis = wrapped_dim(dequantize.integer(arg::axis), layout.rank());
    for (int dim = axis + 1; dim < layout.rank(); ++dim) operand.shared *= layout.sizes[dim];
    operand.channels = layout.sizes[axis];
  } else {
    const int64_t width = layout.sizes.back();
    operand.shared = dequantize.takes(arg::group_size) ? std::min(dequantize.integer(arg::group_size), width) : width;
  }
  if (!dequantize.has(arg::zero_points)) return operand;
  const Numbers<double> zero_points = all_numbers(call, dequantize, arg::zero_points);
  for (std::size_t i = 0; i < operand.values.size(); ++i)
    operand.values[i] -= static_cast<int64_t>(zero_points[zero_points.size() == 1 ? 0 : operand.place(i)]);
  return operand;
}

Result<void> check_divisor(const KernelCall& call, const Call& last) {
  if (last.op().schema.name != "quantize_per_tensor" || number_of(call, last, arg::scale) != 0) return {};
  return refuse("{}: float division by zero", last.op().name);
}

Requantizer::Requantizer(const KernelCall& call, const Call& quantize, const IntegerRules& rules)
    : rules_(&rules),
      inverse_(static_cast<float>(1.0 / number_of(call, quantize, arg::scale))),
      zero_point_(number_of(call, quantize, arg::zero_point)),
      limits_{quantize.integer(arg::quant_min), quantize.integer(arg::quant_max), call.output().dtype} {}

}  // namespace parallax::portable
