#include "core/profile.h"

#include <array>

namespace parallax {
namespace {

// eager and ExecuTorch's kernels use SLEEF (1 ULP) or libm (glibc documents at most 4 ULP for the functions used).
constexpr std::array profiles = {
    // eager's square root is MKL's VML in its high-accuracy mode (documented: under 1 ULP): 0.706 ULP measured on f32,
    // and exact for each of the 2^11 f32 squares of a binade.
    Profile{.name = "eager", .function_ulp = 4, .root_ulp = 1, .promises_identity = true},
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
