#include "ops/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/cast.h"
#include "ops/fresh_layout.h"

namespace parallax {
namespace {

constexpr std::size_t most_operands = 3;

// Promotion of what is known of two ranks (either may have no operand): the lower one counts only where its category is
// higher.
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || is_floating(*higher)) return higher;
  if (*higher == DType::Bool || is_floating(*lower)) return promote(*higher, *lower);
  return higher;
}

// torch.result_type, operand by operand.
class Promotion {
 public:
  void add(const OperandType& operand) {
    std::optional<DType>& rank = by_rank_[static_cast<std::size_t>(operand.rank)];
    rank = rank ? promote(*rank, operand.dtype) : operand.dtype;
  }

  DType result() const {
    const auto [numbers, zero_dim, tensors] = by_rank_;
    const std::optional<DType> result = combine(tensors, combine(zero_dim, numbers));
    PARALLAX_CHECK(result.has_value());
    return *result;
  }

 private:
  std::array<std::optional<DType>, 3> by_rank_;
};

bool fits_integer(const Scalar& number, const DTypeInfo& limits) {
  if (const auto* real = std::get_if<double>(&number)) {
    // As doubles, i64's limits are -2^63 and 2^63; the latter is out of range already.
    const double highest = static_cast<double>(limits.max_integer);
    return *real >= static_cast<double>(limits.min_integer) && (limits.size == 8 ? *real < highest : *real <= highest);
  }
  const int64_t value = as_integer(number);
  // An unsigned dtype takes the negatives of its values, and wraps them.
  const int64_t lowest = limits.min_integer == 0 ? -limits.max_integer : limits.min_integer;
  return value >= lowest && value <= limits.max_integer;
}

}  // namespace

OperandType type_of(const TensorMeta& meta) {
  return {meta.dtype, meta.layout.rank() == 0 ? OperandType::Rank::ZeroDim : OperandType::Rank::Tensor};
}

OperandType type_of(const Scalar& number) {
  const DType dtype = is_floating(number)                    ? DType::F32
                      : std::holds_alternative<bool>(number) ? DType::Bool
                                                             : DType::I64;
  return {dtype, OperandType::Rank::Number};
}

OperandType type_of(const Call& call, ParameterRef parameter) {
  return call.is_tensor(parameter) ? type_of(call.tensor(parameter)) : type_of(call.scalar(parameter));
}

DType result_type(std::span<const OperandType> operands) {
  Promotion promotion;
  for (const OperandType& operand : operands) promotion.add(operand);
  return promotion.result();
}

DType result_type(const Call& call, std::initializer_list<ParameterRef> parameters) {
  Promotion promotion;
  for (const ParameterRef parameter : parameters) {
    if (call.has(parameter)) promotion.add(type_of(call, parameter));
  }
  return promotion.result();
}

DType floating_type(DType dtype) { return is_floating(dtype) ? dtype : DType::F32; }

Layout converted_layout(const TensorMeta& operand, DType dtype) {
  if (operand.dtype == dtype) return operand.layout;
  return *fresh_layout(operand.layout, MemoryFormat::Preserve);
}

Result<Layout> pointwise_layout(const Call& call, std::span<const Layout> operands) {
  Dims sizes = operands[0].sizes;
  for (const Layout& operand : operands) {
    const std::optional<Dims> wider = broadcast_sizes(sizes, operand.sizes);
    if (!wider)
      return refuse("{}: shapes [{}] and [{}] do not broadcast", call.op().name, to_string(sizes),
                    to_string(operand.sizes));
    sizes = *wider;
  }
  return elementwise_layout(sizes, operands);
}

Result<Layout> pointwise_layout(const Call& call, std::initializer_list<ParameterRef> parameters, DType common) {
  std::array<Layout, most_operands> operands;
  PARALLAX_CHECK(parameters.size() <= operands.size());
  std::size_t count = 0;
  for (const ParameterRef parameter : parameters) {
    // A number takes part as a 0-d tensor does.
    operands[count++] = call.is_tensor(parameter) ? converted_layout(call.tensor(parameter), common) : Layout();
  }
  return pointwise_layout(call, std::span(operands).first(count));
}

std::vector<ResultMeta> fresh_result(DType dtype, const Layout& layout) {
  return {ResultMeta{dtype, layout, ValueId()}};
}

Result<void> check_fits(const Call& call, const Scalar& number, DType dtype) {
  const DTypeInfo& limits = info(dtype);
  const double real = as_double(number);
  // Only an infinity goes over; NaN compares false, and every dtype but an integer takes it.
  const bool fits =
      dtype == DType::Bool ||
      (limits.floating ? std::isinf(real) || !(std::fabs(real) > limits.max_finite) : fits_integer(number, limits));
  if (!fits) return refuse("{}: {} does not fit {}", call.op().name, real, name(dtype));
  return {};
}

int64_t number_as(DType dtype, const Scalar& number) {
  if (dtype == DType::Bool) return as_double(number) != 0;
  return wrap_to(dtype, as_integer(number));
}

Operand::Operand(const ReferenceCall& call, ParameterRef parameter, const Dims& sizes, DType dtype)
    : dtype_(dtype), profile_(call.profile()) {
  if (call.is_tensor(parameter)) {
    view_ = &call.input(parameter);
    elements_ = ViewElements(*broadcast_to(view_->layout, sizes));
  } else if (is_floating(dtype)) {
    number_ = BallMath(dtype, profile_).scalar(as_double(call.scalar(parameter)));
  } else {
    integer_ = number_as(dtype, call.scalar(parameter));
  }
}

Ball Operand::ball(std::size_t index) const {
  if (!view_) return number_;
  if (view_->dtype == dtype_) return view_->ball(elements_[index]);
  return element_as_ball(*view_, elements_[index], dtype_, profile_);
}

IntegerBall Operand::integer(std::size_t index) const {
  return view_ ? element_as_integer(*view_, elements_[index], dtype_) : IntegerBall{integer_, Undecided::No};
}

bool Operand::same_element(const Operand& other, std::size_t index) const {
  return view_ && other.view_ && view_->storage == other.view_->storage && view_->dtype == other.view_->dtype &&
         elements_[index] == other.elements_[index];
}

Undecided first_undecided(std::initializer_list<IntegerBall> integers) {
  for (const IntegerBall& integer : integers) {
    if (integer.undecided != Undecided::No) return integer.undecided;
  }
  return Undecided::No;
}

}  // namespace parallax
