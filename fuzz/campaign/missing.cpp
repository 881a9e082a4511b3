#include "fuzz/campaign/missing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace parallax {

std::vector<Error> reasons_of(const std::vector<MissingTarget>& missing) {
  std::vector<Error> reasons;
  for (const MissingTarget& target : missing) {
    const std::string text = target.reason.text();
    const auto has_text = [&](const Error& error) { return error.text() == text; };
    if (std::ranges::none_of(reasons, has_text)) reasons.push_back(target.reason);
  }
  for (Error& reason : reasons) {
    const std::string text = reason.text();
    std::vector<std::string> names;
    for (const MissingTarget& target : missing) {
      if (target.reason.text() == text) names.push_back(target.name);
    }
    const bool names_them = std::ranges::all_of(names, [&](const std::string& name) { return text.contains(name); });
    if (!names_them) reason = {reason.kind, "", "", fmt::format("{}: {}", fmt::join(names, ", "), text)};
  }
  return reasons;
}

}  // namespace parallax
