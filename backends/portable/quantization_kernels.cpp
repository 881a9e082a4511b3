// Quantizing and dequantizing, in the steps and the dtypes of PyTorch's decomposed ops.
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// The result that is not the scales.
constexpr std::size_t zero_points_result = 1;

// A float that its dtype has no number for gives the smallest: what eager leaves undefined.
int64_t cut(double x, DType dtype) {
  if (!(x >= static_cast<double>(info(dtype).min_integer) && x <= static_cast<double>(info(dtype).max_integer)))
    return info(dtype).min_integer;
  return static_cast<int64_t>(x);
}

double number_of(const KernelCall& call, arg parameter) {
  if (!call.is_tensor(parameter)) return as_double(call.scalar(parameter));
  double value = 0;
  read_elements(call.input(parameter), Layout{{}, {}, call.input(parameter).layout->offset}, &value);
  return value;
}

template <class C>
C between(C x, C low, C high) {
  return x != x ? x : std::min(std::max(x, low), high);
}

Result<void> quantize_tensor(const KernelCall& call) {
  const double scale = number_of(call, arg::scale);
  if (scale == 0) return refuse("{}: float division by zero", call.op().name);
  const double least = number_of(call, arg::quant_min);
  const double most = number_of(call, arg::quant_max);
  const DType dtype = call.output().dtype;
  if (least < static_cast<double>(info(dtype).min_integer) || most > static_cast<double>(info(dtype).max_integer))
    return refuse("{}: quant_min or quant_max is out of bounds for {}", call.op().name, name(dtype));
  const auto inverse = static_cast<float>(1.0 / scale);
  const auto zero_point = static_cast<float>(number_of(call, arg::zero_point));
  const Numbers<float> values = call.operand<float>(arg::input, DType::F32);
  Numbers<int64_t> integers = call.numbers<int64_t>(call.output().layout->numel());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float whole = std::nearbyint(values[i] * inverse) + zero_point;
    integers[i] = cut(static_cast<double>(between(whole, static_cast<float>(least), static_cast<float>(most))), dtype);
  }
  call.write(integers);
  return {};
}

Result<void> dequantize_tensor(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const double scale = number_of(call, arg::scale);
  const double zero_point = number_of(call, arg::zero_point);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(arg::input, dtype);
    for (C& x : values) x = rounded_to(dtype, x - static_cast<C>(zero_point)) * static_cast<C>(scale);
    call.write(values);
  });
  return {};
}

// Where tensors of parameters lie along the input: each element's own place among them.
class Places {
 public:
  explicit Places(const KernelCall& call) : sizes_(call.output_sizes()) {
    if (call.takes(arg::axis)) {
      const int axis = wrapped_dim(call.integer(arg::axis), sizes_.size());
      for (int dim = axis + 1; dim < sizes_.size(); ++dim) shared_ *= sizes_[dim];
      channels_ = sizes_[axis];
    } else if (call.takes(arg::group_size)) {
      const int64_t width = sizes_[1];
      const int64_t size = call.integer(arg::group_size);
      shared_ = size > width ? width : size;
    } else {
      broadcasts_ = true;
    }
  }

  template <class C>
  Numbers<C> read(const KernelCall& call, arg parameter, DType common) const {
    const TensorRef& tensor = call.input(parameter);
    if (broadcasts_) return call.broadcast<C>(tensor, sizes_, common);
    const Numbers<C> own = call.read<C>(tensor, *tensor.layout, common);
    Numbers<C> all = call.numbers<C>(call.output().layout->numel());
    for (std::size_t i = 0; i < all.size(); ++i) {
      int64_t at = static_cast<int64_t>(i) / shared_;
      if (channels_ > 0) at %= channels_;
      all[i] = own[own.size() == 1 ? 0 : static_cast<std::size_t>(at)];
    }
    return all;
  }

 private:
  const Dims& sizes_;
  int64_t shared_ = 1;    // neighbours that have the same parameters
  int64_t channels_ = 0;  // after so many runs of them the parameters begin anew
  bool broadcasts_ = false;
};

// What two dtypes give in one step of arithmetic; a tensor without dims counts only where it is of a higher kind.
DType step_dtype(DType a, bool a_has_dims, DType b, bool b_has_dims) {
  if (a_has_dims == b_has_dims || is_floating(a) != is_floating(b)) {
    if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
    return promote(a, b);
  }
  return a_has_dims ? a : b;
}

bool has_dims(const KernelCall& call, arg parameter) {
  return !call.takes(arg::axis) && !call.takes(arg::group_size) ? call.input(parameter).layout->rank() > 0 : true;
}

// What is in `dtype`, in the widest arithmetic: floats of 24 bits and less are exact in double, and so is one product.
double held(DType dtype, double x) { return rounded_to(dtype, x); }

template <bool adds_first>
Result<void> quantize_by_tensors(const KernelCall& call) {
  const DType own = call.input(arg::input).dtype;
  const DType from = call.takes(arg::axis) ? DType::F32 : own;
  const DType scale_dtype = call.input(arg::scales).dtype;
  const bool input_dims = call.input(arg::input).layout->rank() > 0;
  const DType product = step_dtype(from, input_dims, scale_dtype, has_dims(call, arg::scales));
  const bool dims = input_dims || has_dims(call, arg::scales);
  const DType sum = step_dtype(product, dims, call.input(arg::zero_points).dtype, has_dims(call, arg::zero_points));
  const Places places(call);
  const Numbers<double> values = call.operand<double>(arg::input, DType::F64);
  const Numbers<double> scales = places.read<double>(call, arg::scales, DType::F64);
  const Numbers<double> offsets = places.read<double>(call, arg::zero_points, DType::F64);
  if (call.takes(arg::group_size)) {
    for (const double x : values) {
      if (x != x) return refuse("{}: to_quant must not contain NaNs", call.op().name);
    }
  }
  const double least = held(sum, call.real(arg::quant_min));
  const double most = held(sum, call.real(arg::quant_max));
  const DType dtype = call.output().dtype;
  Numbers<int64_t> integers = call.numbers<int64_t>(call.output().layout->numel());
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const double inverse = held(product, held(scale_dtype, 1.0 / scales[i]));
    double x = held(product, held(product, values[i]) * inverse);
    if (!adds_first) x = std::nearbyint(x);
    x = held(sum, held(sum, x) + held(sum, offsets[i]));
    if (adds_first) x = std::nearbyint(x);
    integers[i] = cut(between(x, least, most), dtype);
  }
  call.write(integers);
  return {};
}

Result<void> dequantize_by_tensors(const KernelCall& call) {
  const DType own = call.input(arg::input).dtype;
  const Places places(call);
  const Numbers<int64_t> values = call.operand<int64_t>(arg::input, DType::I64);
  const Numbers<double> scales = places.read<double>(call, arg::scales, DType::F64);
  DType difference = own;
  bool dims = call.input(arg::input).layout->rank() > 0;
  Numbers<double> taken = call.numbers<double>(static_cast<int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) taken[i] = static_cast<double>(values[i]);
  if (call.has(arg::zero_points)) {
    const DType of_offset = call.input(arg::zero_points).dtype;
    difference = step_dtype(own, dims, of_offset, has_dims(call, arg::zero_points));
    dims = dims || has_dims(call, arg::zero_points);
    if (is_floating(difference)) {
      const Numbers<double> offsets = places.read<double>(call, arg::zero_points, DType::F64);
      for (std::size_t i = 0; i < values.size(); ++i)
        taken[i] = held(difference, held(difference, taken[i]) - held(difference, offsets[i]));
    } else {
      const Numbers<int64_t> offsets = places.read<int64_t>(call, arg::zero_points, DType::I64);
      for (std::size_t i = 0; i < values.size(); ++i)
        taken[i] = static_cast<double>(wrap_to(difference, add(values[i], negate(offsets[i]))));
    }
  }
  const DType product = step_dtype(difference, dims, call.input(arg::scales).dtype, has_dims(call, arg::scales));
  for (std::size_t i = 0; i < values.size(); ++i)
    taken[i] = held(product, held(product, taken[i]) * held(product, scales[i]));
  call.write(taken);
  return {};
}

// --- choices ---

template <class C>
C at_most(C a, C b) {
  return a != a || b != b ? a + b : std::min(a, b);
}
template <class C>
C at_least(C a, C b) {
  return a != a || b != b ? a + b : std::max(a, b);
}

struct Ends {
  float least = 0;
  float most = 0;
};

Ends ends_of(std::span<const float> values) {
  Ends ends;
  for (const float x : values) {
    ends.least = at_most(ends.least, x);
    ends.most = at_least(ends.most, x);
  }
  return ends;
}

template <bool symmetric>
Result<void> choose_for_tensor(const KernelCall& call) {
  const DType own = call.input(arg::input).dtype;
  const Numbers<float> values = call.read<float>(arg::input, own);
  if (values.empty()) return refuse("{}: the input is empty", call.op().name);
  const Ends ends = ends_of(values);
  const int64_t low = call.integer(arg::quant_min);
  const int64_t high = call.integer(arg::quant_max);
  const auto eps = static_cast<float>(call.real(arg::eps));
  const auto steps = static_cast<double>(high - low);
  float scale = symmetric ? at_least(-ends.least, ends.most) : rounded_to(own, ends.most - ends.least);
  scale = at_least(rounded_to(own, scale / static_cast<float>(symmetric ? steps / 2 : steps)), eps);
  int64_t zero_point = call.dtype(arg::dtype) == DType::U8 ? 128 : 0;
  if constexpr (!symmetric) {
    const int64_t offset = cut(static_cast<double>(std::nearbyint(ends.least / scale)), DType::I32);
    zero_point = std::clamp(wrap_to(DType::I32, low - offset), low, high);
  }
  Numbers<double> scales = call.numbers<double>(1);
  Numbers<int64_t> zero_points = call.numbers<int64_t>(1);
  scales[0] = static_cast<double>(scale);
  zero_points[0] = zero_point;
  call.write(scales, 0);
  call.write(zero_points, 1);
  return {};
}

// Calls visit(row, numbers) for each row of the input, in the type that its dtype is computed in.
template <class C, class Visit>
void for_each_row(const KernelCall& call, Visit&& visit) {
  const TensorRef& input = call.input(arg::input);
  Numbers<C> values = call.read<C>(arg::input, input.dtype);
  const auto width = static_cast<std::size_t>(input.layout->rank() == 0 ? 1 : input.layout->sizes.back());
  for (std::size_t row = 0; row * width < values.size(); ++row)
    visit(row, std::span(values).subspan(row * width, width));
}

Result<void> choose_for_rows(const KernelCall& call) {
  const DType own = call.input(arg::input).dtype;
  Numbers<double> scales = call.numbers<double>(call.output().layout->numel());
  Numbers<int64_t> zero_points = call.numbers<int64_t>(call.output(zero_points_result).layout->numel());
  with_float_type(own, [&]<class C>(std::type_identity<C>) {
    for_each_row<C>(call, [&](std::size_t row, std::span<const C> values) {
      C least = 0;
      C most = 0;
      for (const C x : values) {
        least = at_most(least, x);
        most = at_least(most, x);
      }
      const auto stored = [&](C x) { return rounded_to(own, x); };
      const C scale = at_least(stored(stored(most - least) / C(255)), stored(C(0x1p-23)));
      const C below = stored(least / scale);
      const C above = stored(most / scale);
      const C error = stored(stored(C(-128) + below) + stored(C(127) + above));
      C zero_point = error > C(0) ? stored(C(-128) - below) : stored(C(127) - above);
      zero_point = std::nearbyint(between(zero_point, C(-128), C(127)));
      scales[row] = static_cast<double>(scale);
      zero_points[row] = cut(static_cast<double>(zero_point), DType::I8);
    });
  });
  call.write(scales, 0);
  call.write(zero_points, 1);
  return {};
}

Result<void> choose_symmetric_for_rows(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> scales = call.numbers<C>(call.output().layout->numel());
    const Numbers<C> zero_points = call.numbers<C>(call.output(zero_points_result).layout->numel());
    for_each_row<C>(call, [&](std::size_t row, std::span<const C> values) {
      C most = 0;
      for (const C x : values) most = at_least(most, std::fabs(x));
      scales[row] = at_least(most, rounded_to(dtype, C(1e-5))) / C(127);
    });
    call.write(scales, 0);
    call.write(zero_points, 1);
  });
  return {};
}

Result<void> convert_elements(const KernelCall& call) {
  with_compute_type(call.input(arg::input).dtype, [&]<class C>(std::type_identity<C>) {
    call.write(call.read<C>(arg::input, call.input(arg::input).dtype));
  });
  return {};
}

constexpr std::array quantization_table = {
    KernelEntry{"quantized_decomposed.quantize_per_tensor.default", quantize_tensor},
    KernelEntry{"quantized_decomposed.quantize_per_tensor.tensor", quantize_tensor},
    KernelEntry{"quantized_decomposed.quantize_per_tensor.tensor2", quantize_tensor},
    KernelEntry{"quantized_decomposed.dequantize_per_tensor.default", dequantize_tensor},
    KernelEntry{"quantized_decomposed.dequantize_per_tensor.tensor", dequantize_tensor},
    KernelEntry{"quantized_decomposed.dequantize_per_tensor.tensor2", dequantize_tensor},
    KernelEntry{"quantized_decomposed.quantize_per_channel.default", quantize_by_tensors<false>},
    KernelEntry{"quantized_decomposed.dequantize_per_channel.default", dequantize_by_tensors},
    KernelEntry{"quantized_decomposed.quantize_per_token.default", quantize_by_tensors<true>},
    KernelEntry{"quantized_decomposed.dequantize_per_token.default", dequantize_by_tensors},
    KernelEntry{"quantized_decomposed.quantize_per_channel_group.default", quantize_by_tensors<true>},
    KernelEntry{"quantized_decomposed.dequantize_per_channel_group.default", dequantize_by_tensors},
    KernelEntry{"quantized_decomposed.convert_element_type.no_fuse", convert_elements},
    KernelEntry{"quantized_decomposed.choose_qparams.tensor", choose_for_tensor<false>},
    KernelEntry{"quantized_decomposed.choose_qparams_symmetric.tensor", choose_for_tensor<true>},
    KernelEntry{"quantized_decomposed.choose_qparams_per_token.default", choose_symmetric_for_rows},
    KernelEntry{"quantized_decomposed.choose_qparams_per_token_asymmetric.default", choose_for_rows},
    KernelEntry{"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default", choose_for_rows},
};

}  // namespace

std::span<const KernelEntry> quantization_kernels() { return quantization_table; }

}  // namespace parallax::portable
