#include "core/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace parallax {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool begins_with(std::string_view name, std::string_view given) {
  return name.size() > given.size() && std::ranges::equal(name.substr(0, given.size()), given, {}, lower, lower);
}

// A third of the letters may differ: more would offer names that have nothing to do with what was typed.
std::size_t most_edits(std::string_view given) { return std::max<std::size_t>(1, given.size() / 3); }

}  // namespace

// The optimal string alignment distance, row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    two_above = above;
    above = row;
  }
  return above[b.size()];
}

std::string_view nearest_name(std::string_view given, std::span<const std::string> names) {
  constexpr std::size_t shortest_beginning = 3;
  std::string_view nearest;
  std::size_t least = most_edits(given) + 1;
  for (const std::string& name : names) {
    const std::size_t edits = edit_distance(given, name);
    if (edits >= least) continue;
    least = edits;
    nearest = name;
  }
  if (!nearest.empty() || given.size() < shortest_beginning) return nearest;
  const auto longer = std::ranges::find_if(names, [&](const std::string& name) { return begins_with(name, given); });
  return longer == names.end() ? std::string_view() : std::string_view(*longer);
}

std::string did_you_mean(std::string_view given, std::span<const std::string> names) {
  const std::string_view nearest = nearest_name(given, names);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace parallax
