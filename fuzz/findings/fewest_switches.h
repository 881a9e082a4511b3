// FewestSwitches: of a target's options, those that a divergence needs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/open_target.h"

namespace parallax {

// The options that `target` has behind those of `base`, "arena=off" …; none where it is no configuration of it.
std::vector<std::string> switches_beyond(std::string_view target, std::string_view base);

// Leaves out one switch after the other, as long as `diverges` says yes of what is left, which keeps one at least.
// Gives the target that is left; null where nothing could be left out.
std::unique_ptr<Target> with_fewest_switches(const std::string& target, const std::string& base,
                                             const TargetOptions& options,
                                             const std::function<bool(Target& with_fewer)>& diverges);

}  // namespace parallax
