#include "compiler/pass_selection.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "core/nearest_name.h"

namespace parallax {
namespace {

Result<Pass> pass_named(std::span<const Pass> passes, std::string_view name) {
  const auto found = std::ranges::find(passes, name, &Pass::name);
  if (found != passes.end()) return *found;
  std::vector<std::string> names;
  for (const Pass& pass : passes) names.emplace_back(pass.name);
  return fail("no pass is called '{}'; they are {}{}", name, fmt::join(names, ", "), did_you_mean(name, names));
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

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  for (const auto name : list | std::views::split(',')) names.emplace_back(name.begin(), name.end());
  return names;
}

}  // namespace parallax
