// Binary: two operands, element by element, in their common dtype; and addcmul, which is two of them.
#include <algorithm>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// Two's complement arithmetic, defined where int64_t's own is not.
int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrapping_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t larger(int64_t a, int64_t b) { return std::max(a, b); }
int64_t smaller(int64_t a, int64_t b) { return std::min(a, b); }

// One arithmetic operation. `same` tells that both operands are one number.
struct Operation {
  Ball (*floating)(const BallMath& math, const Ball& a, const Ball& b, bool same);
  int64_t (*integral)(int64_t a, int64_t b);  // null: integers and bool are computed as f32
  bool scaled = false;                        // the second operand is multiplied by parameter 2, alpha
  bool takes_bool = true;
};

constexpr Operation add = {[](const BallMath& math, const Ball& a, const Ball& b, bool) { return math.add(a, b); },
                           wrapping_add, true};
constexpr Operation sub = {[](const BallMath& math, const Ball& a, const Ball& b, bool same) {
                             return same ? math.sub_same(a) : math.sub(a, b);
                           },
                           wrapping_sub, true, false};
constexpr Operation mul = {[](const BallMath& math, const Ball& a, const Ball& b, bool same) {
                             return same ? math.mul_same(a) : math.mul(a, b);
                           },
                           wrapping_mul};
constexpr Operation div = {[](const BallMath& math, const Ball& a, const Ball& b, bool same) {
                             return same ? math.div_same(a) : math.div(a, b);
                           },
                           nullptr};
constexpr Operation maximum = {
    [](const BallMath& math, const Ball& a, const Ball& b, bool same) { return same ? a : math.maximum(a, b); },
    larger};
constexpr Operation minimum = {
    [](const BallMath& math, const Ball& a, const Ball& b, bool same) { return same ? a : math.minimum(a, b); },
    smaller};

// How eager checks alpha against the dtype that the sum is computed in.
Result<void> check_alpha(const Call& call, DType dtype) {
  const Scalar alpha = call.scalar(2);
  if (std::holds_alternative<bool>(alpha) && dtype != DType::Bool)
    return refuse("{}: a bool alpha needs a bool result", call.op().name);
  if (is_floating(alpha) && is_integral(dtype))
    return refuse("{}: a real alpha needs a floating result", call.op().name);
  return check_fits(call, alpha, dtype);
}

template <const Operation& operation>
Result<std::vector<ResultMeta>> infer_binary(const Call& call) {
  const DType common = result_type(call, {0, 1});
  if (!operation.takes_bool && (type_of(call, 0).dtype == DType::Bool || type_of(call, 1).dtype == DType::Bool)) {
    return refuse("{} does not take bool", call.op().name);
  }
  if (operation.scaled) TRY_VOID(check_alpha(call, common));
  const DType dtype = operation.integral != nullptr ? common : floating_type(common);
  TRY(const Layout layout, pointwise_layout(call, {0, 1}, dtype));
  return fresh_result(dtype, layout);
}

// alpha times x; by 1 and -1 nothing rounds.
Ball scale(const BallMath& math, double alpha, const Ball& x) {
  if (alpha == 1) return x;
  return alpha == -1 ? math.neg(x) : math.mul(math.scalar(alpha), x);
}

template <const Operation& operation>
void compute_floating(const ReferenceCall& call, const Operand& a, const Operand& b,
                      const std::vector<int64_t>& elements) {
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const double alpha = operation.scaled ? call.real(2) : 1;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool same = alpha == 1 && a.same_element(b, i);
    output.ball(elements[i]) = operation.floating(math, a.ball(i), scale(math, alpha, b.ball(i)), same);
  }
}

template <const Operation& operation>
void compute_integral(const ReferenceCall& call, const Operand& a, const Operand& b,
                      const std::vector<int64_t>& elements) {
  const BallView& output = call.output();
  const int64_t alpha = operation.scaled ? number_as(output.dtype, call.scalar(2)) : 1;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall x = a.integer(i);
    const IntegerBall y = b.integer(i);
    const int64_t value = operation.integral(x.value, wrapping_mul(alpha, y.value));
    output.integer(elements[i]) = {wrap_to(output.dtype, value), first_undecided({x, y})};
  }
}

template <const Operation& operation>
Result<void> reference_binary(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Operand a(call, 0, output.layout.sizes, output.dtype);
  const Operand b(call, 1, output.layout.sizes, output.dtype);
  const std::vector<int64_t> elements = elements_of(output.layout);
  if (output.floating()) {
    compute_floating<operation>(call, a, b, elements);
  } else if constexpr (operation.integral != nullptr) {
    compute_integral<operation>(call, a, b, elements);
  }
  return {};
}

// self + value * tensor1 * tensor2.
Result<std::vector<ResultMeta>> infer_addcmul(const Call& call) {
  const DType common = result_type(call, {0, 1, 2});
  if (common == DType::Bool) return refuse("{} does not take bool", call.op().name);
  // Halves are computed as floats, and so is their factor.
  TRY_VOID(check_fits(call, call.scalar(3), size_of(common) == 2 && is_floating(common) ? DType::F32 : common));
  TRY(const Layout layout, pointwise_layout(call, {0, 1, 2}, common));
  return fresh_result(common, layout);
}

// The products may be associated either way.
Ball scaled_product(const BallMath& math, double value, const Ball& a, const Ball& b, bool same) {
  const Ball product = same ? math.mul_same(a) : math.mul(a, b);
  if (value == 1 || value == -1) return scale(math, value, product);
  return hull(scale(math, value, product), math.mul(scale(math, value, a), b));
}

Result<void> reference_addcmul(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const Operand self(call, 0, sizes, output.dtype);
  const Operand a(call, 1, sizes, output.dtype);
  const Operand b(call, 2, sizes, output.dtype);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      const Ball product = scaled_product(math, call.real(3), a.ball(i), b.ball(i), a.same_element(b, i));
      output.ball(elements[i]) = math.add(self.ball(i), product);
    } else {
      const IntegerBall x = a.integer(i);
      const IntegerBall y = b.integer(i);
      const IntegerBall z = self.integer(i);
      const int64_t product = wrapping_mul(wrapping_mul(number_as(output.dtype, call.scalar(3)), x.value), y.value);
      output.integer(elements[i]) = {wrap_to(output.dtype, wrapping_add(z.value, product)), first_undecided({x, y, z})};
    }
  }
  return {};
}

bool any_dtype(DType) { return true; }
bool no_bool(DType dtype) { return dtype != DType::Bool; }
bool integral(DType dtype) { return is_integral(dtype); }

// What a second operand's dtype may be so that the result can be written into `written`.
bool (*operand_of(const Op& op, DType written, bool takes_bool))(DType) {
  if (op.writes() && is_integral(written)) {
    return takes_bool ? integral : [](DType dtype) { return is_integral(dtype) && dtype != DType::Bool; };
  }
  return takes_bool ? any_dtype : no_bool;
}

template <const Operation& operation>
std::optional<std::vector<Argument>> sample_binary(const Op& op, SampleContext& context) {
  constexpr auto accepts = operation.takes_bool ? any_dtype : no_bool;
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    // Nothing but bool may be written into bool: leave it to the ops that are made for it.
    return accepts(meta.dtype) && (!op.writes() || (candidate.writable && meta.dtype != DType::Bool));
  });
  if (!self) return std::nullopt;
  const DType dtype = context.meta(*self).dtype;
  Argument second;
  if (op.schema.overload == "Scalar") {
    second = draw_scalar(context.choices(), dtype);
  } else {
    const auto other = pick_second(context, *self, operand_of(op, dtype, operation.takes_bool), op.writes());
    if (!other) return std::nullopt;
    second = *other;
  }
  std::vector<Argument> arguments = with_defaults(op, {*self, std::move(second)});
  // An alpha that every dtype takes.
  if (operation.scaled && context.choices().chance(10)) arguments[2] = Scalar(int64_t{2});
  return arguments;
}

std::optional<std::vector<Argument>> sample_addcmul(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context, no_bool) : pick_number(context);
  if (!self) return std::nullopt;
  const auto accepts = operand_of(op, context.meta(*self).dtype, false);
  const auto first = pick_second(context, *self, accepts, true);
  const auto second = pick_second(context, *self, accepts, true);
  if (!first || !second) return std::nullopt;
  std::vector<Argument> arguments = with_defaults(op, {*self, *first, *second});
  if (context.choices().chance(25)) arguments[3] = Scalar(int64_t{2});
  return arguments;
}

template <const Operation& operation>
OpDef pure(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_binary<operation>,
          .reference = reference_binary<operation>,
          .sample = sample_binary<operation>,
          .takes_numbers = true};
}

template <const Operation& operation>
OpDef twin(std::string_view schema, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_inplace,
          .reference = reference_inplace,
          .sample = sample_binary<operation>,
          .functional = functional,
          .takes_numbers = true};
}

}  // namespace

std::vector<OpDef> binary_family() {
  return {
      pure<add>("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),
      pure<add>("add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"),
      pure<sub>("sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),
      pure<sub>("sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"),
      pure<mul>("mul.Tensor(Tensor self, Tensor other) -> Tensor"),
      pure<mul>("mul.Scalar(Tensor self, Scalar other) -> Tensor"),
      pure<div>("div.Tensor(Tensor self, Tensor other) -> Tensor"),
      pure<maximum>("maximum(Tensor self, Tensor other) -> Tensor"),
      pure<minimum>("minimum(Tensor self, Tensor other) -> Tensor"),

      twin<add>("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", "aten.add.Tensor"),
      twin<add>("add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", "aten.add.Scalar"),
      twin<sub>("sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", "aten.sub.Tensor"),
      twin<sub>("sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", "aten.sub.Scalar"),
      twin<mul>("mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.mul.Tensor"),
      twin<mul>("mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.mul.Scalar"),

      {.schema = "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
       .infer = infer_addcmul,
       .reference = reference_addcmul,
       .sample = sample_addcmul},
      {.schema = "addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
       .infer = infer_inplace,
       .reference = reference_inplace,
       .sample = sample_addcmul,
       .functional = "aten.addcmul.default"},
  };
}

}  // namespace parallax
