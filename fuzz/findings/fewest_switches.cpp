#include "fuzz/findings/fewest_switches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace parallax {

std::vector<std::string> switches_beyond(std::string_view target, std::string_view base) {
  if (base.empty() || !target.starts_with(base)) return {};
  std::string_view rest = target.substr(base.size());
  if (!rest.starts_with(base.contains('?') ? '&' : '?')) return {};
  std::vector<std::string> switches;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('&'), rest.size());
    switches.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return switches;
}

std::unique_ptr<Target> with_fewest_switches(const std::string& target, const std::string& base,
                                             const TargetOptions& options,
                                             const std::function<bool(Target& with_fewer)>& diverges) {
  std::vector<std::string> kept = switches_beyond(target, base);
  std::unique_ptr<Target> least;
  for (std::size_t i = kept.size(); i-- > 0 && kept.size() > 1;) {
    std::vector<std::string> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string name = fmt::format("{}{}{}", base, base.contains('?') ? "&" : "?", fmt::join(fewer, "&"));
    auto opened = open_target(name, options);
    if (!opened || !diverges(**opened)) continue;
    kept = std::move(fewer);
    least = *std::move(opened);
  }
  return least;
}

}  // namespace parallax
