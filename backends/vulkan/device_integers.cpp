// Fused calls of quantized tensors (compiler/passes/fuse_integers.cpp).
//
// Products of matrices and convolutions are sums over the stored integers, and pools look at these too. What goes
// element by element is computed in f32, as the parts would be, in one dispatch.
#include <algorithm>

#include "backends/vulkan/device_indexed.h"
#include "backends/vulkan/device_windows.h"
#include "backends/vulkan/fused_parts.h"
#include "backends/vulkan/integer_sum.h"
#include "ops/convolution_plan.h"

namespace parallax::vulkan {
namespace {

// Behind the main part; so many have room in one program.
constexpr std::size_t most_tail = 8;

// --- operands ---

// How several scales of an operand may lie.
enum class Scales : uint8_t { One, Tokens, Channels, ChannelsOrGroups };

bool is_precise(DType dtype) { return dtype == DType::F32 || dtype == DType::F64; }

bool is_narrow(DType dtype) { return dtype == DType::I8 || dtype == DType::U8 || dtype == DType::I16; }

// Whether a scale or a zero point, where it is a tensor, is read as what it is: halves would round in each step.
bool takes_parameter(const Call& call, arg parameter) {
  return !call.is_tensor(parameter) || !is_floating(call.tensor(parameter).dtype) ||
         is_precise(call.tensor(parameter).dtype);
}

bool is_one(const Call& call, arg parameter) {
  return !call.has(parameter) || call.tensor(parameter).layout.numel() == 1;
}

// Scales of channels lie along `axis`.
bool takes_factor(const FusedSteps& steps, ValueId value, Scales allowed, int axis) {
  const int maker = steps.maker(value);
  if (maker == FusedPart::outside) return false;
  const Call call = steps.part(static_cast<std::size_t>(maker));
  const TensorMeta& stored = call.tensor(arg::input);
  if (!is_narrow(stored.dtype)) return false;
  if (!call.takes(arg::scales)) return takes_parameter(call, arg::scale) && takes_parameter(call, arg::zero_point);
  if (!takes_parameter(call, arg::scales) || !takes_parameter(call, arg::zero_points)) return false;
  const int rank = stored.layout.rank();
  if (call.takes(arg::axis)) {
    return (allowed == Scales::Channels || allowed == Scales::ChannelsOrGroups) &&
           portable::wrapped_dim(call.integer(arg::axis), rank) == axis;
  }
  if (call.takes(arg::group_size)) return allowed == Scales::ChannelsOrGroups;
  Dims tokens = stored.layout.sizes;
  if (rank > 0) tokens[rank - 1] = 1;
  const auto fits = [&](arg parameter) {
    return is_one(call, parameter) || call.tensor(parameter).layout.sizes == tokens;
  };
  return allowed == Scales::Tokens && fits(arg::scales) && fits(arg::zero_points);
}

// Floats, or integers that a program of one part makes floats of.
bool takes_bias(const FusedSteps& steps, const Call& main, ParameterRef parameter) {
  if (!main.has(parameter)) return true;
  const ValueId value = main.value(parameter);
  const int maker = steps.maker(value);
  return maker == FusedPart::outside ||
         takes_pointwise(steps.part(static_cast<std::size_t>(maker)), steps.metas()[value.index]);
}

Result<TensorRef> bias_of(const FusedParts& parts, ValueId value, Layout& row) {
  const int maker = parts.steps().maker(value);
  if (maker == FusedPart::outside) return parts.call().ref(value);
  row = contiguous_layout(parts.steps().metas()[value.index].layout.sizes);
  TRY(const TensorRef made, parts.call().scratch(DType::F32, row));
  PartsProgram program(parts, row.sizes);
  program.add(static_cast<std::size_t>(maker));
  program.record(static_cast<std::size_t>(maker), made, row);
  return made;
}

// The zero points or the scales of a dequantize: the number or tensor `one`, or the tensor `many`, which has the given
// steps where it holds several.
Result<IntegerParameter> parameter_of(const KernelCall& call, const Call& dequantize, arg one, arg many,
                                      const Dims& outer, int64_t group) {
  IntegerParameter made;
  if (dequantize.takes(many)) {
    if (!dequantize.has(many)) return made;
    TRY(const TensorRef row, in_one_row(call, call.ref(dequantize.value(many)), made.layout));
    const bool several = made.layout.numel() > 1;
    made.number.reset();
    made.storage = row.storage;
    made.dtype = row.dtype;
    made.outer = several ? outer : Dims::filled(outer.size(), 0);
    made.group = several ? group : 0;
    return made;
  }
  // A single scale is rounded to f32, as an operand of floats is.
  const bool rounds = one == arg::scale;
  if (!dequantize.is_tensor(one)) {
    const double number = dequantize.real(one);
    made.number = rounds ? static_cast<double>(static_cast<float>(number)) : number;
    return made;
  }
  static const Layout alone = contiguous_layout({});
  TensorRef tensor = call.ref(dequantize.value(one));
  made.layout = {{}, {}, tensor.layout->offset};
  if (rounds) {
    TRY(const TensorRef rounded, call.scratch(DType::F32, alone));
    call.move(tensor, made.layout, rounded, alone);
    tensor = rounded;
    made.layout = alone;
  }
  made.number.reset();
  made.storage = tensor.storage;
  made.dtype = tensor.dtype;
  made.outer = Dims::filled(outer.size(), 0);
  return made;
}

Result<void> add_parameters(const KernelCall& call, const Call& dequantize, const Dims& outer, int64_t group,
                            IntegerFactor& factor) {
  TRY(factor.zero_point, parameter_of(call, dequantize, arg::zero_point, arg::zero_points, outer, group));
  TRY(factor.scale, parameter_of(call, dequantize, arg::scale, arg::scales, outer, group));
  return {};
}

// --- sums ---

// [batch, group, channel of the group, ...] of a tensor [batch, channel, ...].
Dims with_groups(const Layout& result, int64_t groups) {
  Dims steps = result.strides;
  steps.insert(1, result.sizes[1] / groups * steps[1]);
  return steps;
}

// The outer dims of the sum are the result's, whose channels are split where there are groups of them.
Result<void> record_sum_and_tail(const FusedParts& parts, IntegerSum& sum, std::optional<int64_t> groups = {}) {
  const KernelCall& call = parts.call();
  const Layout all = contiguous_layout(call.output().layout->sizes);
  if (parts.ends_with_main()) {
    sum.result = call.output();
  } else {
    TRY(sum.result, call.scratch(DType::F32, all));
  }
  sum.result_outer = groups ? with_groups(*sum.result.layout, *groups) : sum.result.layout->strides;
  record_integer_sum(call, sum);
  if (parts.ends_with_main()) return {};
  PartsProgram program(parts, all.sizes);
  program.set(parts.main_index(), sum.result);
  program.add_tail();
  program.record(parts.steps().size() - 1, call.output(), *call.output().layout);
  return {};
}

// x [..., depth] by w, whose columns lie along `column`.
Result<void> sum_of_rows(const FusedParts& parts, ValueId x_value, ValueId w_value, int column,
                         std::optional<ValueId> bias) {
  const KernelCall& call = parts.call();
  const Call of_x = parts.maker(x_value);
  const Call of_w = parts.maker(w_value);
  IntegerSum sum;
  sum.x.tensor = call.ref(of_x.value(arg::input));
  sum.w.tensor = call.ref(of_w.value(arg::input));
  const Layout& x = *sum.x.tensor.layout;
  const Layout& w = *sum.w.tensor.layout;
  const int rows = x.rank() - 1;  // dims of them
  const int64_t depth = x.sizes[rows];
  if (of_w.takes(arg::group_size)) sum.groups = depth / std::min(of_w.integer(arg::group_size), depth);
  sum.outer = call.output().layout->sizes;
  sum.inner = {depth / sum.groups};
  sum.x.inner = {x.strides[rows]};
  sum.w.inner = {w.strides[1 - column]};
  sum.x.group = sum.inner[0] * sum.x.inner[0];
  sum.w.group = sum.inner[0] * sum.w.inner[0];
  sum.x.outer = x.strides;
  sum.x.outer[rows] = 0;
  sum.w.outer = Dims::filled(rows + 1, 0);
  sum.w.outer[rows] = w.strides[column];
  Dims tokens = x.sizes;
  tokens[rows] = 1;
  tokens = contiguous_strides(tokens);
  tokens[rows] = 0;
  Dims columns = Dims::filled(rows + 1, 0);
  columns[rows] = sum.groups;
  TRY_VOID(add_parameters(call, of_x, tokens, 0, sum.x));
  TRY_VOID(add_parameters(call, of_w, columns, 1, sum.w));
  Layout bias_row;
  if (bias) {
    TRY(sum.bias, bias_of(parts, *bias, bias_row));
    sum.bias_outer = met_by(*sum.bias->layout, sum.outer, {}).strides;
  }
  return record_sum_and_tail(parts, sum);
}

bool takes_linear_sum(const FusedSteps& steps, const Call& main) {
  return main.tensor(arg::weight).layout.rank() == 2 &&
         takes_factor(steps, main.value(arg::input), Scales::Tokens, 0) &&
         takes_factor(steps, main.value(arg::weight), Scales::ChannelsOrGroups, 0) &&
         takes_bias(steps, main, arg::bias);
}

Result<void> sum_linear(const FusedParts& parts) {
  const Call main = parts.main();
  const std::optional<ValueId> bias = main.has(arg::bias) ? std::optional(main.value(arg::bias)) : std::nullopt;
  return sum_of_rows(parts, main.value(arg::input), main.value(arg::weight), 0, bias);
}

bool takes_mm_sum(const FusedSteps& steps, const Call& main) {
  return takes_factor(steps, main.value(first_operand), Scales::Tokens, 1) &&
         takes_factor(steps, main.value(second_operand), Scales::Channels, 1);
}

Result<void> sum_mm(const FusedParts& parts) {
  const Call main = parts.main();
  return sum_of_rows(parts, main.value(first_operand), main.value(second_operand), 1, std::nullopt);
}

bool takes_addmm_sum(const FusedSteps& steps, const Call& main) {
  return main.real(arg::alpha) == 1 && main.real(arg::beta) == 1 &&
         takes_factor(steps, main.value(arg::mat1), Scales::Tokens, 1) &&
         takes_factor(steps, main.value(arg::mat2), Scales::Channels, 1) && takes_bias(steps, main, arg::self);
}

Result<void> sum_addmm(const FusedParts& parts) {
  const Call main = parts.main();
  return sum_of_rows(parts, main.value(arg::mat1), main.value(arg::mat2), 1, main.value(arg::self));
}

bool takes_convolution_sum(const FusedSteps& steps, const Call& main) {
  constexpr int most_rank = 5;
  const bool transposes = main.takes(arg::transposed) && main.boolean(arg::transposed);
  const int rank = main.tensor(arg::weight).layout.rank();
  return !transposes && rank <= most_rank && main.tensor(arg::input).layout.rank() == rank &&
         takes_factor(steps, main.value(arg::input), Scales::One, 0) &&
         takes_factor(steps, main.value(arg::weight), Scales::Channels, 0) && takes_bias(steps, main, arg::bias);
}

Result<void> sum_convolution(const FusedParts& parts) {
  const KernelCall& call = parts.call();
  const Call main = parts.main();
  const Call of_x = parts.maker(main.value(arg::input));
  const Call of_w = parts.maker(main.value(arg::weight));
  TRY(const ConvolutionPlan plan, plan_convolution(main));
  IntegerSum sum;
  sum.x.tensor = call.ref(of_x.value(arg::input));
  sum.w.tensor = call.ref(of_w.value(arg::input));
  const Layout& x = *sum.x.tensor.layout;
  const Layout& w = *sum.w.tensor.layout;
  const int64_t channels = w.sizes[0] / plan.groups;
  sum.outer = call.output().layout->sizes;
  sum.outer[1] = channels;
  sum.outer.insert(1, plan.groups);
  sum.inner = {w.sizes[1]};
  sum.x.inner = {x.strides[1]};
  sum.w.inner = {w.strides[1]};
  sum.x.outer = {x.strides[0], w.sizes[1] * x.strides[1], 0};
  sum.w.outer = {0, channels * w.strides[0], w.strides[0]};
  Dims of_channels = {0, channels, 1};
  for (int d = 0; d < plan.spatial(); ++d) {
    const int64_t step = x.strides[d + 2];
    sum.windows.push_back({d + 3, d + 1, plan.stride[d], plan.dilation[d], plan.padding[d], x.sizes[d + 2]});
    sum.inner.push_back(w.sizes[d + 2]);
    sum.x.inner.push_back(plan.dilation[d] * step);
    sum.w.inner.push_back(w.strides[d + 2]);
    sum.x.outer.push_back(plan.stride[d] * step);
    sum.w.outer.push_back(0);
    of_channels.push_back(0);
    sum.x.shift -= plan.padding[d] * step;
  }
  TRY_VOID(add_parameters(call, of_x, Dims::filled(sum.outer.size(), 0), 0, sum.x));
  TRY_VOID(add_parameters(call, of_w, of_channels, 0, sum.w));
  Layout bias_row;
  if (main.has(arg::bias)) {
    TRY(sum.bias, bias_of(parts, main.value(arg::bias), bias_row));
    const int64_t step = sum.bias->layout->strides[0];
    sum.bias_outer = of_channels;
    for (int64_t& outer : sum.bias_outer) outer *= step;
  }
  return record_sum_and_tail(parts, sum, plan.groups);
}

// --- pools ---

// Windows without a gap meet an element each. A scale over 0 keeps the order of what is stored.
bool takes_pool_of_integers(const FusedSteps& steps, const Call& main) {
  const int maker = steps.maker(main.value(arg::self));
  if (maker == FusedPart::outside || main.boolean(arg::ceil_mode) || main.has(arg::divisor_override)) return false;
  if (main.takes(arg::dilation) && std::ranges::any_of(main.integers(arg::dilation), [](int64_t d) { return d != 1; }))
    return false;
  const Call call = steps.part(static_cast<std::size_t>(maker));
  return call.op().name == "quantized_decomposed.dequantize_per_tensor.default" && call.real(arg::scale) > 0 &&
         is_narrow(call.tensor(arg::input).dtype);
}

Result<void> largest_integers(const FusedParts& parts) {
  const KernelCall& call = parts.call();
  const ValueId dequantized = parts.main().value(arg::self);
  const ValueId stored = parts.maker(dequantized).value(arg::input);
  const auto dequantize = static_cast<std::size_t>(parts.steps().maker(dequantized));
  const Layout each = contiguous_layout(call.output().layout->sizes);
  TRY(const TensorRef pooled, call.scratch(call.ref(stored).dtype, each));
  record_pool_2d(call, parts.main(), call.ref(stored), pooled);
  PartsProgram program(parts, each.sizes);
  program.replace(stored, pooled);
  program.add(dequantize);
  program.set_same(parts.main_index(), dequantize);
  program.add_tail();
  program.record(parts.steps().size() - 1, call.output(), *call.output().layout);
  return {};
}

// The mean of what is over the zero point, in doubles, where sums of integers are exact.
Result<void> mean_of_integers(const FusedParts& parts) {
  const KernelCall& call = parts.call();
  const Call dequantize = parts.maker(parts.main().value(arg::self));
  const TensorRef& stored = call.ref(dequantize.value(arg::input));
  const Layout all = contiguous_layout(stored.layout->sizes);
  const Layout each = contiguous_layout(call.output().layout->sizes);
  TRY(const TensorRef over, call.scratch(DType::F64, all));
  TRY(const TensorRef means, call.scratch(DType::F64, each));
  PointwiseProgram less(all.sizes);
  const auto zero_point = less.constant(DType::F64, dequantize.scalar(arg::zero_point));
  const auto element = less.converted(less.load(stored, *stored.layout), DType::F64);
  less.store(less.apply(find_function("sub"), element, zero_point, less.constant(DType::F64, Scalar(1.0))), over, all);
  less.record(call.recorder(), call.node());
  record_pool_2d(call, parts.main(), over, means);
  PartsProgram program(parts, each.sizes);
  const auto scale = program.program().constant(DType::F32, dequantize.scalar(arg::scale));
  const auto mean = program.program().load(means, each);
  const auto product =
      program.program().apply(find_function("mul"), mean, program.program().converted(scale, DType::F64));
  program.set(parts.main_index(), program.program().converted(product, DType::F32));
  program.add_tail();
  program.record(parts.steps().size() - 1, call.output(), *call.output().layout);
  return {};
}

// --- element by element ---

bool takes_dequantize(const FusedSteps& steps, std::size_t part) {
  return !steps.part(part).takes(arg::scales) &&
         takes_pointwise(steps.part(part), steps.metas()[steps.result(part).index]);
}

bool takes_dequantizes(const FusedSteps& steps, const Call&) {
  for (std::size_t part = 0; part < main_part(steps); ++part) {
    if (!takes_dequantize(steps, part)) return false;
  }
  return true;
}

bool takes_elements(const FusedSteps& steps, const Call& main) {
  const std::size_t part = main_part(steps);
  return takes_dequantizes(steps, main) && takes_pointwise(main, steps.metas()[steps.result(part).index]);
}

Result<void> record_elements(const FusedParts& parts) {
  const TensorRef& output = parts.call().output();
  PartsProgram program(parts, output.layout->sizes);
  for (std::size_t part = 0; part < parts.steps().size(); ++part) program.add(part);
  program.record(parts.steps().size() - 1, output, *output.layout);
  return {};
}

// Each operand with its own parameters, to its stretch of the result.
Result<void> join(const FusedParts& parts) {
  const TensorRef& output = parts.call().output();
  const Call main = parts.main();
  const int dim = portable::wrapped_dim(main.integer(arg::dim), output.layout->rank());
  Layout stretch = *output.layout;
  for (const ValueId value : main.values(arg::tensors)) {
    const auto dequantize = static_cast<std::size_t>(parts.steps().maker(value));
    stretch.sizes[dim] = parts.steps().metas()[value.index].layout.sizes[dim];
    PartsProgram program(parts, stretch.sizes);
    program.add(dequantize);
    program.set_same(parts.main_index(), dequantize);
    program.add_tail();
    program.record(parts.steps().size() - 1, output, stretch);
    stretch.offset += stretch.sizes[dim] * stretch.strides[dim];
  }
  return {};
}

// --- calls ---

struct IntegerRow {
  std::string_view op;
  bool (*takes)(const FusedSteps& steps, const Call& main);
  Result<void> (*record)(const FusedParts& parts);
};
constexpr std::array integer_rows = {
    IntegerRow{"aten.linear.default", takes_linear_sum, sum_linear},
    IntegerRow{"aten.mm.default", takes_mm_sum, sum_mm},
    IntegerRow{"aten.addmm.default", takes_addmm_sum, sum_addmm},
    IntegerRow{"aten.conv2d.default", takes_convolution_sum, sum_convolution},
    IntegerRow{"aten.convolution.default", takes_convolution_sum, sum_convolution},
    IntegerRow{"aten.max_pool2d.default", takes_pool_of_integers, largest_integers},
    IntegerRow{"aten.avg_pool2d.default", takes_pool_of_integers, mean_of_integers},
    IntegerRow{"aten.add.Tensor", takes_elements, record_elements},
    IntegerRow{"aten.mul.Tensor", takes_elements, record_elements},
    IntegerRow{"aten.relu.default", takes_elements, record_elements},
    IntegerRow{"aten.clamp.default", takes_elements, record_elements},
    IntegerRow{"aten.hardtanh.default", takes_elements, record_elements},
    IntegerRow{"quantized_decomposed.quantize_per_tensor.default", takes_elements, record_elements},
    IntegerRow{"quantized_decomposed.quantize_per_tensor.tensor", takes_elements, record_elements},
    IntegerRow{"aten.cat.default", takes_dequantizes, join},
};

bool takes_fused(const Call& call, const TensorMeta&) {
  const Result<FusedSteps> steps = FusedSteps::of(call);
  if (!steps) return false;
  const std::size_t main = main_part(*steps);
  const auto row = std::ranges::find(integer_rows, steps->op(main).name, &IntegerRow::op);
  if (row == integer_rows.end() || steps->size() - main - 1 > most_tail || !row->takes(*steps, steps->part(main)))
    return false;
  for (std::size_t part = main + 1; part < steps->size(); ++part) {
    if (!takes_pointwise(steps->part(part), steps->metas()[steps->result(part).index])) return false;
  }
  return true;
}

Result<void> record_fused(const KernelCall& call) {
  TRY(const FusedSteps steps, FusedSteps::of(call));
  const auto row = std::ranges::find(integer_rows, steps.op(main_part(steps)).name, &IntegerRow::op);
  PARALLAX_CHECK(row != integer_rows.end());
  return row->record(FusedParts(call, steps));
}

constexpr KernelRow integer_row = {"", takes_fused, record_fused};

}  // namespace

const KernelRow& integer_kernel() { return integer_row; }

}  // namespace parallax::vulkan
