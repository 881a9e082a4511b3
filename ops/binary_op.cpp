#include "ops/binary_op.h"

#include <array>
#include <cmath>
#include <utility>

#include "ops/element_math.h"
#include "ops/plain/elementwise_in_double.h"

namespace parallax {
namespace {

using Floats = BinaryFunction::Floats;
using Bools = BinaryFunction::Bools;

DType computed_dtype(const BinaryFunction& function, DType common) {
  if (function.floats == Floats::MadeF64) return DType::F64;
  return function.floats == Floats::Made ? floating_type(common) : common;
}

// The operands of the function: what it calls a and b.
ParameterRef a_of(const BinaryFunction& function) { return function.reversed ? second_operand : first_operand; }
ParameterRef b_of(const BinaryFunction& function) { return function.reversed ? first_operand : second_operand; }

// How eager checks alpha against the dtype that the sum is computed in.
Result<void> check_alpha(const Call& call, DType dtype) {
  const Scalar alpha = call.scalar(arg::alpha);
  if (std::holds_alternative<bool>(alpha) && dtype != DType::Bool)
    return refuse("{}: a bool alpha needs a bool result", call.op().name);
  if (is_floating(alpha) && is_integral(dtype))
    return refuse("{}: a real alpha needs a floating result", call.op().name);
  return check_fits(call, alpha, dtype);
}

Result<void> check_dtypes(const Call& call, const BinaryFunction& function, DType common) {
  const std::string& op = call.op().name;
  const DType a = type_of(call, first_operand).dtype;
  const DType b = type_of(call, second_operand).dtype;
  const bool refused_bool = function.bools == Bools::Refused
                                ? a == DType::Bool || b == DType::Bool
                                : function.bools == Bools::NotAlone && common == DType::Bool;
  if (refused_bool) return refuse("{} does not take bool", op);
  if (function.floats == Floats::Refused && is_floating(common)) return refuse("{} does not take {}", op, name(common));
  if (function.floats == Floats::Needed && is_integral(common)) return refuse("{} does not take {}", op, name(common));
  if (function.one_dtype && a != b) return refuse("{}: the operands are {} and {}", op, name(a), name(b));
  return {};
}

// Whether the zeros of an operand are known to be +0.
bool zero_is_positive(const Call& call, ParameterRef operand) {
  if (call.is_tensor(operand)) return is_integral(call.tensor(operand).dtype);
  return !std::signbit(call.real(operand));
}

void compute_floating(const ReferenceCall& call, const BinaryFunction& function, const Operand& a, const Operand& b) {
  const BallView& output = call.output();
  const ElementMath in_dtype(output.dtype, call.profile());
  const double alpha = function.scaled ? call.real(arg::alpha) : 1;
  BallPair pair;
  pair.a_zero_is_positive = zero_is_positive(call, a_of(function));
  pair.b_zero_is_positive = zero_is_positive(call, b_of(function)) && alpha > 0;
  pair.b_is_single = !call.is_tensor(b_of(function)) || call.tensor(b_of(function)).layout.numel() == 1;
  const ViewElements elements(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Ball first = a.ball(i);
    pair.same = alpha == 1 && a.same_element(b, i);
    const Ball factor = b.ball(i);
    const auto compute = [&](const BallMath& math) {
      return by_sign(scale(math, alpha, factor), [&](const Ball& y) {
        pair.b = y;
        return by_sign(first, [&](const Ball& x) {
          pair.a = x;
          return function.floating(math, pair);
        });
      });
    };
    // Eager's loops over vectors compute halves in f32, and what is left over from them in halves, alpha * b included.
    const bool in_own_dtype = function.in_own_dtype || alpha != 1;
    output.ball(elements[i]) = in_own_dtype ? compute(in_dtype.own()) : in_dtype(compute);
  }
}

Result<void> compute_integral(const ReferenceCall& call, const BinaryFunction& function, const Operand& a,
                              const Operand& b) {
  const BallView& output = call.output();
  const int64_t alpha = function.scaled ? number_as(output.dtype, call.scalar(arg::alpha)) : 1;
  const bool opens = function.shifts_out != nullptr && call.allows(Form::OpenShifts);
  const ViewElements elements(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall x = a.integer(i);
    const IntegerBall y = b.integer(i);
    IntegerBall result{0, first_undecided({x, y})};
    if (opens && result.undecided == Undecided::No && function.shifts_out(output.dtype, y.value)) {
      result.undecided = Undecided::ShiftOutOfRange;
    }
    if (result.undecided == Undecided::No) {
      const std::optional<int64_t> value = function.integral(output.dtype, x.value, wrapping_mul(alpha, y.value));
      if (!value) return refuse("{}: {} by {} has no integer result", call.op().name, x.value, y.value);
      result.value = wrap_to(output.dtype, *value);
    }
    output.integer(elements[i]) = result;
  }
  return {};
}

template <std::size_t... dtypes>
constexpr auto equality_tests(std::index_sequence<dtypes...>) {
  return std::array<bool (*)(DType), sizeof...(dtypes)>{
      [](DType dtype) { return dtype == static_cast<DType>(dtypes); }...};
}

// A test for one dtype, as a plain function.
bool (*only(DType dtype))(DType) {
  static constexpr auto tests = equality_tests(std::make_index_sequence<dtype_count>());
  return tests[static_cast<std::size_t>(dtype)];
}

bool any_dtype(DType) { return true; }
bool no_bool(DType dtype) { return dtype != DType::Bool; }
bool integral(DType dtype) { return is_integral(dtype); }
bool integral_no_bool(DType dtype) { return is_integral(dtype) && dtype != DType::Bool; }

// Whether a first (or the only) tensor operand of that dtype, written or not, can be completed to a call.
bool takes_first(const BinaryFunction& function, DType dtype, bool divisor_is_tensor, bool writes) {
  const bool makes_float = function.floats == Floats::Made || function.floats == Floats::MadeF64;
  if (function.bools != Bools::Taken && dtype == DType::Bool) return false;
  if (function.floats == Floats::Refused && is_floating(dtype)) return false;
  if (function.floats == Floats::Needed && is_integral(dtype)) return false;
  // The zeros among a tensor's integers are left to the ops that may meet them.
  if (function.divides && divisor_is_tensor && is_integral(dtype)) return false;
  if (!writes) return true;
  if (function.floats == Floats::MadeF64) return dtype == DType::F64;
  return !makes_float || is_floating(dtype);
}

// What the other operand's dtype may be next to `first`, so that an in-place op can write its result.
bool (*takes_second(const Op& op, const BinaryFunction& function, DType first))(DType) {
  if (function.one_dtype || (op.writes() && first == DType::Bool)) return only(first);
  const bool bools = function.bools != Bools::Refused && (function.bools == Bools::Taken || first != DType::Bool);
  const bool integers = function.floats == Floats::Refused || (op.writes() && is_integral(first));
  if (integers) return bools ? integral : integral_no_bool;
  return bools ? any_dtype : no_bool;
}

// Two parameters and the defaults; an alpha now and then that every dtype takes.
std::vector<Argument> completed(const Op& op, Choices& choices, const BinaryFunction& function, Argument first,
                                Argument second) {
  std::vector<Argument> given = {std::move(first), std::move(second)};
  // The rounding mode of a division has no default: whoever draws it sets it.
  if (op.schema.index_of(arg::rounding_mode) >= 0) given.emplace_back();
  std::vector<Argument> arguments = with_defaults(op, std::move(given));
  if (function.scaled && choices.chance(10)) {
    return with_argument(op, std::move(arguments), arg::alpha, Scalar(int64_t{2}));
  }
  return arguments;
}

}  // namespace

Result<std::vector<ResultMeta>> infer_binary(const Call& call, const BinaryFunction& function) {
  const DType common = result_type(call, {first_operand, second_operand});
  TRY_VOID(check_dtypes(call, function, common));
  if (function.scaled) TRY_VOID(check_alpha(call, common));
  if (function.check) TRY_VOID(function.check(call, common));
  const DType dtype = computed_dtype(function, common);
  TRY(const Layout layout, pointwise_layout(call, {a_of(function), b_of(function)}, dtype));
  if (function.contiguous_of_number && !call.is_tensor(first_operand))
    return fresh_result(dtype, contiguous_layout(layout.sizes));
  return fresh_result(dtype, layout);
}

bool plain_binary(const ReferenceCall& call, const BinaryFunction& function) {
  const double alpha = function.scaled ? call.real(arg::alpha) : 1;
  return compute_plainly(call, {a_of(function), b_of(function), alpha}, function.plain);
}

Result<void> reference_binary(const ReferenceCall& call, const BinaryFunction& function) {
  const BallView& output = call.output();
  const Operand a(call, a_of(function), output.layout.sizes, output.dtype);
  const Operand b(call, b_of(function), output.layout.sizes, output.dtype);
  if (!output.floating()) return compute_integral(call, function, a, b);
  compute_floating(call, function, a, b);
  return {};
}

std::optional<std::vector<Argument>> sample_binary(const Op& op, SampleContext& context,
                                                   const BinaryFunction& function) {
  const bool number_first = takes_scalar(op, first_operand);
  const bool number_second = takes_scalar(op, second_operand);
  // Where a number may stand for the divisor, it does for integers.
  const bool number_divides = op.schema.parameters[static_cast<std::size_t>(second_operand.position())].takes_number;
  const bool divisor_is_tensor = !number_second && !number_divides;
  const bool writes = op.writes();
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return (!writes || candidate.writable) && takes_first(function, meta.dtype, divisor_is_tensor, writes);
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const DType dtype = context.meta(*self).dtype;
  if (number_first) return completed(op, choices, function, function.draw_number(choices, dtype), *self);
  if (number_second || (function.divides && is_integral(dtype))) {
    return completed(op, choices, function, *self, function.draw_number(choices, dtype));
  }
  const auto other = pick_second(context, *self, takes_second(op, function, dtype), writes);
  if (!other) return std::nullopt;
  return completed(op, choices, function, *self, *other);
}

Scalar draw_divisor(Choices& choices, DType dtype) {
  static constexpr std::array<int64_t, 4> integers = {1, 2, 3, 7};
  static constexpr std::array<double, 4> reals = {0.5, -1, -0.75, 2.5};
  if (is_floating(dtype) && choices.chance(50)) return choices.pick(reals);
  const int64_t drawn = choices.pick(integers);
  return dtype != DType::U8 && dtype != DType::Bool && choices.chance(30) ? -drawn : drawn;
}

std::optional<ValueId> pick_of_same_dtype(SampleContext& context, ValueId first, bool keeps_shape) {
  return pick_second(context, first, only(context.meta(first).dtype), keeps_shape);
}

int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrapping_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

Ball scale(const BallMath& math, double alpha, const Ball& x) {
  if (alpha == 1) return x;
  return alpha == -1 ? math.neg(x) : math.mul(math.scalar(alpha), x);
}

}  // namespace parallax
