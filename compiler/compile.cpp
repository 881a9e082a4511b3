#include "compiler/compile.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "compiler/lower.h"

namespace parallax {
namespace {

Result<Pass> pass_named(std::span<const Pass> passes, std::string_view name) {
  const auto found = std::ranges::find(passes, name, &Pass::name);
  if (found != passes.end()) return *found;
  return fail("no pass is called '{}'; they are {}", name,
              fmt::join(passes | std::views::transform([](const Pass& pass) { return pass.name; }), ", "));
}

}  // namespace

Result<std::vector<Pass>> PassSelection::from(std::span<const Pass> all) const {
  std::vector<Pass> selected;
  if (passes.empty()) selected.assign(all.begin(), all.end());
  for (const std::string& name : passes) {
    TRY(const Pass pass, pass_named(all, name));
    selected.push_back(pass);
  }
  if (stop_after.empty()) return selected;
  TRY(const Pass last, pass_named(selected, stop_after));
  selected.erase(std::ranges::find(selected, last.name, &Pass::name) + 1, selected.end());
  return selected;
}

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  const CompilerParts parts = options.faults.parts();
  Graph present = graph;
  TRY(const std::vector<Pass> passes, options.selection.from(parts.passes));
  for (const Pass& pass : passes) {
    TRY(Graph next, pass.run(present, {options.evaluate}));
    if (observe) observe(pass, present, next);
    present = std::move(next);
  }
  return lower(std::move(present), parts, options);
}

}  // namespace parallax
