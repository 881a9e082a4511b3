// Comparison: element by element into bool; and where, which chooses by one.
#include <array>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/sample.h"

namespace parallax {
namespace {

struct Relation {
  IntegerBall (*floating)(const Ball& a, const Ball& b);
  bool (*integral)(int64_t a, int64_t b);
  IntegerBall (*same)(const Ball& x);  // where both operands are one number
};

IntegerBall never(const Ball&) { return {0, Undecided::No}; }

constexpr Relation lt = {less, [](int64_t a, int64_t b) { return a < b; }, never};
constexpr Relation gt = {[](const Ball& a, const Ball& b) { return less(b, a); },
                         [](int64_t a, int64_t b) { return a > b; }, never};
constexpr Relation le = {less_equal, [](int64_t a, int64_t b) { return a <= b; }, equal_same};
constexpr Relation ge = {[](const Ball& a, const Ball& b) { return less_equal(b, a); },
                         [](int64_t a, int64_t b) { return a >= b; }, equal_same};
constexpr Relation eq = {equal, [](int64_t a, int64_t b) { return a == b; }, equal_same};

Result<std::vector<ResultMeta>> infer_comparison(const Call& call) {
  TRY(const Layout layout, pointwise_layout(call, {0, 1}, result_type(call, {0, 1})));
  return fresh_result(DType::Bool, layout);
}

template <const Relation& relation>
Result<void> reference_comparison(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType common = result_type(call, {0, 1});
  const Operand a(call, 0, output.layout.sizes, common);
  const Operand b(call, 1, output.layout.sizes, common);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    IntegerBall& result = output.integer(elements[i]);
    if (is_floating(common)) {
      result = a.same_element(b, i) ? relation.same(a.ball(i)) : relation.floating(a.ball(i), b.ball(i));
    } else {
      const IntegerBall x = a.integer(i);
      const IntegerBall y = b.integer(i);
      result = {relation.integral(x.value, y.value), first_undecided({x, y})};
    }
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_logical_not(const Call& call) {
  TRY(const Layout layout, pointwise_layout(call, {0}, call.tensor(0).dtype));
  return fresh_result(DType::Bool, layout);
}

Result<void> reference_logical_not(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Operand operand(call, 0, output.layout.sizes, DType::Bool);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall x = operand.integer(i);
    output.integer(elements[i]) = {!x.value, x.undecided};
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_where(const Call& call) {
  const TensorMeta& condition = call.tensor(0);
  if (condition.dtype != DType::Bool && condition.dtype != DType::U8) {
    return refuse("{}: the condition is {}, not bool", call.op().name, name(condition.dtype));
  }
  const DType dtype = result_type(call, {1, 2});
  // Eager converts what has another dtype before it starts the iterator.
  const std::array operands = {converted_layout(condition, DType::Bool), converted_layout(call.tensor(1), dtype),
                               converted_layout(call.tensor(2), dtype)};
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
  const Operand condition(call, 0, sizes, DType::Bool);
  const Operand a(call, 1, sizes, output.dtype);
  const Operand b(call, 2, sizes, output.dtype);
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
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  if (op.schema.overload == "Tensor") return with_defaults(op, {*self, pick_second(context, *self)});
  return with_defaults(op, {*self, draw_scalar(context.choices(), context.meta(*self).dtype)});
}

std::optional<std::vector<Argument>> sample_logical_not(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self});
}

std::optional<std::vector<Argument>> sample_where(const Op&, SampleContext& context) {
  const auto condition =
      context.pick([](const Candidate&, const TensorMeta& meta) { return meta.dtype == DType::Bool; });
  if (!condition) return std::nullopt;
  const auto any = [](DType) { return true; };
  // Both fit the condition without widening it, so they fit each other.
  const auto a = pick_second(context, *condition, any, true);
  const auto b = pick_second(context, *condition, any, true);
  if (!a || !b) return std::nullopt;
  return std::vector<Argument>{*condition, *a, *b};
}

template <const Relation& relation>
OpDef define(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_comparison,
          .reference = reference_comparison<relation>,
          .sample = sample_comparison};
}

}  // namespace

std::vector<OpDef> comparison_family() {
  return {
      define<lt>("lt.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<lt>("lt.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<gt>("gt.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<gt>("gt.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<eq>("eq.Tensor(Tensor self, Tensor other) -> Tensor"),
      define<eq>("eq.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<ge>("ge.Scalar(Tensor self, Scalar other) -> Tensor"),
      define<le>("le.Scalar(Tensor self, Scalar other) -> Tensor"),
      {.schema = "logical_not(Tensor self) -> Tensor",
       .infer = infer_logical_not,
       .reference = reference_logical_not,
       .sample = sample_logical_not},
      {.schema = "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
       .infer = infer_where,
       .reference = reference_where,
       .sample = sample_where},
  };
}

}  // namespace parallax
