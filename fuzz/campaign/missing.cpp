#include "fuzz/campaign/missing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace parallax {

std::vector<Error> reasons_of(const std::vector<MissingTarget>& missing) {
  struct Shared {
    Error reason;
    std::vector<std::string> names;
  };
  std::vector<Shared> groups;
  for (const MissingTarget& target : missing) {
    const auto has_text = [&](const Shared& group) { return group.reason.text() == target.reason.text(); };
    auto group = std::ranges::find_if(groups, has_text);
    if (group == groups.end()) group = groups.insert(group, {target.reason, {}});
    group->names.push_back(target.name);
  }
  std::vector<Error> reasons;
  for (const auto& [reason, names] : groups) {
    const std::string text = reason.text();
    const bool names_them = std::ranges::all_of(names, [&](const std::string& name) { return text.contains(name); });
    reasons.push_back(names_them ? reason
                                 : Error{reason.kind, "", "", fmt::format("{}: {}", fmt::join(names, ", "), text)});
  }
  return reasons;
}

}  // namespace parallax
