#include "compiler/compile.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "compiler/lower.h"
#include "compiler/varying_numbers.h"

namespace parallax {
namespace {

Result<Graph> run_passes(const Graph& graph, const std::vector<Pass>& passes, const CompileOptions& options,
                         const PassObserver& observe) {
  const Graph* present = &graph;
  Graph made;
  for (const Pass& pass : passes) {
    if (pass.applies != nullptr && !pass.applies(*present)) {
      if (observe) observe(pass, *present, *present);
      continue;
    }
    TRY(Graph next, pass.run(*present, options.for_passes()));
    if (observe) observe(pass, *present, next);
    made = std::move(next);
    present = &made;
  }
  return present == &made ? std::move(made) : graph;
}

// The graph at some sizes of its symbols at which it holds.
struct Instance {
  SymbolSizes sizes;
  Graph graph;
};

std::optional<Instance> instance_at(const Graph& graph, const Symbols& symbols, SymbolSizes sizes) {
  Result<Graph> resized = at_sizes(graph, symbols, sizes);
  if (!resized) return std::nullopt;  // nobody can ask for a run at these
  return Instance{std::move(sizes), *std::move(resized)};
}

// Those of one symbol's sizes at which the graph holds, the other symbols at their bound.
std::vector<Instance> instances_of(const Graph& graph, const Symbols& symbols, std::size_t s,
                                   const std::vector<int64_t>& tried) {
  std::vector<Instance> instances;
  for (const int64_t size : tried) {
    SymbolSizes sizes = symbols.bound();
    sizes[s] = size;
    if (auto instance = instance_at(graph, symbols, std::move(sizes))) instances.push_back(*std::move(instance));
  }
  return instances;
}

// A range of sizes this long is tried as a whole; one that has gaps, in which the graph does not hold, if it is no
// longer than the other.
constexpr int64_t short_range = 8;
constexpr int64_t short_range_with_gaps = 64;

// The graph at the sizes of one symbol at which passes are held against each other: all of a short range; of a long one
// the ends, where a dim of size 1 broadcasts or a bound is met by accident, and some in between, odd and even ones.
// `tried` is which sizes those are, the graph held or not.
std::vector<Instance> instances_along(const Graph& graph, const Symbols& symbols, std::size_t s,
                                      std::vector<int64_t>& tried) {
  const auto& [name, low, high] = symbols.list[s];
  if (high - low >= short_range) {
    const int64_t middle = low + (high - low) / 2;
    tried = {low, low + 1, low + 2, middle, middle + 1, high - 1};
    std::vector<Instance> some = instances_of(graph, symbols, s, tried);
    if (some.size() == tried.size() || high - low >= short_range_with_gaps) return some;
  }
  tried.clear();
  for (int64_t size = low; size < high; ++size) tried.push_back(size);
  return instances_of(graph, symbols, s, tried);
}

// Each symbol alone, which tells what grows with it, and all at once, which tells whether the parts add up.
std::vector<Instance> instances_to_try(const Graph& graph, const Symbols& symbols) {
  std::vector<Instance> instances;
  std::vector<std::vector<int64_t>> tried(symbols.list.size());
  std::size_t most = 0;
  for (std::size_t s = 0; s < tried.size(); ++s) {
    std::ranges::move(instances_along(graph, symbols, s, tried[s]), std::back_inserter(instances));
    most = std::max(most, tried[s].size());
  }
  for (std::size_t i = 0; tried.size() > 1 && i < most; ++i) {
    SymbolSizes all = symbols.bound();
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (!tried[s].empty()) all[s] = tried[s][i % tried[s].size()];
    }
    if (auto instance = instance_at(graph, symbols, std::move(all))) instances.push_back(*std::move(instance));
  }
  return instances;
}

}  // namespace

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  const ActiveMutant mutant(options.faults.mutant());
  const CompilerParts parts = options.faults.parts();
  TRY(const std::vector<Pass> passes, options.selection.from(parts.passes));
  TRY(Graph made, run_passes(graph, passes, options, observe));
  return lower(std::move(made), {}, parts, options);
}

Result<Program> compile(const Graph& graph, const Symbols& symbols, const CompileOptions& options) {
  const ActiveMutant mutant(options.faults.mutant());
  const CompilerParts parts = options.faults.parts();
  TRY(const std::vector<Pass> passes, options.selection.from(parts.passes));
  TRY(const Graph bound, at_sizes(graph, symbols, symbols.bound()));
  TRY(Graph made, run_passes(bound, passes, options, nullptr));
  std::vector<SymbolSizes> sizes;
  std::vector<Graph> others;
  for (Instance& instance : instances_to_try(graph, symbols)) {
    TRY(Graph other, run_passes(instance.graph, passes, options, nullptr));
    sizes.push_back(std::move(instance.sizes));
    others.push_back(std::move(other));
  }
  TRY(std::vector<VaryingNumber> varying, varying_numbers(made, symbols, sizes, others));
  TRY(Program program, lower(std::move(made), others, parts, options));
  program.symbols = symbols;
  program.varying = std::move(varying);
  return program;
}

}  // namespace parallax
