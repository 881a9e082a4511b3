#include "cli/profile_option.h"

#include <vector>

#include "cli/option_checks.h"
#include "core/check.h"
#include "fuzz/generate/weights.h"

namespace parallax {

void add_profile_option(CLI::App& command, std::string& profile) {
  std::vector<std::string> names;
  names.reserve(generate_weights.size());
  for (const GenerateWeights& weights : generate_weights) names.emplace_back(weights.name);
  command.add_option("--profile", profile, "What graphs look like")->capture_default_str()->check(member_of(names));
}

GenerateProfile generate_profile(const std::string& name) {
  const auto profile = parse_generate_profile(name);
  PARALLAX_CHECK(profile);
  return *profile;
}

}  // namespace parallax
