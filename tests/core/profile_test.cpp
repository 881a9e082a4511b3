// Profiles: the built-in ones are read, one of its own overrides what it extends, and a mistake is named by its place.
#include <gtest/gtest.h>

#include "core/profile_json.h"

namespace parallax {
namespace {

Result<Profile> read(std::string_view text) {
  const Result<Json> json = parse_json(text);
  EXPECT_TRUE(json.has_value()) << text;
  return read_profile(Field(*json, ""));
}

TEST(Profile, TheBuiltInOnesAreThere) {
  for (const char* name : {"eager", "recorded", "portable", "xnnpack", "vulkan", "lavapipe", "executorch"}) {
    const Profile* profile = find_profile(name);
    ASSERT_NE(profile, nullptr) << name;
    EXPECT_EQ(profile->name, name);
    for (int kind = 0; kind < function_kinds; ++kind) {
      const FunctionError& error = profile->error_of(static_cast<FunctionKind>(kind), DType::F32);
      EXPECT_GT(error.ulp + error.absolute, 0) << name << ": a " << parallax::name(static_cast<FunctionKind>(kind));
    }
  }
  EXPECT_EQ(find_profile("nobody's"), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(profile_names()));
}

TEST(Profile, WhatIsNotNamedIsTheBases) {
  const Profile& lavapipe = *find_profile("lavapipe");
  EXPECT_TRUE(lavapipe.flush_to_zero) << "as vulkan";
  EXPECT_FALSE(lavapipe.rounding_mode_open) << "unlike vulkan";
  EXPECT_EQ(lavapipe.error_of(FunctionKind::Asinh, DType::F32).ulp, 4096);
  EXPECT_EQ(lavapipe.error_of(FunctionKind::Division, DType::F16).ulp, 0.5);
}

TEST(Profile, AFunctionIsNamedForAllDtypesOrForOne) {
  const auto profile = read(
      R"({"name":"x","functions":{"exp":{"f16":{"ulp":1}},"other":{"ulp":7},"log":{"ulp":2,"absolute":0.5,"nan_beyond":9}}})");
  ASSERT_TRUE(profile.has_value()) << profile.error().text();
  EXPECT_EQ(profile->error_of(FunctionKind::Exp, DType::F16).ulp, 1);
  EXPECT_EQ(profile->error_of(FunctionKind::Exp, DType::F32).ulp, 7) << "other, wherever it stands";
  EXPECT_EQ(profile->error_of(FunctionKind::Log, DType::F64).absolute, 0.5);
  EXPECT_EQ(profile->error_of(FunctionKind::Log, DType::F64).nan_beyond, 9);
  EXPECT_EQ(profile->error_of(FunctionKind::Exp, DType::F16).nan_beyond, std::numeric_limits<float>::infinity());
  EXPECT_EQ(profile->error_of(FunctionKind::Division, DType::F32).ulp, 0.5) << "IEEE 754 unless it is named";
  EXPECT_FALSE(profile->promises_identity);
}

TEST(Profile, AMistakeIsNamedByItsPlace) {
  struct Row {
    const char* text;
    const char* pointer;
  };
  for (const Row& row :
       {Row{R"({"functions":{}})", ""}, Row{R"({"name":"x","extends":"nobody's"})", "/extends"},
        Row{R"({"name":"x","flush_to_zero":1})", "/flush_to_zero"}, Row{R"({"name":"x","flushes":true})", "/flushes"},
        Row{R"({"name":"x","product_precision":10})", "/product_precision"},
        Row{R"({"name":"x","functions":{"expo":{}}})", "/functions/expo"},
        Row{R"({"name":"x","functions":{"exp":{"ulp":-1}}})", "/functions/exp/ulp"},
        Row{R"({"name":"x","functions":{"exp":{"ulp":1e300}}})", "/functions/exp/ulp"},
        Row{R"({"name":"x","functions":{"exp":{"i32":{"ulp":1}}}})", "/functions/exp/i32"},
        Row{R"({"name":"x","functions":[]})", "/functions"}, Row{R"([])", ""}}) {
    const auto profile = read(row.text);
    ASSERT_FALSE(profile.has_value()) << row.text;
    EXPECT_EQ(profile.error().pointer, row.pointer) << profile.error().text();
  }
}

}  // namespace
}  // namespace parallax
