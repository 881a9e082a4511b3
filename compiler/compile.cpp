#include "compiler/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "compiler/compiled_control.h"
#include "compiler/lower.h"
#include "compiler/varying_numbers.h"
#include "graph/inline_custom.h"

namespace parallax {
namespace {

Result<Graph> graph_behind(const std::vector<Pass>& passes, const Graph& graph, const CompileOptions& options,
                           const PassObserver& observe = nullptr) {
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

// As many sizes of the symbols are tried all; passes over them all cost as much as compiling so many graphs.
constexpr int64_t few_sizes = 64;

// Of a symbol with many sizes: the ends, where a dim of size 1 broadcasts or a bound is met by accident, and some in
// between, odd and even ones.
std::vector<int64_t> some_sizes(const Symbol& symbol) {
  const auto& [name, low, high] = symbol;
  const int64_t middle = low + (high - low) / 2;
  return {low, low + 1, low + 2, middle, middle + 1, high - 1};
}

// Adds the combinations that are there, few of them at most, with each of these sizes of a symbol.
template <class Sizes>
void combine(std::size_t symbol, Sizes&& sizes, std::vector<SymbolSizes>& combinations) {
  const std::size_t before = std::min<std::size_t>(combinations.size(), few_sizes);
  for (const int64_t size : sizes) {
    for (std::size_t i = 0; i < before; ++i) combinations.emplace_back(combinations[i])[symbol] = size;
  }
}

// Every combination of sizes in the ranges but the bound itself.
std::vector<SymbolSizes> all_sizes(const Symbols& symbols) {
  std::vector<SymbolSizes> all = {symbols.bound()};
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    combine(s, std::views::iota(symbols.list[s].low, symbols.list[s].high), all);
  }
  all.erase(all.begin());
  return all;
}

// Each symbol alone, which tells what grows with it; all at once, which tells whether the parts add up; and all alike,
// where a graph may hold that asks two symbols to be one.
std::vector<SymbolSizes> spread_sizes(const Symbols& symbols) {
  std::vector<SymbolSizes> tried;
  std::vector<std::vector<int64_t>> of_symbol;
  for (const Symbol& symbol : symbols.list) {
    for (const int64_t size : of_symbol.emplace_back(some_sizes(symbol))) {
      tried.push_back(symbols.bound());
      tried.back()[of_symbol.size() - 1] = size;
    }
  }
  for (std::size_t i = 0; of_symbol.size() > 1 && i < of_symbol.front().size(); ++i) {
    for (const auto& sizes : of_symbol) tried.push_back(SymbolSizes(of_symbol.size(), sizes[i]));
    SymbolSizes& all = tried.emplace_back();
    for (const auto& sizes : of_symbol) all.push_back(sizes[i]);
  }
  return tried;
}

// The symbol at that size, and the others as large as some sizes let the graph hold: what data count may not be more
// than there is.
std::optional<Instance> instance_with(const Graph& graph, const Symbols& symbols, std::size_t symbol, int64_t size) {
  std::vector<SymbolSizes> tried = {symbols.bound()};
  tried.front()[symbol] = size;
  for (std::size_t other = 0; other < symbols.list.size(); ++other) {
    if (other != symbol) combine(other, std::views::reverse(some_sizes(symbols.list[other])), tried);
  }
  for (SymbolSizes& sizes : tried) {
    if (auto instance = instance_at(graph, symbols, std::move(sizes))) return instance;
  }
  return std::nullopt;
}

// The graph at the sizes at which passes are held against each other.
std::vector<Instance> instances_to_try(const Graph& graph, const Symbols& symbols) {
  int64_t combinations = 1;
  for (const Symbol& symbol : symbols.list) {
    combinations = std::min(combinations, few_sizes) * std::min(symbol.high - symbol.low + 1, few_sizes + 1);
  }
  const bool all = combinations <= few_sizes;
  std::vector<Instance> instances;
  for (SymbolSizes& sizes : all ? all_sizes(symbols) : spread_sizes(symbols)) {
    if (auto instance = instance_at(graph, symbols, std::move(sizes))) instances.push_back(*std::move(instance));
  }
  for (std::size_t s = 0; !all && s < symbols.list.size(); ++s) {
    for (const int64_t size : some_sizes(symbols.list[s])) {
      if (std::ranges::any_of(instances, [&](const Instance& instance) { return instance.sizes[s] == size; })) continue;
      if (auto instance = instance_with(graph, symbols, s, size)) instances.push_back(*std::move(instance));
    }
  }
  return instances;
}

// What changes with a size that was not tried would not show, and stay as it is at the bound.
Result<void> expect_all_tried(const Symbols& symbols, int64_t least_size, std::span<const SymbolSizes> sizes) {
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    const Symbol& symbol = symbols.list[s];
    const auto is_tried = [&](const SymbolSizes& tried) { return tried[s] != symbol.high; };
    if (std::max(symbol.low, least_size) < symbol.high && std::ranges::none_of(sizes, is_tried)) {
      return std::unexpected(
          Error{ErrorKind::Unsupported, "", "",
                fmt::format("the graph holds at none of the other sizes of {} that were tried", symbol.name)});
    }
  }
  return {};
}

void leave_out_smaller(int64_t least_size, std::vector<SymbolSizes>& sizes, std::vector<Graph>& graphs) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::ranges::min(sizes[i]) < least_size) continue;
    std::swap(sizes[kept], sizes[i]);
    std::swap(graphs[kept++], graphs[i]);
  }
  sizes.resize(kept);
  graphs.resize(kept);
}

}  // namespace

Result<PassedGraph> run_passes(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  if (const auto inlined = inlined_if_custom(graph)) return run_passes(inlined->graph, options, observe);
  const ActiveMutant mutant(options.faults.mutant());
  TRY(const std::vector<Pass> passes, options.selection.from(options.faults.parts().passes));
  PassedGraph passed;
  TRY(passed.graph, graph_behind(passes, graph, options, observe));
  return passed;
}

Result<PassedGraph> run_passes(const Graph& graph, const Symbols& symbols, const CompileOptions& options) {
  const ActiveMutant mutant(options.faults.mutant());
  TRY(const std::vector<Pass> passes, options.selection.from(options.faults.parts().passes));
  if (const Node* node = find_control(graph)) {
    return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                 fmt::format("'{}' ({}) in a case whose sizes change", node->name, node->op->name)});
  }
  PassedGraph passed;
  TRY(const Graph bound, at_sizes(graph, symbols, symbols.bound()));
  TRY(passed.graph, graph_behind(passes, bound, options));
  std::vector<SymbolSizes> sizes;
  for (Instance& instance : instances_to_try(graph, symbols)) {
    TRY(Graph other, graph_behind(passes, instance.graph, options));
    sizes.push_back(std::move(instance.sizes));
    passed.others.push_back(std::move(other));
  }
  // The numbers of the calls are those of the compiled graph from here on.
  passed.symbols = symbols;
  passed.symbols.numbers.clear();
  TRY_VOID(expect_all_tried(symbols, 0, sizes));
  auto varying = varying_numbers(passed.graph, passed.symbols, sizes, passed.others);
  if (!varying) {
    passed.least_size = 2;
    leave_out_smaller(passed.least_size, sizes, passed.others);
    if (expect_all_tried(symbols, passed.least_size, sizes))
      varying = varying_numbers(passed.graph, passed.symbols, sizes, passed.others);
  }
  if (!varying) return std::unexpected(varying.error());
  passed.varying = *std::move(varying);
  return passed;
}

Result<Program> compile(const PassedGraph& passed, const CompileOptions& options) {
  const ActiveMutant mutant(options.faults.mutant());
  const CompilerParts parts = options.faults.parts();
  TRY(Graph compiled, compile_subgraphs(passed.graph, options));
  TRY(Program program, lower(std::move(compiled), passed.others, parts, options));
  program.symbols = passed.symbols;
  program.varying = passed.varying;
  program.least_size = passed.least_size;
  return program;
}

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  TRY(const PassedGraph passed, run_passes(graph, options, observe));
  return compile(passed, options);
}

Result<Program> compile(const Graph& graph, const Symbols& symbols, const CompileOptions& options) {
  TRY(const PassedGraph passed, run_passes(graph, symbols, options));
  return compile(passed, options);
}

}  // namespace parallax
