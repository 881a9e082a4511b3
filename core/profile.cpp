#include "core/profile.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/check.h"
#include "core/profile_data.h"
#include "core/profile_json.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, function_kinds> function_names = {
    "division", "sqrt",  "rsqrt", "exp",   "exp2",  "expm1",   "log",  "log2",  "log10",
    "log1p",    "sin",   "cos",   "tan",   "asin",  "acos",    "atan", "sinh",  "cosh",
    "tanh",     "asinh", "acosh", "atanh", "power", "sigmoid", "erf",  "gamma", "other"};

using Profiles = std::map<std::string, Profile, std::less<>>;

[[noreturn]] void broken(std::string_view profile, const std::string& why) {
  check_failed(fmt::format("core/profiles/{}.json: {}", profile, why).c_str(), __FILE__, __LINE__);
}

// Each is read once the one that it extends is there.
Profiles read_built_in() {
  Profiles profiles;
  std::map<std::string_view, Json> pending;
  for (const ProfileData& data : profile_data()) {
    Result<Json> json = parse_json(data.text);
    if (!json) broken(data.name, json.error().text());
    pending.emplace(data.name, *std::move(json));
  }
  while (!pending.empty()) {
    const auto ready = std::find_if(pending.begin(), pending.end(), [&](const auto& entry) {
      const auto base = entry.second.find("extends");
      return base == entry.second.end() || profiles.contains(base->template get<std::string>());
    });
    if (ready == pending.end()) broken(pending.begin()->first, "it extends nothing that is there");
    const auto& [name, json] = *ready;
    const auto base = json.find("extends");
    Profile start = base == json.end() ? plain_profile() : profiles.find(base->get<std::string>())->second;
    start.name = name;
    const Result<Profile> profile = read_profile(Field(json, ""), std::move(start));
    if (!profile) broken(name, profile.error().text());
    profiles.emplace(name, *profile);
    pending.erase(ready);
  }
  return profiles;
}

const Profiles& built_in() {
  static const Profiles profiles = read_built_in();
  return profiles;
}

}  // namespace

std::string_view name(FunctionKind kind) { return function_names[static_cast<std::size_t>(kind)]; }

const Profile* find_profile(std::string_view name) {
  const auto known = built_in().find(name);
  return known == built_in().end() ? nullptr : &known->second;
}

const std::vector<std::string>& profile_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, profile] : built_in()) all.push_back(name);
    return all;
  }();
  return names;
}

}  // namespace parallax
