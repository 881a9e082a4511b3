// Powers: pow, float_power and ldexp.
#include "ops/ball_pairs.h"
#include "ops/binary_op.h"
#include "ops/cast.h"
#include "ops/families.h"

namespace parallax {
namespace {

using Floats = BinaryFunction::Floats;
using Bools = BinaryFunction::Bools;

// Wraps; of a negative exponent only what 1 and -1 give is no fraction, and the others are cut to 0.
std::optional<int64_t> integer_power(DType, int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  int64_t power = 1;
  for (int64_t rest = b; rest > 0; rest /= 2) {
    if (rest % 2 == 1) power = wrapping_mul(power, a);
    a = wrapping_mul(a, a);
  }
  return power;
}

Ball real_power(const BallMath& math, const BallPair& pair) {
  return ball_pow(math, pair.a, pair.b, pair.a_zero_is_positive);
}

// An exponent with few surprises: squares, roots, reciprocals, and integers that no power overflows a byte with. For
// bools mostly a bool, with which the power is one too and can be written in place.
Scalar draw_exponent(Choices& choices, DType dtype) {
  static constexpr std::array<double, 9> reals = {2, 0.5, 3, 1, 0, -1, -0.5, -2, 1.5};
  if (is_floating(dtype) && choices.chance(80)) return choices.pick(reals);
  if (dtype == DType::Bool && choices.chance(80)) return choices.chance(50);
  return choices.between(0, 3);
}

// Integers are not taken to a negative number, and the number must fit the dtype; floats and doubles take any.
Result<void> check_exponent(const Call& call, DType common) {
  const std::string& op = call.op().name;
  const Scalar exponent = call.scalar(arg::exponent);
  const double value = as_double(exponent);
  // Powers of 0 and 1 are not computed.
  if (value == 0 || value == 1) return {};
  if (common == DType::Bool) return refuse("{} does not take bool", op);
  if (is_integral(common) && value < 0) return refuse("{}: integers have no power of {}", op, value);
  if (common == DType::F32 || common == DType::F64) return {};
  return check_fits(call, exponent, common);
}

constexpr BinaryFunction pow_tensors = {.floating = real_power,
                                        .integral = integer_power,
                                        .bools = Bools::NotAlone,
                                        .contiguous_of_number = true,
                                        .draw_number = draw_exponent};

// Squares, cubes and their reciprocals are products, each of them stored.
constexpr BinaryFunction pow_number = {.floating = real_power,
                                       .integral = integer_power,
                                       .in_own_dtype = true,
                                       .check = check_exponent,
                                       .draw_number = draw_exponent};

constexpr BinaryFunction float_pow = {
    .floating = real_power, .floats = Floats::MadeF64, .contiguous_of_number = true, .draw_number = draw_exponent};

// An in-place float_power writes f64 only, where others would convert.
Result<std::vector<ResultMeta>> infer_float_power_inplace(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  if (dtype != DType::F64) return refuse("{}: the base is {}, not f64", call.op().name, name(dtype));
  return infer_inplace(call);
}

OpDef float_power_twin(std::string_view schema, std::string_view functional) {
  OpDef definition = binary_twin<float_pow>(schema, functional);
  definition.infer = infer_float_power_inplace;
  return definition;
}

// ldexp: a * 2^b. For integers b eager's kernel shifts the exponent of a; else it multiplies by a power of 2, which it
// computes in the dtype of b.

bool shifts_exponent(const Call& call) {
  return is_floating(call.tensor(arg::self).dtype) && is_integral(call.tensor(arg::other).dtype);
}

Result<std::vector<ResultMeta>> infer_ldexp(const Call& call) {
  if (shifts_exponent(call) && call.tensor(arg::other).dtype == DType::Bool) {
    return refuse("{} does not take a bool exponent", call.op().name);
  }
  const DType dtype = floating_type(result_type(call, {arg::self, arg::other}));
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::other}, dtype));
  return fresh_result(dtype, layout);
}

Result<void> reference_ldexp(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType exponent_dtype = call.tensor(arg::other).dtype;
  const Operand base(call, arg::self, output.layout.sizes, output.dtype);
  const Operand exponent(call, arg::other, output.layout.sizes, exponent_dtype);
  const BallMath math(output.dtype, call.profile());
  const BallMath power_math(floating_type(exponent_dtype), call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Ball& result = output.ball(elements[i]);
    if (is_floating(exponent_dtype)) {
      const Ball power = ball_pow(power_math, Ball::exact(2), exponent.ball(i), true);
      result = math.mul(base.ball(i), cast_ball(power, power_math.dtype(), output.dtype, call.profile()));
    } else {
      const IntegerBall n = exponent.integer(i);
      const bool decided = n.undecided == Undecided::No;
      result = decided ? ball_ldexp(math, base.ball(i), n.value) : Ball::unknown(n.undecided);
    }
  }
  return {};
}

// Integer exponents: with others eager fills a tensor that it made like the first operand, and the result's strides
// are neither's.
std::optional<std::vector<Argument>> sample_ldexp(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context, is_floating) : pick_floating(context);
  if (!self) return std::nullopt;
  const auto integers = [](DType dtype) { return is_integral(dtype) && dtype != DType::Bool; };
  const auto exponent = pick_second(context, *self, integers, op.writes());
  if (!exponent) return std::nullopt;
  return std::vector<Argument>{*self, *exponent};
}

}  // namespace

std::vector<OpDef> power_family() {
  return {
      binary_op<pow_tensors>("pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"),
      binary_op<pow_number>("pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"),
      binary_op<pow_tensors>("pow.Scalar(Scalar self, Tensor exponent) -> Tensor"),
      binary_op<float_pow>("float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"),
      binary_op<float_pow>("float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"),
      binary_op<float_pow>("float_power.Scalar(Scalar self, Tensor exponent) -> Tensor"),
      {.schema = "ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
       .infer = infer_ldexp,
       .reference = reference_ldexp,
       .sample = sample_ldexp},

      binary_twin<pow_tensors>("pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", "aten.pow.Tensor_Tensor"),
      binary_twin<pow_number>("pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", "aten.pow.Tensor_Scalar"),
      float_power_twin("float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)",
                       "aten.float_power.Tensor_Tensor"),
      float_power_twin("float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)",
                       "aten.float_power.Tensor_Scalar"),
      inplace_twin("ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.ldexp.Tensor", sample_ldexp),
  };
}

}  // namespace parallax
