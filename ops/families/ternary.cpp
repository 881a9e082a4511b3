// Ternary: three operands, element by element: addcmul, addcdiv and lerp.
#include <algorithm>
#include <cmath>

#include "ops/ball_pairs.h"
#include "ops/binary_op.h"
#include "ops/element_math.h"
#include "ops/families.h"
#include "ops/number.h"

namespace parallax {
namespace {

// The three operands of one element.
struct BallTriple {
  Ball a;
  Ball b;
  Ball c;
  bool same_bc = false;
};

// Calls `compute(math, triple)` for each element of a floating result, of self and two further operands.
template <class Compute>
void for_each_triple(const ReferenceCall& call, arg second, arg third, Compute&& compute) {
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const Operand a(call, arg::self, sizes, output.dtype);
  const Operand b(call, second, sizes, output.dtype);
  const Operand c(call, third, sizes, output.dtype);
  const ElementMath in_dtype(output.dtype, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const BallTriple triple{a.ball(i), b.ball(i), c.ball(i), b.same_element(c, i)};
    output.ball(elements[i]) = in_dtype([&](const BallMath& math) { return compute(math, triple); });
  }
}

// addcmul: self + value * tensor1 * tensor2.

Result<std::vector<ResultMeta>> infer_addcmul(const Call& call) {
  const DType common = result_type(call, {arg::self, arg::tensor1, arg::tensor2});
  if (common == DType::Bool) return refuse("{} does not take bool", call.op().name);
  TRY_VOID(check_fits(call, call.scalar(arg::value), opmath_type(common)));
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::tensor1, arg::tensor2}, common));
  return fresh_result(common, layout);
}

// The products may be associated either way.
Ball scaled_product(const BallMath& math, double value, const BallTriple& triple) {
  const Ball product = triple.same_bc ? math.mul_same(triple.b) : math.mul(triple.b, triple.c);
  if (value == 1 || value == -1) return scale(math, value, product);
  return hull(scale(math, value, product), math.mul(scale(math, value, triple.b), triple.c));
}

void add_integer_products(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const Operand self(call, arg::self, sizes, output.dtype);
  const Operand a(call, arg::tensor1, sizes, output.dtype);
  const Operand b(call, arg::tensor2, sizes, output.dtype);
  const int64_t value = number_as(output.dtype, call.scalar(arg::value));
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall x = a.integer(i);
    const IntegerBall y = b.integer(i);
    const IntegerBall z = self.integer(i);
    const int64_t sum = wrapping_add(z.value, wrapping_mul(wrapping_mul(value, x.value), y.value));
    output.integer(elements[i]) = {wrap_to(output.dtype, sum), first_undecided({x, y, z})};
  }
}

Result<void> reference_addcmul(const ReferenceCall& call) {
  if (!call.output().floating()) {
    add_integer_products(call);
    return {};
  }
  for_each_triple(call, arg::tensor1, arg::tensor2, [&](const BallMath& math, const BallTriple& triple) {
    return math.add(triple.a, scaled_product(math, call.real(arg::value), triple));
  });
  return {};
}

// addcdiv: self + value * tensor1 / tensor2.

Result<std::vector<ResultMeta>> infer_addcdiv(const Call& call) {
  if (is_integral(call.tensor(arg::tensor1).dtype) && is_integral(call.tensor(arg::tensor2).dtype)) {
    return refuse("{} does not divide integers", call.op().name);
  }
  const DType common = result_type(call, {arg::self, arg::tensor1, arg::tensor2});
  TRY_VOID(check_fits(call, call.scalar(arg::value), opmath_type(common)));
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::tensor1, arg::tensor2}, common));
  return fresh_result(common, layout);
}

// value * b / c, which may be associated either way.
Ball scaled_quotient(const BallMath& math, double value, const BallTriple& triple, bool zero_is_positive) {
  const auto over_c = [&](const Ball& x) { return ball_div(math, x, triple.c, zero_is_positive); };
  const Ball quotient = triple.same_bc ? math.div_same(triple.b) : over_c(triple.b);
  if (value == 1 || value == -1) return scale(math, value, quotient);
  return hull(scale(math, value, quotient), over_c(scale(math, value, triple.b)));
}

Result<void> reference_addcdiv(const ReferenceCall& call) {
  for_each_triple(call, arg::tensor1, arg::tensor2, [&](const BallMath& math, const BallTriple& triple) {
    return math.add(triple.a,
                    scaled_quotient(math, call.real(arg::value), triple, is_integral(call.tensor(arg::tensor2).dtype)));
  });
  return {};
}

// lerp: start + weight * (end - start). Eager computes end - (end - start) * (1 - weight) for weights from 0.5 on.

Result<std::vector<ResultMeta>> infer_lerp(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  const std::string& op = call.op().name;
  if (is_integral(dtype)) return refuse("{} does not take {}", op, name(dtype));
  if (call.tensor(arg::end).dtype != dtype)
    return refuse("{}: the end is {}, not {}", op, name(call.tensor(arg::end).dtype), name(dtype));
  if (!call.is_tensor(arg::weight)) {
    TRY_VOID(check_fits(call, call.scalar(arg::weight), opmath_type(dtype)));
    TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::end}, dtype));
    return fresh_result(dtype, layout);
  }
  const TensorMeta& weight = call.tensor(arg::weight);
  if (weight.dtype != dtype && weight.layout.rank() > 0) {
    return refuse("{}: the weight is {}, not {}", op, name(weight.dtype), name(dtype));
  }
  const DType common = result_type(call, {arg::self, arg::end, arg::weight});
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::end, arg::weight}, common));
  return fresh_result(common, layout);
}

bool plain(const Ball& x) { return x.decided() && std::isfinite(x.mid) && !x.may_nan && !x.may_inf; }

// Both forms at once for finite operands. Interval arithmetic would count start and end twice.
Ball finite_lerp(const BallMath& math, const Ball& start, const Ball& end, const Ball& weight) {
  const double distance = end.mid - start.mid;
  const double moved = weight.mid * distance;
  const double rest = 1 - weight.mid;
  const double inherited = std::fabs(rest) * start.radius + std::fabs(weight.mid) * end.radius +
                           weight.radius * (std::fabs(distance) + start.radius + end.radius);
  const double far = std::fabs(distance) + start.radius + end.radius;
  const double near = std::max(std::fabs(weight.mid), std::fabs(rest)) + weight.radius;
  // The roundings of end - start and 1 - weight, times their factors, and of the product; each may be kept wider.
  const double steps = math.rounding(far) * near + math.rounding(near) * far + math.rounding(near * far);
  // The centre is computed in double.
  const double lost = 0x1p-51 * (std::fabs(start.mid) + std::fabs(end.mid)) * (1 + near);
  // From the nearer side, as eager does: at a weight of 1 it is the end, which a large start would hide.
  const double centre = std::fabs(weight.mid) < 0.5 ? start.mid + moved : end.mid - rest * distance;
  Ball result = math.rounded(centre, inherited + steps + lost, false);
  // The distance may overflow where the result does not.
  const double largest = info(math.dtype()).max_finite;
  if (far >= largest || near * far >= largest || reach(start) >= largest) {
    result.may_inf = true;
    result.may_nan = true;
  }
  return result;
}

Ball lerp(const BallMath& math, const BallTriple& triple) {
  const auto& [start, end, weight, same] = triple;
  const Ball distance = math.sub(end, start);
  const Ball forward = math.add(start, math.mul(weight, distance));
  const Ball backward = math.sub(end, math.mul(distance, math.sub(Ball::exact(1), weight)));
  const bool exact = forward.is_exact() && backward.is_exact();
  if (exact || !plain(start) || !plain(end) || !plain(weight)) return hull(forward, backward);
  return finite_lerp(math, start, end, weight);
}

Result<void> reference_lerp(const ReferenceCall& call) {
  for_each_triple(call, arg::end, arg::weight, lerp);
  return {};
}

bool no_bool(DType dtype) { return dtype != DType::Bool; }

// Three tensors of one dtype that broadcast to the first, and a value now and then.
std::optional<std::vector<Argument>> sample_triple(const Op& op, SampleContext& context, bool (*accepts)(DType)) {
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return accepts(meta.dtype) && (!op.writes() || candidate.writable);
  });
  if (!self) return std::nullopt;
  const auto first = pick_of_same_dtype(context, *self, true);
  const auto second = pick_of_same_dtype(context, *self, true);
  if (!first || !second) return std::nullopt;
  if (op.schema.index_of(arg::weight) >= 0 && takes_scalar(op, arg::weight)) {
    return std::vector<Argument>{*self, *first, draw_scalar(context.choices(), context.meta(*self).dtype)};
  }
  std::vector<Argument> arguments = with_defaults(op, {*self, *first, *second});
  if (op.schema.index_of(arg::value) < 0 || !context.choices().chance(25)) return arguments;
  return with_argument(op, std::move(arguments), arg::value, Scalar(int64_t{2}));
}

std::optional<std::vector<Argument>> sample_number(const Op& op, SampleContext& context) {
  return sample_triple(op, context, no_bool);
}

std::optional<std::vector<Argument>> sample_floating(const Op& op, SampleContext& context) {
  return sample_triple(op, context, is_floating);
}

}  // namespace

std::vector<OpDef> ternary_family() {
  return {
      {.schema = "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
       .infer = infer_addcmul,
       .reference = reference_addcmul,
       .sample = sample_number},
      {.schema = "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
       .infer = infer_addcdiv,
       .reference = reference_addcdiv,
       .sample = sample_floating},
      {.schema = "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
       .infer = infer_lerp,
       .reference = reference_lerp,
       .sample = sample_floating},
      {.schema = "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
       .infer = infer_lerp,
       .reference = reference_lerp,
       .sample = sample_floating},

      inplace_twin("addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
                   "aten.addcmul.default", sample_number),
      inplace_twin("addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
                   "aten.addcdiv.default", sample_floating),
      inplace_twin("lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)", "aten.lerp.Scalar",
                   sample_floating),
      inplace_twin("lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)", "aten.lerp.Tensor",
                   sample_floating),
  };
}

}  // namespace parallax
