#include "fuzz/generate/op_coverage.h"

#include "fuzz/generate/single_op.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr uint64_t draws_a_dtype = 60;

OpCoverage coverage_of(const Op& op) {
  OpCoverage coverage{&op, op.sample != nullptr, std::nullopt};
  if (!op.sample) return coverage;
  for (int d = 0; d < dtype_count; ++d) {
    const SingleOpPool& pool = SingleOpPool::of(static_cast<DType>(d));
    const Graph& graph = pool.graph();
    for (uint64_t stream = 0; stream < draws_a_dtype; ++stream) {
      const auto arguments = pool.draw(op, stream);
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
  std::vector<OpCoverage> coverage;
  for (const Op& op : all_ops()) coverage.push_back(coverage_of(op));
  return coverage;
}

}  // namespace parallax
