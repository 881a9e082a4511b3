// Unary: one operand, element by element.
#include <algorithm>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// What one function does with a float and, where it has an integer result, with an integer.
struct Function {
  Ball (BallMath::*floating)(const Ball& x) const;
  int64_t (*integral)(int64_t x);  // null: integers and bool are computed as f32
};

// Negation wraps: the lowest integer stays what it is.
int64_t negated(int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); }
int64_t magnitude(int64_t x) { return x < 0 ? negated(x) : x; }
int64_t rectified(int64_t x) { return std::max<int64_t>(x, 0); }

constexpr Function neg = {&BallMath::neg, negated};
constexpr Function abs = {&BallMath::abs, magnitude};
constexpr Function relu = {&BallMath::relu, rectified};
constexpr Function sigmoid = {&BallMath::sigmoid, nullptr};
constexpr Function tanh = {&BallMath::tanh, nullptr};
constexpr Function acos = {&BallMath::acos, nullptr};
constexpr Function acosh = {&BallMath::acosh, nullptr};
constexpr Function sin = {&BallMath::sin, nullptr};
constexpr Function cos = {&BallMath::cos, nullptr};
constexpr Function exp = {&BallMath::exp, nullptr};
constexpr Function sqrt = {&BallMath::sqrt, nullptr};

template <const Function& function>
Result<std::vector<ResultMeta>> infer_unary(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  if (function.integral != nullptr && self.dtype == DType::Bool) return refuse("{} does not take bool", call.op().name);
  const DType dtype = function.integral != nullptr ? self.dtype : floating_type(self.dtype);
  TRY(const Layout layout, pointwise_layout(call, {0}, dtype));
  return fresh_result(dtype, layout);
}

template <const Function& function>
Result<void> reference_unary(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Operand operand(call, 0, output.layout.sizes, output.dtype);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      output.ball(elements[i]) = (math.*function.floating)(operand.ball(i));
    } else {
      const IntegerBall x = operand.integer(i);
      output.integer(elements[i]) = {wrap_to(output.dtype, function.integral(x.value)), x.undecided};
    }
  }
  return {};
}

std::optional<std::vector<Argument>> sample_number(const Op& op, SampleContext& context) {
  const auto self =
      op.writes() ? pick_writable(context, [](DType dtype) { return dtype != DType::Bool; }) : pick_number(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self});
}

std::optional<std::vector<Argument>> sample_floating(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context, is_floating) : pick_floating(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self});
}

Result<std::vector<ResultMeta>> infer_clamp(const Call& call) {
  if (!call.has(1) && !call.has(2)) return refuse("{}: one of min and max is needed", call.op().name);
  const DType dtype = result_type(call, {0, 1, 2});
  if (dtype == DType::Bool) return refuse("{} does not take bool", call.op().name);
  for (int bound : {1, 2}) {
    if (call.has(bound)) TRY_VOID(check_fits(call, call.scalar(bound), dtype));
  }
  TRY(const Layout layout, pointwise_layout(call, {0}, dtype));
  return fresh_result(dtype, layout);
}

// min(max(x, low), high), so that a low over the high gives the high.
Result<void> reference_clamp(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const Operand operand(call, 0, sizes, output.dtype);
  const std::optional<Operand> low =
      call.has(1) ? std::optional<Operand>(std::in_place, call, 1, sizes, output.dtype) : std::nullopt;
  const std::optional<Operand> high =
      call.has(2) ? std::optional<Operand>(std::in_place, call, 2, sizes, output.dtype) : std::nullopt;
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      Ball x = operand.ball(i);
      if (low) x = math.maximum(x, low->ball(i));
      if (high) x = math.minimum(x, high->ball(i));
      output.ball(elements[i]) = x;
    } else {
      IntegerBall x = operand.integer(i);
      if (low) x.value = std::max(x.value, low->integer(i).value);
      if (high) x.value = std::min(x.value, high->integer(i).value);
      output.integer(elements[i]) = x;
    }
  }
  return {};
}

std::optional<std::vector<Argument>> sample_clamp(const Op& op, SampleContext& context) {
  const auto self =
      op.writes() ? pick_writable(context, [](DType dtype) { return dtype != DType::Bool; }) : pick_number(context);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const DType dtype = context.meta(*self).dtype;
  Argument low = draw_scalar(choices, dtype);
  Argument high = draw_scalar(choices, dtype);
  if (choices.chance(20)) {
    (choices.chance(50) ? low : high) = std::monostate();
  }
  return std::vector<Argument>{*self, std::move(low), std::move(high)};
}

template <const Function& function>
OpDef pure(std::string_view schema, SampleFn sample) {
  return {.schema = schema, .infer = infer_unary<function>, .reference = reference_unary<function>, .sample = sample};
}

OpDef twin(std::string_view schema, SampleFn sample, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_inplace,
          .reference = reference_inplace,
          .sample = sample,
          .functional = functional};
}

}  // namespace

std::vector<OpDef> unary_family() {
  return {
      pure<neg>("neg(Tensor self) -> Tensor", sample_number),
      pure<abs>("abs(Tensor self) -> Tensor", sample_number),
      pure<relu>("relu(Tensor self) -> Tensor", sample_number),
      pure<sigmoid>("sigmoid(Tensor self) -> Tensor", sample_floating),
      pure<tanh>("tanh(Tensor self) -> Tensor", sample_floating),
      pure<acos>("acos(Tensor self) -> Tensor", sample_floating),
      pure<acosh>("acosh(Tensor self) -> Tensor", sample_floating),
      pure<sin>("sin(Tensor self) -> Tensor", sample_floating),
      pure<cos>("cos(Tensor self) -> Tensor", sample_floating),
      pure<exp>("exp(Tensor self) -> Tensor", sample_floating),
      pure<sqrt>("sqrt(Tensor self) -> Tensor", sample_floating),
      {.schema = "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
       .infer = infer_clamp,
       .reference = reference_clamp,
       .sample = sample_clamp},

      twin("neg_(Tensor(a!) self) -> Tensor(a!)", sample_number, "aten.neg.default"),
      twin("abs_(Tensor(a!) self) -> Tensor(a!)", sample_number, "aten.abs.default"),
      twin("relu_(Tensor(a!) self) -> Tensor(a!)", sample_number, "aten.relu.default"),
      twin("sigmoid_(Tensor(a!) self) -> Tensor(a!)", sample_floating, "aten.sigmoid.default"),
      twin("sin_(Tensor(a!) self) -> Tensor(a!)", sample_floating, "aten.sin.default"),
      twin("exp_(Tensor(a!) self) -> Tensor(a!)", sample_floating, "aten.exp.default"),
      twin("clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)", sample_clamp,
           "aten.clamp.default"),
  };
}

}  // namespace parallax
