// Activation: the non-linear functions of neural networks, element by element.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/ball_activations.h"
#include "ops/ball_functions.h"
#include "ops/element_math.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/unary_op.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

// The dtype that eager keeps a function's numbers in: halves are computed as floats.
DType number_dtype(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  return is_floating(dtype) && size_of(dtype) == 2 ? DType::F32 : dtype;
}

// All numbers of the call fit what is computed in.
Result<void> check_numbers(const Call& call) {
  for (const Argument& number : call.arguments().subspan(1)) {
    TRY_VOID(check_fits(call, std::get<Scalar>(number), number_dtype(call)));
  }
  return {};
}

Ball number(const BallMath& math, const Call& call, arg parameter) { return math.scalar(call.real(parameter)); }

Result<void> check_gelu(const Call& call) {
  const std::string& approximate = call.text(arg::approximate);
  if (approximate == "none" || approximate == "tanh") return {};
  return refuse("{}: approximate is {}, neither none nor tanh", call.op().name, approximate);
}

double plain_gelu(double x, const ReferenceCall& call) {
  if (call.text(arg::approximate) == "none") return x * std::erfc(-x / std::numbers::sqrt2) / 2;
  const double slope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return x / 2 * (1 + std::tanh(slope * (x + 0.044715 * x * x * x)));
}

constexpr UnaryFunction gelu = {.takes = Takes::Floats,
                                .floating =
                                    [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                      return call.text(arg::approximate) == "tanh" ? ball_gelu_tanh(math, x)
                                                                                   : ball_gelu(math, x);
                                    },
                                .check = check_gelu,
                                .plain = plain_gelu};
constexpr UnaryFunction silu = {.takes = Takes::Floats,
                                .floating = of_ball<ball_silu>,
                                .plain = [](double x, const ReferenceCall&) { return x / (1 + std::exp(-x)); }};
constexpr UnaryFunction mish = {Takes::Floats, of_ball<ball_mish>};
double sixth_gate(double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; }
constexpr UnaryFunction hardsigmoid = {.takes = Takes::Floats,
                                       .floating = of_ball<ball_hardsigmoid>,
                                       .plain = [](double x, const ReferenceCall&) { return sixth_gate(x); }};
constexpr UnaryFunction hardswish = {.takes = Takes::Floats,
                                     .floating = of_ball<ball_hardswish>,
                                     .plain = [](double x, const ReferenceCall&) { return x * sixth_gate(x); }};

// The product of the numbers is rounded too.
constexpr UnaryFunction elu = {.takes = Takes::Floats,
                               .floating =
                                   [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                     const Ball above = number(math, call, arg::scale);
                                     const Ball coefficient = math.mul(number(math, call, arg::alpha), above);
                                     return ball_elu(math, x, coefficient, number(math, call, arg::input_scale), above);
                                   },
                               .check = check_numbers};

// PyTorch's own constants (aten/src/ATen/native/Activation.cpp), from "Self-Normalizing Neural Networks".
constexpr double selu_alpha = 1.6732632423543772848170429916717;
constexpr double selu_scale = 1.0507009873554804934193349852946;
constexpr UnaryFunction selu = {Takes::Floats, [](const BallMath& math, const Ball& x, const ReferenceCall&) {
                                  const Ball above = math.scalar(selu_scale);
                                  return ball_elu(math, x, math.mul(math.scalar(selu_alpha), above), Ball::exact(1),
                                                  above);
                                }};

// elu of x / alpha, which eager multiplies by 1 / alpha.
Result<void> check_celu(const Call& call) {
  const double alpha = call.real(arg::alpha);
  if (alpha == 0) return refuse("{}: alpha is 0", call.op().name);
  TRY_VOID(check_fits(call, alpha, number_dtype(call)));
  return check_fits(call, 1 / alpha, number_dtype(call));
}

constexpr UnaryFunction celu = {.takes = Takes::Floats,
                                .floating =
                                    [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                      const Ball alpha = number(math, call, arg::alpha);
                                      const Ball scale = math.div(Ball::exact(1), alpha);
                                      return ball_elu(math, x, alpha, scale, Ball::exact(1));
                                    },
                                .check = check_celu};

constexpr UnaryFunction leaky_relu = {
    .takes = Takes::Floats,
    .floating =
        [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
          return ball_leaky_relu(math, x, number(math, call, arg::negative_slope));
        },
    .check = check_numbers,
    .plain = [](double x, const ReferenceCall& call) { return x > 0 ? x : call.real(arg::negative_slope) * x; }};

constexpr UnaryFunction softplus = {.takes = Takes::Floats,
                                    .floating =
                                        [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                          return ball_softplus(math, x, number(math, call, arg::beta),
                                                               number(math, call, arg::threshold));
                                        },
                                    .check = check_numbers};

// Its number is of the tensor's own dtype.
constexpr UnaryFunction hardshrink = {
    .takes = Takes::Floats,
    .floating = [](const BallMath& math, const Ball& x,
                   const ReferenceCall& call) { return ball_hardshrink(math, x, number(math, call, arg::lambd)); },
    .check = [](const Call& call) { return check_fits(call, call.scalar(arg::lambd), call.tensor(arg::self).dtype); }};

Result<void> check_softshrink(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  const double lambda = call.real(arg::lambd);
  if (lambda >= 0 && lambda <= info(dtype).max_finite) return {};
  return refuse("{}: lambda {} is not between 0 and the largest {}", call.op().name, lambda, name(dtype));
}

constexpr UnaryFunction softshrink = {
    .takes = Takes::Floats,
    .floating = [](const BallMath& math, const Ball& x,
                   const ReferenceCall& call) { return ball_softshrink(math, x, number(math, call, arg::lambd)); },
    .check = check_softshrink};

Result<void> check_threshold(const Call& call) {
  TRY_VOID(check_fits(call, call.scalar(arg::threshold), number_dtype(call)));
  return check_fits(call, call.scalar(arg::value), call.tensor(arg::self).dtype);
}

constexpr UnaryFunction threshold = {
    .takes = Takes::Numbers,
    .floating =
        [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
          return ball_threshold(x, number(math, call, arg::threshold), number(math, call, arg::value));
        },
    .integral =
        [](int64_t x, const ReferenceCall& call) {
          const DType dtype = call.output().dtype;
          return x <= number_as(dtype, call.scalar(arg::threshold)) ? number_as(dtype, call.scalar(arg::value)) : x;
        },
    .check = check_threshold};

Ball between(const BallMath& math, const Ball& x, const Ball& low, const Ball& high) {
  return math.minimum(math.maximum(x, low), high);
}

Result<void> check_hardtanh(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  for (const arg bound : {arg::min_val, arg::max_val}) {
    Scalar number = call.scalar(bound);
    if (is_integral(dtype)) {
      TRY_VOID(check_fits(call, number, DType::I64));
      number = as_integer(number);
      if (dtype == DType::U8 && as_integer(number) < 0) return refuse("{}: a negative bound of u8", call.op().name);
    }
    TRY_VOID(check_fits(call, number, dtype));
  }
  return {};
}

constexpr UnaryFunction hardtanh = {
    .takes = Takes::Numbers,
    .floating =
        [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
          return between(math, x, number(math, call, arg::min_val), number(math, call, arg::max_val));
        },
    .integral =
        [](int64_t x, const ReferenceCall& call) {
          const DType dtype = call.output().dtype;
          return std::min(std::max(x, number_as(dtype, call.scalar(arg::min_val))),
                          number_as(dtype, call.scalar(arg::max_val)));
        },
    .clones_layout = true,
    .check = check_hardtanh,
    .plain =
        [](double x, const ReferenceCall& call) {
          return std::min(std::max(x, call.real(arg::min_val)), call.real(arg::max_val));
        }};

constexpr UnaryFunction relu6 = {
    .takes = Takes::Numbers,
    .floating = [](const BallMath& math, const Ball& x,
                   const ReferenceCall&) { return between(math, x, Ball::exact(0), Ball::exact(6)); },
    .integral = [](int64_t x, const ReferenceCall&) { return std::clamp<int64_t>(x, 0, 6); },
    .clones_layout = true,
    .plain = [](double x, const ReferenceCall&) { return std::clamp(x, 0.0, 6.0); }};

// log_sigmoid reads a contiguous operand. Its forward hands exp(-|x|), the buffer, on to the backward.
constexpr int buffer_result = 1;

Result<std::vector<ResultMeta>> infer_log_sigmoid(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (!is_floating(self.dtype)) return refuse("{} does not take {}", call.op().name, name(self.dtype));
  const ResultMeta result = {self.dtype, contiguous_layout(self.layout.sizes), ValueId()};
  return std::vector<ResultMeta>(call.op().schema.returns.size(), result);
}

Result<void> reference_log_sigmoid(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Operand operand(call, arg::self, output.layout.sizes, output.dtype);
  const ElementMath in_dtype(output.dtype, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Ball x = operand.ball(i);
    output.ball(elements[i]) = in_dtype([&](const BallMath& math) { return ball_log_sigmoid(math, x); });
    if (call.outputs().size() == 1) continue;
    const auto exponential = [&](const BallMath& math) { return math.exp(math.neg(math.abs(x))); };
    call.output(buffer_result).ball(elements[i]) = in_dtype(exponential);
  }
  return {};
}

// The first half of a dim times the sigmoid of the second.
Result<std::vector<Layout>> halves_of(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const Result<int> dim = existing_dim(call.integer(arg::dim), self.layout.rank());
  if (!dim) return in_op(call, dim.error());
  const int64_t size = self.layout.sizes[*dim];
  if (size % 2 != 0) return refuse("{}: dim {} has an odd size", call.op().name, *dim);
  return split_layouts(self.layout, *dim, std::array{size / 2, size / 2});
}

Result<std::vector<ResultMeta>> infer_glu(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  if (!is_floating(dtype)) return refuse("{} does not take {}", call.op().name, name(dtype));
  TRY(const std::vector<Layout> halves, halves_of(call));
  TRY(const Layout layout, pointwise_layout(call, halves));
  return fresh_result(dtype, layout);
}

Result<void> reference_glu(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  TRY(const std::vector<Layout> halves, halves_of(call));
  const std::vector<int64_t> values = elements_of(halves[0]);
  const std::vector<int64_t> gates = elements_of(halves[1]);
  const std::vector<int64_t> elements = elements_of(output.layout);
  const ElementMath in_dtype(output.dtype, call.profile());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    output.ball(elements[i]) = in_dtype(
        [&](const BallMath& math) { return math.mul(self.ball(values[i]), math.sigmoid(self.ball(gates[i]))); });
  }
  return {};
}

std::optional<std::vector<Argument>> sample_gelu(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, Takes::Floats);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, context.choices().chance(50) ? std::string("tanh") : std::string("none")};
}

// Positive numbers, which all of these functions take.
std::optional<std::vector<Argument>> sample_numbers(const Op& op, SampleContext& context) {
  static constexpr std::array<double, 4> numbers = {1, 0.5, 2, 0.1};
  const auto self = pick_operand(op, context, Takes::Floats);
  if (!self) return std::nullopt;
  std::vector<Argument> arguments = with_defaults(op, {*self});
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (context.choices().chance(50)) arguments[i] = Scalar(context.choices().pick(numbers));
  }
  return arguments;
}

std::optional<std::vector<Argument>> sample_bounds(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, Takes::Numbers);
  if (!self) return std::nullopt;
  const DType dtype = context.meta(*self).dtype;
  const Scalar first = draw_scalar(context.choices(), dtype);
  const Scalar second = draw_scalar(context.choices(), dtype);
  return std::vector<Argument>{*self, first, second};
}

std::optional<std::vector<Argument>> sample_glu(const Op&, SampleContext& context) {
  const auto even_dims = [](const TensorMeta& meta) {
    IntList dims;
    for (int i = 0; i < meta.layout.rank(); ++i) {
      if (meta.layout.sizes[i] % 2 == 0) dims.push_back(i);
    }
    return dims;
  };
  const auto self = context.pick(
      [&](const Candidate&, const TensorMeta& meta) { return is_floating(meta.dtype) && !even_dims(meta).empty(); });
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, Scalar(context.choices().pick(even_dims(context.meta(*self))))};
}

}  // namespace

std::vector<OpDef> activation_family() {
  return {
      unary_op<gelu>("gelu(Tensor self, *, str approximate=\"none\") -> Tensor", sample_gelu),
      unary_op<silu>("silu(Tensor self) -> Tensor"),
      unary_op<mish>("mish(Tensor self) -> Tensor"),
      unary_op<elu>("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", sample_numbers),
      unary_op<selu>("selu(Tensor self) -> Tensor"),
      unary_op<celu>("celu(Tensor self, Scalar alpha=1.) -> Tensor", sample_numbers),
      unary_op<leaky_relu>("leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", sample_numbers),
      unary_op<softplus>("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", sample_numbers),
      unary_op<hardtanh>("hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", sample_bounds),
      unary_op<relu6>("relu6(Tensor self) -> Tensor"),
      unary_op<hardsigmoid>("hardsigmoid(Tensor self) -> Tensor"),
      unary_op<hardswish>("hardswish(Tensor self) -> Tensor"),
      unary_op<hardshrink>("hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", sample_numbers),
      unary_op<softshrink>("softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", sample_numbers),
      unary_op<threshold>("threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", sample_bounds),
      {.schema = "log_sigmoid(Tensor self) -> Tensor",
       .infer = infer_log_sigmoid,
       .reference = reference_log_sigmoid,
       .sample = sample_unary<Takes::Floats>},
      {.schema = "log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
       .infer = infer_log_sigmoid,
       .reference = reference_log_sigmoid,
       .sample = sample_unary<Takes::Floats>},
      {.schema = "glu(Tensor self, int dim=-1) -> Tensor",
       .infer = infer_glu,
       .reference = reference_glu,
       .sample = sample_glu},

      inplace_twin("gelu_(Tensor(a!) self, *, str approximate=\"none\") -> Tensor(a!)", "aten.gelu.default",
                   sample_gelu),
      unary_twin<silu>("silu_(Tensor(a!) self) -> Tensor(a!)", "aten.silu.default"),
      unary_twin<mish>("mish_(Tensor(a!) self) -> Tensor(a!)", "aten.mish.default"),
      inplace_twin("elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)",
                   "aten.elu.default", sample_numbers),
      unary_twin<selu>("selu_(Tensor(a!) self) -> Tensor(a!)", "aten.selu.default"),
      inplace_twin("celu_(Tensor(a!) self, Scalar alpha=1.) -> Tensor(a!)", "aten.celu.default", sample_numbers),
      inplace_twin("leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)", "aten.leaky_relu.default",
                   sample_numbers),
      inplace_twin("hardtanh_(Tensor(a!) self, Scalar min_val=-1, Scalar max_val=1) -> Tensor(a!)",
                   "aten.hardtanh.default", sample_bounds),
      unary_twin<relu6>("relu6_(Tensor(a!) self) -> Tensor(a!)", "aten.relu6.default"),
      unary_twin<hardsigmoid>("hardsigmoid_(Tensor(a!) self) -> Tensor(a!)", "aten.hardsigmoid.default"),
      unary_twin<hardswish>("hardswish_(Tensor(a!) self) -> Tensor(a!)", "aten.hardswish.default"),
      inplace_twin("threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)",
                   "aten.threshold.default", sample_bounds),
  };
}

}  // namespace parallax
