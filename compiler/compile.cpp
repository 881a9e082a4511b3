#include "compiler/compile.h"

#include <algorithm>

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

// A range of sizes this long is tried as a whole; one that has gaps, in which the graph does not hold, if it is no
// longer than the other.
constexpr int64_t short_range = 8;
constexpr int64_t short_range_with_gaps = 64;

// The sizes of one symbol at which passes are held against each other: all of a short range; of a long one the ends,
// where a dim of size 1 broadcasts or a bound is met by accident, and some in between, odd and even ones.
SymbolSizes sizes_to_try(const Graph& graph, const Symbols& symbols, std::size_t s) {
  const auto& [name, low, high] = symbols.list[s];
  const int64_t middle = low + (high - low) / 2;
  SymbolSizes sizes = {low, low + 1, low + 2, middle, middle + 1, high - 1};
  const auto holds = [&](int64_t size) {
    SymbolSizes alone = symbols.bound();
    alone[s] = size;
    return at_sizes(graph, symbols, alone).has_value();
  };
  if (high - low < short_range || (high - low < short_range_with_gaps && !std::ranges::all_of(sizes, holds))) {
    sizes.clear();
    for (int64_t size = low; size < high; ++size) sizes.push_back(size);
  }
  return sizes;
}

// Each symbol alone, which tells what grows with it, and all at once, which tells whether the parts add up.
std::vector<SymbolSizes> sizes_to_try(const Graph& graph, const Symbols& symbols) {
  std::vector<SymbolSizes> tried;
  std::vector<SymbolSizes> of_symbol;
  std::size_t most = 0;
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    most = std::max(most, of_symbol.emplace_back(sizes_to_try(graph, symbols, s)).size());
    for (const int64_t size : of_symbol.back()) {
      tried.push_back(symbols.bound());
      tried.back()[s] = size;
    }
  }
  for (std::size_t i = 0; symbols.list.size() > 1 && i < most; ++i) {
    SymbolSizes all = symbols.bound();
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (!of_symbol[s].empty()) all[s] = of_symbol[s][i % of_symbol[s].size()];
    }
    tried.push_back(std::move(all));
  }
  return tried;
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
  for (SymbolSizes& tried : sizes_to_try(graph, symbols)) {
    const Result<Graph> source = at_sizes(graph, symbols, tried);
    if (!source) continue;  // nobody can ask for a run at these
    TRY(Graph other, run_passes(*source, passes, options, nullptr));
    sizes.push_back(std::move(tried));
    others.push_back(std::move(other));
  }
  TRY(std::vector<VaryingNumber> varying, varying_numbers(made, symbols, sizes, others));
  TRY(Program program, lower(std::move(made), others, parts, options));
  program.symbols = symbols;
  program.varying = std::move(varying);
  return program;
}

}  // namespace parallax
