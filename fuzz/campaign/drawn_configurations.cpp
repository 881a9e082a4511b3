#include "fuzz/campaign/drawn_configurations.h"

#include <algorithm>

namespace parallax {
namespace {

// Draws that give what was drawn before are drawn again, so often a configuration.
constexpr int tries_a_configuration = 20;

// Of a switch's values other than the default; an even chance leaves it there.
std::string draw(const std::string& target, const std::vector<const TargetSwitch*>& switches, Choices& choices) {
  std::string name = target;
  for (const TargetSwitch* one : switches) {
    if (one->values.size() < 2 || !choices.chance(50)) continue;
    const std::string& value = one->values[1 + choices.below(one->values.size() - 1)];
    name += (name.contains('?') ? "&" : "?") + one->name + "=" + value;
  }
  return name;
}

}  // namespace

std::vector<std::string> draw_configurations(const std::string& target, const std::vector<TargetSwitch>& switches,
                                             int count, Choices& choices) {
  std::vector<const TargetSwitch*> free;
  for (const TargetSwitch& one : switches) {
    if (!target.contains("?" + one.name + "=") && !target.contains("&" + one.name + "=")) free.push_back(&one);
  }
  std::vector<std::string> drawn;
  for (int tries = 0; std::ssize(drawn) < count && tries < count * tries_a_configuration; ++tries) {
    const std::string name = draw(target, free, choices);
    if (name != target && std::ranges::find(drawn, name) == drawn.end()) drawn.push_back(name);
  }
  return drawn;
}

ConfiguredTargets with_configurations(const std::vector<std::string>& targets, int configurations, uint64_t seed,
                                      const TargetOptions& options) {
  ConfiguredTargets configured;
  for (uint64_t place = 0; place < targets.size(); ++place) {
    const std::string& target = targets[place];
    configured.targets.push_back(target);
    if (runs_in_process(target) || configurations < 2) continue;
    const auto opened = open_target(target, options);
    if (!opened) continue;
    Choices choices(seed, place);
    for (const std::string& name : draw_configurations(target, (*opened)->switches(), configurations - 1, choices)) {
      configured.targets.push_back(name);
      configured.defaults.emplace(name, target);
    }
  }
  return configured;
}

}  // namespace parallax
