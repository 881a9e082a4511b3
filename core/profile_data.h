// The texts of core/profiles/*.json, as the build puts them into the program.
#pragma once

#include <span>
#include <string_view>

namespace parallax {

struct ProfileData {
  std::string_view name;  // the file's stem
  std::string_view text;
};

std::span<const ProfileData> profile_data();

}  // namespace parallax
