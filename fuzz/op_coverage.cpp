#include "fuzz/op_coverage.h"

#include "graph/builder.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 1;
constexpr uint64_t draws_a_dtype = 60;

// Tensors of one dtype in the shapes that families ask for, the wide ones for convolutions and resampling, and what
// indexes, masks and scales them.
struct Pool {
  GraphBuilder builder;
  std::vector<Candidate> candidates;

  explicit Pool(DType dtype) {
    const std::vector<Dims> shapes = {{2, 3}, {3},       {},           {2, 2},       {3, 2},
                                      {1},    {2, 3, 2}, {1, 2, 3, 3}, {2, 2, 2, 2}, {1, 1, 2, 2, 2},
                                      {2},    {2, 3, 3}, {2, 3, 3},    {3, 3},       {1, 1, 2, 2, 3}};
    for (const Dims& sizes : shapes) add(dtype, sizes);
    if (dtype != DType::I64) {
      for (const Dims& sizes : {Dims{3}, Dims{2, 3}, Dims{}}) add(DType::I64, sizes);
    }
    if (dtype != DType::Bool) {
      for (const Dims& sizes : {Dims{3}, Dims{2, 3}, Dims{}}) add(DType::Bool, sizes);
    }
  }

 private:
  void add(DType dtype, const Dims& sizes) {
    const auto value = builder.add_source(SourceKind::Input, "", dtype, contiguous_layout(sizes), Tensor(dtype, sizes));
    candidates.push_back({*value, true, true});
  }
};

// The dtype of the first operand that is a tensor, or of the first of the first list.
std::optional<DType> first_dtype(const std::vector<Argument>& arguments, const Graph& graph) {
  std::optional<DType> dtype;
  for (const Argument& argument : arguments) {
    for_each_value(argument, [&](ValueId value) {
      if (!dtype) dtype = graph.meta(value).dtype;
    });
  }
  return dtype;
}

OpCoverage coverage_of(const Op& op, const std::vector<Pool>& pools) {
  OpCoverage coverage{&op, op.sample != nullptr, std::nullopt};
  if (!op.sample) return coverage;
  for (int d = 0; d < dtype_count; ++d) {
    const Pool& pool = pools[static_cast<std::size_t>(d)];
    const Graph& graph = pool.builder.graph();
    for (uint64_t stream = 0; stream < draws_a_dtype; ++stream) {
      Choices choices(seed, stream);
      SampleContext context(choices, pool.candidates, graph.metas);
      const auto arguments = op.sample(op, context);
      if (!arguments) continue;
      if (!coverage.dtypes) coverage.dtypes.emplace().fill(false);
      // An op without operands (full, arange) makes its dtype from nothing.
      const DType dtype = first_dtype(*arguments, graph).value_or(static_cast<DType>(d));
      if (op.infer(Call(op, *arguments, graph.metas))) (*coverage.dtypes)[static_cast<std::size_t>(dtype)] = true;
    }
  }
  return coverage;
}

}  // namespace

std::vector<OpCoverage> op_coverage() {
  std::vector<Pool> pools;
  for (int d = 0; d < dtype_count; ++d) pools.emplace_back(static_cast<DType>(d));
  std::vector<OpCoverage> coverage;
  for (const Op& op : all_ops()) coverage.push_back(coverage_of(op, pools));
  return coverage;
}

}  // namespace parallax
