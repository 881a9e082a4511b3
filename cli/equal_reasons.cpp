#include "cli/equal_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace parallax {

std::vector<std::string> told_once(const std::vector<Error>& errors) {
  struct Kind {
    const Error* first = nullptr;
    std::size_t count = 0;
  };
  std::vector<Kind> kinds;
  for (const Error& error : errors) {
    const auto same = std::ranges::find_if(kinds, [&](const Kind& kind) { return kind.first->reason == error.reason; });
    if (same == kinds.end()) {
      kinds.push_back({&error, 1});
    } else {
      ++same->count;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [first, count] : kinds) {
    lines.push_back(count == 1 ? first->text()
                               : fmt::format("{} (and {} more for the same reason)", first->text(), count - 1));
  }
  return lines;
}

void report_errors(const std::vector<Error>& errors) {
  for (const std::string& line : told_once(errors)) fmt::print(stderr, "parallax: {}\n", line);
}

}  // namespace parallax
