#include "ops/sample.h"

#include <array>
#include <numeric>
#include <utility>

namespace parallax {

std::vector<Argument> with_defaults(const Op& op, std::vector<Argument> given) {
  for (std::size_t i = given.size(); i < op.schema.parameters.size(); ++i) {
    PARALLAX_CHECK(op.schema.parameters[i].default_value.has_value());
    given.push_back(*op.schema.parameters[i].default_value);
  }
  return given;
}

std::vector<Argument> with_argument(const Op& op, std::vector<Argument> arguments, ParameterRef parameter,
                                    Argument argument) {
  const int index = op.schema.index_of(parameter);
  PARALLAX_CHECK(index >= 0);
  arguments[static_cast<std::size_t>(index)] = std::move(argument);
  return arguments;
}

bool takes_scalar(const Op& op, ParameterRef parameter) {
  return op.schema.parameters[static_cast<std::size_t>(op.schema.index_of(parameter))].kind == ArgKind::Scalar;
}

std::optional<ValueId> pick_tensor(SampleContext& context) {
  return context.pick([](const Candidate&, const TensorMeta&) { return true; });
}

std::optional<ValueId> pick_floating(SampleContext& context) {
  return context.pick([](const Candidate&, const TensorMeta& meta) { return is_floating(meta.dtype); });
}

std::optional<ValueId> pick_number(SampleContext& context) {
  return context.pick([](const Candidate&, const TensorMeta& meta) { return meta.dtype != DType::Bool; });
}

std::optional<ValueId> pick_writable(SampleContext& context, bool (*accepts)(DType dtype)) {
  return context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return candidate.writable && (accepts == nullptr || accepts(meta.dtype));
  });
}

std::optional<ValueId> pick_second(SampleContext& context, ValueId first, bool (*accepts)(DType dtype),
                                   bool keeps_shape) {
  const TensorMeta& meta = context.meta(first);
  if (accepts(meta.dtype) && context.choices().chance(25)) return first;
  const auto same_shape = [&](const Candidate&, const TensorMeta& other) {
    return accepts(other.dtype) && other.layout.sizes == meta.layout.sizes;
  };
  const auto fits = [&](const Candidate&, const TensorMeta& other) {
    const std::optional<Dims> sizes = broadcast_sizes(meta.layout.sizes, other.layout.sizes);
    return accepts(other.dtype) && sizes && (!keeps_shape || *sizes == meta.layout.sizes);
  };
  if (context.choices().chance(25)) return context.pick(fits);
  const std::optional<ValueId> same = context.pick(same_shape);
  return same ? same : context.pick(fits);
}

ValueId pick_second(SampleContext& context, ValueId first) {
  return pick_second(context, first, [](DType) { return true; }, false).value_or(first);
}

int64_t draw_dim(Choices& choices, int rank) {
  if (rank == 0) return 0;
  const int64_t dim = choices.between(0, rank - 1);
  return choices.chance(20) ? dim - rank : dim;
}

IntList draw_permutation(Choices& choices, int rank) {
  IntList order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + static_cast<std::size_t>(choices.below(order.size() - i))]);
  }
  return order;
}

IntList draw_dims(Choices& choices, int rank) {
  IntList dims;
  for (int dim = 0; dim < rank; ++dim) {
    if (choices.chance(50)) dims.push_back(dim);
  }
  if (dims.empty() && rank > 0) dims.push_back(draw_dim(choices, rank));
  return dims;
}

Scalar draw_scalar(Choices& choices, DType dtype) {
  static constexpr std::array<int64_t, 5> integers = {0, 1, -1, 2, 3};
  static constexpr std::array<double, 8> reals = {0, 1, -1, 2, 0.5, -0.25, 3, 0.1};
  if (dtype == DType::Bool) return choices.chance(50);
  // A number of the other kind changes the result's dtype or is refused, so integers get integers.
  if (is_floating(dtype) && choices.chance(50)) return choices.pick(reals);
  const int64_t drawn = choices.pick(integers);
  return dtype == DType::U8 && drawn < 0 ? int64_t{1} : drawn;
}

DType draw_dtype(Choices& choices) {
  static constexpr std::array common = {DType::F32, DType::I64, DType::I32, DType::F16, DType::BF16,
                                        DType::F64, DType::U8,  DType::I8,  DType::I16, DType::Bool};
  return choices.pick(common);
}

}  // namespace parallax
