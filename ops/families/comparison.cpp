// Comparison: element by element into bool; and where, which chooses by one.
#include <cmath>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/number.h"
#include "ops/sample.h"

namespace parallax {
namespace {

struct Relation {
  IntegerBall (*floating)(const Ball& a, const Ball& b);
  bool (*integral)(int64_t a, int64_t b);
  IntegerBall (*same)(const Ball& x);  // where both operands are one number
};

// A target that does not keep NaN may take it for any number.
bool may_be_nan(const Ball& x) { return x.may_nan || std::isnan(x.mid); }

IntegerBall never(const Ball&) { return {0, Undecided::No}; }

constexpr Relation lt = {less, [](int64_t a, int64_t b) { return a < b; }, never};
constexpr Relation gt = {[](const Ball& a, const Ball& b) { return less(b, a); },
                         [](int64_t a, int64_t b) { return a > b; }, never};
constexpr Relation le = {less_equal, [](int64_t a, int64_t b) { return a <= b; }, equal_same};
constexpr Relation ge = {[](const Ball& a, const Ball& b) { return less_equal(b, a); },
                         [](int64_t a, int64_t b) { return a >= b; }, equal_same};
// The truth the other way round, as far as it is decided.
IntegerBall negated(IntegerBall truth) {
  if (truth.undecided == Undecided::No) truth.value = !truth.value;
  return truth;
}

constexpr Relation ne = {[](const Ball& a, const Ball& b) { return negated(equal(a, b)); },
                         [](int64_t a, int64_t b) { return a != b; },
                         [](const Ball& x) { return negated(equal_same(x)); }};
constexpr Relation eq = {equal, [](int64_t a, int64_t b) { return a == b; }, equal_same};

Result<std::vector<ResultMeta>> infer_comparison(const Call& call) {
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::other}, result_type(call, {arg::self, arg::other})));
  return fresh_result(DType::Bool, layout);
}

template <const Relation& relation>
Result<void> reference_comparison(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType common = result_type(call, {arg::self, arg::other});
  const Operand a(call, arg::self, output.layout.sizes, common);
  const Operand b(call, arg::other, output.layout.sizes, common);
  const bool loses_nan = call.allows(Form::LostNan);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    IntegerBall& result = output.integer(elements[i]);
    if (is_floating(common)) {
      const Ball x = a.ball(i);
      const Ball y = b.ball(i);
      result = a.same_element(b, i) ? relation.same(x) : relation.floating(x, y);
      if (loses_nan && (may_be_nan(x) || may_be_nan(y))) result = {0, Undecided::InexactCompare};
    } else {
      const IntegerBall x = a.integer(i);
      const IntegerBall y = b.integer(i);
      result = {relation.integral(x.value, y.value), first_undecided({x, y})};
    }
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_logical_not(const Call& call) {
  TRY(const Layout layout, pointwise_layout(call, {arg::self}, call.tensor(arg::self).dtype));
  return fresh_result(DType::Bool, layout);
}

Result<void> reference_logical_not(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType dtype = call.tensor(arg::self).dtype;
  const Operand operand(call, arg::self, output.layout.sizes, DType::Bool);
  const Operand number(call, arg::self, output.layout.sizes, dtype);
  const bool loses_nan = is_floating(dtype) && call.allows(Form::LostNan);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall x = operand.integer(i);
    output.integer(elements[i]) = {!x.value, x.undecided};
    if (loses_nan && may_be_nan(number.ball(i))) output.integer(elements[i]) = {0, Undecided::InexactToInteger};
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_where(const Call& call) {
  const TensorMeta& condition = call.tensor(arg::condition);
  if (condition.dtype != DType::Bool && condition.dtype != DType::U8) {
    return refuse("{}: the condition is {}, not bool", call.op().name, name(condition.dtype));
  }
  const DType dtype = result_type(call, {arg::self, arg::other});
  // Eager converts what has another dtype before it starts the iterator; a number becomes a 0-d tensor.
  std::vector<Layout> operands = {converted_layout(condition, DType::Bool)};
  for (const arg choice : {arg::self, arg::other}) {
    if (call.is_tensor(choice)) {
      operands.push_back(converted_layout(call.tensor(choice), dtype));
    } else {
      TRY_VOID(check_fits(call, call.scalar(choice), opmath_type(dtype)));
      operands.emplace_back();
    }
  }
  TRY(const Layout layout, pointwise_layout(call, operands));
  return fresh_result(dtype, layout);
}

// Where the condition is undecided, both: a ball around them, or the integer that they agree on.
IntegerBall either(const IntegerBall& a, const IntegerBall& b, Undecided reason) {
  const Undecided undecided = first_undecided({a, b});
  if (undecided != Undecided::No) return {0, undecided};
  return a.value == b.value ? a : IntegerBall{0, reason};
}

Result<void> reference_where(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const Operand condition(call, arg::condition, sizes, DType::Bool);
  const Operand a(call, arg::self, sizes, output.dtype);
  const Operand b(call, arg::other, sizes, output.dtype);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall chooser = condition.integer(i);
    const bool open = chooser.undecided != Undecided::No;
    if (output.floating()) {
      output.ball(elements[i]) = open ? hull(a.ball(i), b.ball(i)) : chooser.value ? a.ball(i) : b.ball(i);
    } else {
      const IntegerBall x = a.integer(i);
      const IntegerBall y = b.integer(i);
      output.integer(elements[i]) = open ? either(x, y, chooser.undecided) : chooser.value ? x : y;
    }
  }
  return {};
}

std::optional<std::vector<Argument>> sample_comparison(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context) : pick_tensor(context);
  if (!self) return std::nullopt;
  if (takes_scalar(op, arg::other)) {
    return std::vector<Argument>{*self, draw_scalar(context.choices(), context.meta(*self).dtype)};
  }
  const auto other = pick_second(context, *self, [](DType) { return true; }, op.writes());
  if (!other) return std::nullopt;
  return std::vector<Argument>{*self, *other};
}

std::optional<std::vector<Argument>> sample_logical_not(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self});
}

std::optional<std::vector<Argument>> sample_where(const Op& op, SampleContext& context) {
  const auto condition =
      context.pick([](const Candidate&, const TensorMeta& meta) { return meta.dtype == DType::Bool; });
  if (!condition) return std::nullopt;
  std::vector<Argument> arguments = {*condition};
  // A number has to fit the dtype of the tensor that it stands beside.
  const auto any = [](DType) { return true; };
  DType dtype = draw_dtype(context.choices());
  for (const arg choice : {arg::self, arg::other}) {
    if (takes_scalar(op, choice)) {
      arguments.emplace_back();
      continue;
    }
    // Both fit the condition without widening it, so they fit each other.
    const auto operand = pick_second(context, *condition, any, true);
    if (!operand) return std::nullopt;
    dtype = context.meta(*operand).dtype;
    arguments.emplace_back(*operand);
  }
  for (Argument& argument : arguments) {
    if (is_none(argument)) argument = draw_scalar(context.choices(), dtype);
  }
  return arguments;
}

OpDef define_where(std::string_view schema) {
  return {.schema = schema, .infer = infer_where, .reference = reference_where, .sample = sample_where};
}

template <const Relation& relation>
OpDef define(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_comparison,
          .reference = reference_comparison<relation>,
          .sample = sample_comparison};
}

OpDef comparison_twin(std::string_view schema, std::string_view functional) {
  return inplace_twin(schema, functional, sample_comparison);
}

}  // namespace

std::vector<OpDef> comparison_family() {
  return {
      define<lt>("lt.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<lt>("lt.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<gt>("gt.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<gt>("gt.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<le>("le.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<le>("le.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<ge>("ge.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<ge>("ge.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<eq>("eq.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<eq>("eq.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<ne>("ne.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<ne>("ne.Scalar(Tensor self, Scalar other) -> Tensor"),

      comparison_twin("lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.lt.Tensor"),
      comparison_twin("lt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.lt.Scalar"),
      comparison_twin("gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.gt.Tensor"),
      comparison_twin("gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.gt.Scalar"),
      comparison_twin("le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.le.Tensor"),
      comparison_twin("le_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.le.Scalar"),
      comparison_twin("ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.ge.Tensor"),
      comparison_twin("ge_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.ge.Scalar"),
      comparison_twin("eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.eq.Tensor"),
      comparison_twin("eq_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.eq.Scalar"),
      comparison_twin("ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.ne.Tensor"),
      comparison_twin("ne_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.ne.Scalar"),

      {.schema = "logical_not(Tensor self) -> Tensor",
       .infer = infer_logical_not,
       .reference = reference_logical_not,
       .sample = sample_logical_not},
      define_where("where.self(Tensor condition, Tensor self, Tensor other) -> Tensor"),
      define_where("where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor"),
      define_where("where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor"),
      define_where("where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor"),
  };
}

}  // namespace parallax
