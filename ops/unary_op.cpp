#include "ops/unary_op.h"

#include "ops/element_math.h"
#include "ops/elementwise.h"
#include "ops/fresh_layout.h"
#include "ops/sample.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

bool takes_dtype(Takes takes, DType dtype) {
  switch (takes) {
    case Takes::Numbers:
      return dtype != DType::Bool;
    case Takes::Integers:
      return is_integral(dtype);
    case Takes::Floats:
      return is_floating(dtype);
    case Takes::Anything:
    case Takes::AsFloats:
      return true;
  }
  return false;
}

}  // namespace

Result<std::vector<ResultMeta>> infer_unary(const Call& call, const UnaryFunction& function) {
  const TensorMeta& self = call.tensor(first_operand);
  if (!takes_dtype(function.takes, self.dtype)) {
    return refuse("{} does not take {}", call.op().name, name(self.dtype));
  }
  if (function.check != nullptr) TRY_VOID(function.check(call));
  const DType dtype = function.takes == Takes::AsFloats ? floating_type(self.dtype) : self.dtype;
  if (function.clones_layout) return fresh_result(dtype, *fresh_layout(self.layout, MemoryFormat::Preserve));
  TRY(const Layout layout, pointwise_layout(call, {first_operand}, dtype));
  return fresh_result(dtype, layout);
}

Result<void> reference_unary(const ReferenceCall& call, const UnaryFunction& function) {
  const BallView& output = call.output();
  const Operand operand(call, first_operand, output.layout.sizes, output.dtype);
  const ElementMath in_dtype(output.floating() ? output.dtype : DType::F32, call.profile());
  const ViewElements elements(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      const Ball x = operand.ball(i);
      const auto compute = [&](const BallMath& math) {
        return by_sign(x, [&](const Ball& signed_x) { return function.floating(math, signed_x, call); });
      };
      output.ball(elements[i]) = function.in_own_dtype ? compute(in_dtype.own()) : in_dtype(compute);
    } else {
      const IntegerBall x = operand.integer(i);
      output.integer(elements[i]) = {wrap_to(output.dtype, function.integral(x.value, call)), x.undecided};
    }
  }
  return {};
}

std::optional<ValueId> pick_operand(const Op& op, SampleContext& context, Takes takes) {
  const Takes drawn = takes == Takes::AsFloats ? Takes::Floats : takes;
  const bool writes = op.writes();
  return context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return takes_dtype(drawn, meta.dtype) && (candidate.writable || !writes);
  });
}

template <UnaryFunction::Takes takes>
std::optional<std::vector<Argument>> sample_unary(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, takes);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self});
}

template std::optional<std::vector<Argument>> sample_unary<Takes::Anything>(const Op&, SampleContext&);
template std::optional<std::vector<Argument>> sample_unary<Takes::Numbers>(const Op&, SampleContext&);
template std::optional<std::vector<Argument>> sample_unary<Takes::Integers>(const Op&, SampleContext&);
template std::optional<std::vector<Argument>> sample_unary<Takes::Floats>(const Op&, SampleContext&);
template std::optional<std::vector<Argument>> sample_unary<Takes::AsFloats>(const Op&, SampleContext&);

}  // namespace parallax
