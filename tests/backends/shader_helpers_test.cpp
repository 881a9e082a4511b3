// Shader helpers: what a shader mentions comes along, with what that needs, and nothing else.
#include "backends/vulkan/shader_helpers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parallax::vulkan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ShaderHelpers, AreNoneWhereNothingIsMentioned) {
  EXPECT_THAT(shader_helpers("precise float y = a + b;"), IsEmpty());
}

TEST(ShaderHelpers, BringWhatTheyNeed) {
  EXPECT_THAT(shader_helpers("arc_tangent(a)"),
              AllOf(HasSubstr("float arc_tangent(float x)"), HasSubstr("float with_sign("), Not(HasSubstr("power("))));
  // Constants, structs and macros too.
  EXPECT_THAT(shader_helpers("wide_sin(a)"),
              AllOf(HasSubstr("bits_of_2_over_pi = "), HasSubstr("struct Quadrants"), HasSubstr("#define double_nan")));
}

TEST(ShaderHelpers, AreDefinedBeforeTheyAreUsed) {
  const std::string helpers = shader_helpers("wide_polygamma(a, b)");
  EXPECT_LT(helpers.find("dvec2 log_pair("), helpers.find("double power_of_positive("));
  EXPECT_LT(helpers.find("double zeta_on_the_right("), helpers.find("double hurwitz_zeta("));
}

TEST(ShaderHelpers, HaveNoComments) { EXPECT_THAT(shader_helpers("airy(a)"), Not(HasSubstr("//"))); }

}  // namespace
}  // namespace parallax::vulkan
