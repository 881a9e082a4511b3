// Division: the true quotient, the quotient rounded down or towards zero, and what such a division leaves.
#include <array>
#include <cmath>

#include "ops/ball_functions.h"
#include "ops/ball_pairs.h"
#include "ops/binary_op.h"
#include "ops/families.h"

namespace parallax {
namespace {

using Floats = BinaryFunction::Floats;
using Bools = BinaryFunction::Bools;

// Nothing where eager raises, or where its process stops: the lowest integer by -1 traps on x86 for i32 and i64.
std::optional<int64_t> truncated_quotient(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  const bool overflows = a == info(dtype).min_integer && b == -1;
  if (overflows) return size_of(dtype) >= 4 ? std::nullopt : std::optional(-a);
  return a / b;
}

// The lowest integer by -1 stays what it is.
std::optional<int64_t> floored_quotient(DType, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return wrapping_sub(0, a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::optional<int64_t> truncated_rest(DType, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  return b == -1 ? 0 : a % b;
}

std::optional<int64_t> floored_rest(DType, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Ball true_quotient(const BallMath& math, const BallPair& pair) {
  return pair.same ? math.div_same(pair.a) : ball_div(math, pair.a, pair.b, pair.b_zero_is_positive);
}

Ball quotient_or_product(const BallMath& math, const BallPair& pair) {
  const Ball quotient = true_quotient(math, pair);
  if (!pair.b_is_single || !math.allows(Form::ReciprocalProduct)) return quotient;
  const Ball reciprocal = ball_div(math, Ball::exact(1), pair.b, pair.b_zero_is_positive);
  return hull(quotient, math.mul(pair.a, reciprocal));
}

constexpr BinaryFunction div = {.floating = quotient_or_product,
                                .floats = Floats::Made,
                                .draw_number = draw_divisor,
                                .plain = [](double a, double b) { return a / b; }};

constexpr BinaryFunction div_floor = {
    .floating =
        [](const BallMath& math, const BallPair& pair) {
          if (pair.same && std::isfinite(pair.a.mid)) {
            const Ball one = math.div_same(pair.a);
            // Where a quotient may lie below 1, or what is divided may be flushed, it
            // may be cut to 0.
            const bool flushed = math.profile().flush_to_zero && clearance(pair.a) < info(math.dtype()).smallest_normal;
            return one.radius == 0 && !flushed ? one : including(one, 0);
          }
          return ball_floor_div(math, pair.a, pair.b, pair.b_zero_is_positive);
        },
    .integral = floored_quotient,
    .bools = Bools::NotAlone,
    .divides = true,
    .in_own_dtype = true,
    .draw_number = draw_divisor};

constexpr BinaryFunction div_trunc = {
    .floating = [](const BallMath& math, const BallPair& pair) { return ball_trunc(math, true_quotient(math, pair)); },
    .integral = truncated_quotient,
    .bools = Bools::NotAlone,
    .divides = true,
    .in_own_dtype = true,
    .draw_number = draw_divisor};

// What a number leaves when it is divided by itself: 0 wherever the quotient is 1, and itself where that is cut to 0.
Ball rest_of_one(const BallMath& math, const Ball& x) {
  Ball rest = math.div_same(x);
  if (rest.mid != 1) return rest;
  const bool sure = rest.radius == 0;
  rest.mid = rest.radius = 0;
  return sure ? rest : hull(rest, x);
}

constexpr BinaryFunction fmod = {.floating =
                                     [](const BallMath& math, const BallPair& pair) {
                                       return pair.same ? rest_of_one(math, pair.a) : ball_fmod(math, pair.a, pair.b);
                                     },
                                 .integral = truncated_rest,
                                 .bools = Bools::NotAlone,
                                 .divides = true,
                                 .draw_number = draw_divisor};

constexpr BinaryFunction remainder = {.floating =
                                          [](const BallMath& math, const BallPair& pair) {
                                            return pair.same ? rest_of_one(math, pair.a)
                                                             : ball_remainder(math, pair.a, pair.b);
                                          },
                                      .integral = floored_rest,
                                      .bools = Bools::NotAlone,
                                      .divides = true,
                                      .draw_number = draw_divisor};

// The function that a rounding mode names, or null where there is none of that name.
const BinaryFunction* function_of_mode(const Call& call) {
  if (!call.has(arg::rounding_mode)) return &div;
  const std::string& mode = call.text(arg::rounding_mode);
  return mode == "floor" ? &div_floor : mode == "trunc" ? &div_trunc : nullptr;
}

Result<std::vector<ResultMeta>> infer_div_mode(const Call& call) {
  const BinaryFunction* function = function_of_mode(call);
  if (!function) return refuse("{}: the rounding mode is neither floor nor trunc", call.op().name);
  return infer_binary(call, *function);
}

Result<void> reference_div_mode(const ReferenceCall& call) { return reference_binary(call, *function_of_mode(call)); }

std::optional<std::vector<Argument>> sample_div_mode(const Op& op, SampleContext& context) {
  struct Mode {
    const BinaryFunction* function;
    Argument name;
  };
  static const std::array modes = {Mode{&div_floor, std::string("floor")}, Mode{&div_trunc, std::string("trunc")},
                                   Mode{&div, {}}};
  const Mode& mode = context.choices().pick(modes);
  auto arguments = sample_binary(op, context, *mode.function);
  if (!arguments) return std::nullopt;
  return with_argument(op, *std::move(arguments), arg::rounding_mode, mode.name);
}

OpDef mode_op(std::string_view schema, bool takes_numbers) {
  return {.schema = schema,
          .infer = infer_div_mode,
          .reference = reference_div_mode,
          .sample = sample_div_mode,
          .takes_numbers = takes_numbers};
}

OpDef mode_twin(std::string_view schema, std::string_view functional, bool takes_numbers) {
  OpDef twin = inplace_twin(schema, functional, sample_div_mode);
  twin.takes_numbers = takes_numbers;
  return twin;
}

}  // namespace

std::vector<OpDef> division_family() {
  return {
      binary_op<div>("div.Tensor(Tensor self, Tensor other) -> Tensor", true),
      binary_op<div>("div.Scalar(Tensor self, Scalar other) -> Tensor"),
      mode_op("div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", true),
      mode_op("div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", false),
      binary_op<div_floor>("floor_divide(Tensor self, Tensor other) -> Tensor", true),
      binary_op<div_floor>("floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<fmod>("fmod.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<fmod>("fmod.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<remainder>("remainder.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<remainder>("remainder.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<remainder>("remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"),

      binary_twin<div>("div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.div.Tensor", true),
      binary_twin<div>("div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.div.Scalar"),
      mode_twin("div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)",
                "aten.div.Tensor_mode", true),
      mode_twin("div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)",
                "aten.div.Scalar_mode", false),
      binary_twin<div_floor>("floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                             "aten.floor_divide.default", true),
      binary_twin<div_floor>("floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                             "aten.floor_divide.Scalar"),
      binary_twin<fmod>("fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.fmod.Tensor"),
      binary_twin<fmod>("fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.fmod.Scalar"),
      binary_twin<remainder>("remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.remainder.Tensor"),
      binary_twin<remainder>("remainder_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.remainder.Scalar"),
  };
}

}  // namespace parallax
