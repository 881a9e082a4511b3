// DrawnConfigurations: targets with some of their switches off their defaults, as targets of their own beside them.
//
// A configuration is the target's name with options, "onnxruntime?arena=off&optimization=basic". What it gets wrong and
// the default gets wrong too is the default's finding: the default is its base.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/open_target.h"
#include "core/choices.h"

namespace parallax {

struct ConfiguredTargets {
  std::vector<std::string> targets;             // each default, then its configurations
  std::map<std::string, std::string> defaults;  // of each configuration
};

// `count` different configurations of the target, or as many as there are. A switch that the name sets already stays.
std::vector<std::string> draw_configurations(const std::string& target, const std::vector<TargetSwitch>& switches,
                                             int count, Choices& choices);

// Opens each target to ask for its switches. One that has none, or that cannot be driven here, stands alone.
ConfiguredTargets with_configurations(const std::vector<std::string>& targets, int configurations, uint64_t seed,
                                      const TargetOptions& options);

}  // namespace parallax
