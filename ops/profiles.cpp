#include "ops/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/check.h"
#include "core/profile_data.h"
#include "ops/profile_json.h"
#include "ops/registry.h"

namespace parallax {
namespace {

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

const Profile* find_profile(std::string_view name) {
  const auto known = built_in().find(name);
  return known == built_in().end() ? nullptr : &known->second;
}

const std::vector<std::string>& profile_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    // Every command lists them in its help, so they are not read for that.
    for (const ProfileData& data : profile_data()) all.emplace_back(data.name);
    std::ranges::sort(all);
    return all;
  }();
  return names;
}

void allow(Profile& profile, Form form, const Op& op, std::span<const DType> dtypes) {
  for (const DType dtype : dtypes) {
    if (applies(form, dtype)) profile.allowed.allow(form, op.index, dtype);
  }
}

void allow(Profile& profile, Form form) {
  for (const Op& op : all_ops()) {
    if (applies(form, op.family)) allow(profile, form, op, all_dtypes);
  }
}

}  // namespace parallax
