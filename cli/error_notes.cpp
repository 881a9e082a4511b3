#include "cli/error_notes.h"

#include <fmt/format.h>

#include <map>

namespace parallax {

std::vector<DotNote> error_notes(const ValueErrors& errors, std::size_t first, std::size_t count) {
  std::map<std::size_t, const ValueError*> worst;  // by node
  for (const ValueError& error : errors.rows) {
    const std::size_t node = error.node.index;
    if (!error.target || node < first || node >= first + count) continue;
    const ValueError*& so_far = worst[node];
    if (so_far == nullptr || *error.target > *so_far->target) so_far = &error;
  }
  std::vector<DotNote> notes;
  for (const auto& [node, error] : worst) {
    notes.push_back({NodeId(node - first),
                     fmt::format("{} · eager {}", ulps_text(error->target), ulps_text(error->eager)),
                     fmt::format("e{}", error_class(*error->target))});
  }
  return notes;
}

}  // namespace parallax
