// Clamp: limits that are tensors, and limits on one side, which may be numbers.
#include <algorithm>
#include <array>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/sample.h"

namespace parallax {
namespace {

constexpr std::array limits = {arg::min, arg::max};

// Eager has no kernel for bool, but for one limit that is a tensor, which it takes as maximum does.
bool takes_bool(const Call& call) {
  const bool one_limit = call.has(arg::min) != call.has(arg::max);
  return one_limit && call.is_tensor(call.has(arg::min) ? arg::min : arg::max);
}

Result<std::vector<ResultMeta>> infer_clamp(const Call& call) {
  const std::string& op = call.op().name;
  std::vector<OperandType> types = {type_of(call, arg::self)};
  for (const arg limit : limits) {
    if (call.has(limit)) types.push_back(type_of(call, limit));
  }
  if (types.size() == 1) return refuse("{}: one of min and max is needed", op);
  const DType dtype = result_type(types);
  if (dtype == DType::Bool && !takes_bool(call)) return refuse("{} does not take bool", op);
  std::vector<Layout> operands = {converted_layout(call.tensor(arg::self), dtype)};
  for (const arg limit : limits) {
    if (!call.has(limit)) continue;
    if (call.is_tensor(limit)) {
      operands.push_back(converted_layout(call.tensor(limit), dtype));
    } else {
      TRY_VOID(check_fits(call, call.scalar(limit), dtype));
    }
  }
  TRY(const Layout layout, pointwise_layout(call, operands));
  return fresh_result(dtype, layout);
}

// min(max(x, low), high), so that a low over the high gives the high.
Result<void> reference_clamp(const ReferenceCall& call) {
  const BallView& output = call.output();
  const auto operand = [&](arg parameter) {
    return call.has(parameter)
               ? std::optional<Operand>(std::in_place, call, parameter, output.layout.sizes, output.dtype)
               : std::nullopt;
  };
  const std::optional<Operand> self = operand(arg::self);
  const std::optional<Operand> low = operand(arg::min);
  const std::optional<Operand> high = operand(arg::max);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      Ball x = self->ball(i);
      if (low) x = math.maximum(x, low->ball(i));
      if (high) x = math.minimum(x, high->ball(i));
      output.ball(elements[i]) = x;
    } else {
      const IntegerBall x = self->integer(i);
      const IntegerBall least = low ? low->integer(i) : x;
      const IntegerBall most = high ? high->integer(i) : IntegerBall{std::max(x.value, least.value), Undecided::No};
      output.integer(elements[i]) = {std::min(std::max(x.value, least.value), most.value),
                                     first_undecided({x, least, most})};
    }
  }
  return {};
}

bool no_bool(DType dtype) { return dtype != DType::Bool; }
bool integral_no_bool(DType dtype) { return is_integral(dtype) && dtype != DType::Bool; }

std::optional<std::vector<Argument>> sample_clamp(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context, no_bool) : pick_number(context);
  if (!self) return std::nullopt;
  const DType dtype = context.meta(*self).dtype;
  std::vector<Argument> arguments = {*self};
  for (std::size_t i = 1; i < op.schema.parameters.size(); ++i) {
    if (op.schema.parameters[i].kind == ArgKind::Scalar) {
      arguments.emplace_back(draw_scalar(context.choices(), dtype));
      continue;
    }
    const auto limit =
        pick_second(context, *self, op.writes() && is_integral(dtype) ? integral_no_bool : no_bool, op.writes());
    if (!limit) return std::nullopt;
    // Limits that broadcast with the tensor may not with each other.
    const bool fits = i < 2 || broadcast_sizes(context.meta(std::get<ValueId>(arguments[1])).layout.sizes,
                                               context.meta(*limit).layout.sizes);
    arguments.emplace_back(fits ? Argument(*limit) : Argument());
  }
  if (arguments.size() == 3 && context.choices().chance(20)) arguments[2] = std::monostate();
  return arguments;
}

OpDef pure_clamp(std::string_view schema) {
  return {.schema = schema, .infer = infer_clamp, .reference = reference_clamp, .sample = sample_clamp};
}

OpDef clamp_twin(std::string_view schema, std::string_view functional) {
  return inplace_twin(schema, functional, sample_clamp);
}

}  // namespace

std::vector<OpDef> clamp_family() {
  return {
      pure_clamp("clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"),
      pure_clamp("clamp_min(Tensor self, Scalar min) -> Tensor"),
      pure_clamp("clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"),
      pure_clamp("clamp_max(Tensor self, Scalar max) -> Tensor"),
      pure_clamp("clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"),

      clamp_twin("clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)",
                 "aten.clamp.Tensor"),
      clamp_twin("clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)", "aten.clamp_min.default"),
      clamp_twin("clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)", "aten.clamp_min.Tensor"),
      clamp_twin("clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)", "aten.clamp_max.default"),
      clamp_twin("clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)", "aten.clamp_max.Tensor"),
  };
}

}  // namespace parallax
