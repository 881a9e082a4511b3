#include "core/profile.h"

#include <array>

namespace parallax {
namespace {

// eager and ExecuTorch's kernels use SLEEF (1 ULP) or libm (glibc documents at most 4 ULP for the functions used).
constexpr std::array profiles = {
    Profile{.name = "eager", .function_ulp = 4, .promises_identity = true},
    Profile{.name = "portable", .function_ulp = 4, .promises_identity = true},
    Profile{.name = "executorch", .function_ulp = 4},
};

}  // namespace

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace parallax
