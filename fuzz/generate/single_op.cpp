#include "fuzz/generate/single_op.h"

#include <fmt/format.h>

#include "fuzz/generate/draw_data.h"
#include "fuzz/generate/weights.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 1;

}  // namespace

std::optional<Case> case_of_call(GraphBuilder& builder, const Op& op, std::vector<Argument> arguments,
                                 Choices choices) {
  const auto results = builder.add_node(op, std::move(arguments));
  if (!results || results->empty()) return std::nullopt;
  for (const ValueId result : *results) builder.add_output(result);
  Case test;
  test.graph = builder.take();
  draw_data(choices, weights_of(GenerateProfile::All), test);
  return test;
}

SingleOpPool::SingleOpPool(DType dtype) : dtype_(dtype) {
  const auto add = [&](DType of, const Dims& sizes) {
    const auto value = builder_.add_source(SourceKind::Input, "", of, contiguous_layout(sizes), Tensor(of, sizes));
    candidates_.push_back({*value, true, true});
  };
  // The wide ones are for convolutions and resampling, the last ones for the weights of three and of four gates, and a
  // convolution's gradient.
  const std::vector<Dims> shapes = {{2, 3}, {3},       {},           {2, 2},       {3, 2},
                                    {1},    {2, 3, 2}, {1, 2, 3, 3}, {2, 2, 2, 2}, {1, 1, 2, 2, 2},
                                    {2},    {2, 3, 3}, {2, 3, 3},    {3, 3},       {1, 1, 2, 2, 3},
                                    {6, 2}, {8, 2},    {1, 2, 2, 2}};
  for (const Dims& sizes : shapes) add(dtype, sizes);
  for (const DType other : {DType::I64, DType::Bool}) {
    if (dtype == other) continue;
    for (const Dims& sizes : {Dims{3}, Dims{2}, Dims{2, 3}, Dims{}}) add(other, sizes);
  }
}

const SingleOpPool& SingleOpPool::of(DType dtype) {
  static const std::vector<SingleOpPool> pools = [] {
    std::vector<SingleOpPool> made;
    for (int d = 0; d < dtype_count; ++d) made.push_back(SingleOpPool(static_cast<DType>(d)));
    return made;
  }();
  return pools[static_cast<std::size_t>(dtype)];
}

std::optional<std::vector<Argument>> SingleOpPool::draw(const Op& op, uint64_t stream) const {
  Choices choices(seed, stream);
  return draw(op, choices);
}

std::optional<std::vector<Argument>> SingleOpPool::draw(const Op& op, Choices& choices) const {
  SampleContext context(choices, candidates_, graph().metas);
  return op.sample(op, context);
}

std::optional<Case> SingleOpPool::draw_case(const Op& op, uint64_t stream) const {
  std::optional<std::vector<Argument>> arguments = draw(op, stream);
  if (!arguments || first_dtype(*arguments, graph()).value_or(dtype_) != dtype_) return std::nullopt;
  GraphBuilder builder;
  std::vector<ValueId> inputs(graph().metas.size());
  const auto input = [&](ValueId value) {
    ValueId& made = inputs[value.index];
    if (!made.valid()) {
      const TensorMeta& meta = graph().meta(value);
      made = *builder.add_source(SourceKind::Input, builder.fresh_name("x"), meta.dtype, meta.layout,
                                 Tensor(meta.dtype, meta.layout.sizes));
    }
    return made;
  };
  for (Argument& argument : *arguments) for_each_value(argument, [&](ValueId& value) { value = input(value); });
  std::optional<Case> test = case_of_call(builder, op, *std::move(arguments), Choices(seed + 1, stream));
  if (test) test->name = fmt::format("{} {} {}", op.name, name(dtype_), stream);
  return test;
}

}  // namespace parallax
