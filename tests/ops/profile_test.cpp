// Profiles: the built-in ones are read, one of its own overrides what it extends, and a mistake is named by its place.
#include <gtest/gtest.h>

#include "core/limits.h"
#include "ops/ball_functions.h"
#include "ops/ball_math.h"
#include "ops/profile_json.h"
#include "ops/profiles.h"
#include "ops/registry.h"

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
      R"({"name":"x","functions":{"exp":{"f16":{"ulp":1}},"other":{"ulp":7},"log":{"ulp":2,"absolute":0.5,"nan_beyond":9,"keeps_zeros":true}}})");
  ASSERT_TRUE(profile.has_value()) << profile.error().text();
  EXPECT_EQ(profile->error_of(FunctionKind::Exp, DType::F16).ulp, 1);
  EXPECT_EQ(profile->error_of(FunctionKind::Exp, DType::F32).ulp, 7) << "other, wherever it stands";
  EXPECT_EQ(profile->error_of(FunctionKind::Log, DType::F64).absolute, 0.5);
  EXPECT_EQ(profile->error_of(FunctionKind::Log, DType::F64).nan_beyond, 9);
  EXPECT_TRUE(profile->error_of(FunctionKind::Log, DType::F64).hits_zeros());
  EXPECT_EQ(profile->error_of(FunctionKind::Exp, DType::F16).nan_beyond, std::numeric_limits<float>::infinity());
  EXPECT_EQ(profile->error_of(FunctionKind::Division, DType::F32).ulp, 0.5) << "IEEE 754 unless it is named";
}

TEST(Profile, AResultThatKeepsTheRangeIsNoFurtherOutThanTheFunction) {
  const auto profile = read(
      R"({"name":"x","functions":{"sigmoid":{"f32":{"absolute":1e-3,"keeps_range":true},"f64":{"absolute":1e-3}}}})");
  ASSERT_TRUE(profile.has_value()) << profile.error().text();
  const CallProfile call(*profile);
  const BallMath kept(DType::F32, call);
  const BallMath free(DType::F64, call);
  for (const double x : {-30.0, 30.0, -3.0, 3.0}) {
    const Ball result = kept.sigmoid(Ball::exact(x));
    EXPECT_LE(std::fabs(1 / (1 + std::exp(-x)) - result.mid), result.radius) << x;
    EXPECT_GE(result.low(), 0) << x;
    EXPECT_LE(result.high(), 1) << x;
  }
  EXPECT_GT(kept.sigmoid(Ball::exact(-30)).high(), 0.9e-3) << "an error on the side of the range stays";
  const Ball near_one = kept.sigmoid(Ball::exact(30));
  EXPECT_EQ(near_one.mid + near_one.radius, 1) << "the next number is over the end";
  EXPECT_LT(free.sigmoid(Ball::exact(-30)).low(), 0);
  EXPECT_GT(free.sigmoid(Ball::exact(30)).high(), 1);
}

// x (1 / y) is exact where the reciprocal is: not by 3, and not where the reciprocal is subnormal.
TEST(Profile, ADivisionThatIsExactByPowersOfTwoRoundsOnceByThemOnly) {
  const auto profile =
      read(R"({"name":"x","functions":{"division":{"f32":{"ulp":4,"exact_by_powers":true},"f64":{"ulp":4}}}})");
  ASSERT_TRUE(profile.has_value()) << profile.error().text();
  const CallProfile call(*profile);
  for (const double power : {1.0, -1.0, 0.25, 0x1p126, -0x1p-126}) {
    EXPECT_TRUE(call.divides_as_ieee(DType::F32, power)) << power;
    EXPECT_FALSE(call.divides_as_ieee(DType::F64, power)) << power;
  }
  for (const double other : {3.0, 0.1, 0.0, 0x1p127, -0x1p-127, nan, infinity}) {
    EXPECT_FALSE(call.divides_as_ieee(DType::F32, other)) << other;
  }
  const BallMath math(DType::F32, call);
  EXPECT_EQ(math.div(Ball::exact(3), Ball::exact(4)).radius, 0);
  EXPECT_GT(math.div(Ball::exact(4), Ball::exact(3)).radius, 0);
}

bool allows(const Profile& profile, Form form, const char* op, DType dtype) {
  return allows(profile, form, op_named(op), dtype);
}

// Measured on llvmpipe: the tangent of 283305600 is -1 there, and 1.2995 in truth.
TEST(Profile, AnErrorThatGrowsWithTheOperandIsBoundedAsFarAsItWasMeasured) {
  const BallMath math(DType::F32, *find_profile("vulkan-lavapipe"));
  EXPECT_LT(ball_tan(math, Ball::exact(0x1p20)).radius, 1e-2);
  EXPECT_EQ(ball_tan(math, Ball::exact(283305600)).undecided, Undecided::Unbounded);
  EXPECT_TRUE(math.exp(Ball::exact(-1e30)).decided()) << "as of a mask, it is 0";
}

TEST(Profile, AFormIsAllowedByOpAndDtype) {
  const auto profile = read(R"({"name":"x","allows":[{"form":"accumulate_in_half","ops":["cumsum"],"dtypes":["f16"]},
      {"form":"lost_nan","except":["mul"],"source":"seen"},{"form":"open_shifts"}]})");
  ASSERT_TRUE(profile.has_value()) << profile.error().text();
  for (const char* op : {"aten.cumsum.default", "aten.cumsum_.default"}) {
    EXPECT_TRUE(allows(*profile, Form::AccumulateInHalf, op, DType::F16)) << op;
    EXPECT_FALSE(allows(*profile, Form::AccumulateInHalf, op, DType::BF16)) << op;
  }
  EXPECT_FALSE(allows(*profile, Form::AccumulateInHalf, "aten.cumprod.default", DType::F16));
  for (const char* op : {"aten.mul.Tensor", "aten.mul.Scalar", "aten.mul_.Tensor"}) {
    EXPECT_FALSE(allows(*profile, Form::LostNan, op, DType::F64)) << op;
  }
  EXPECT_TRUE(allows(*profile, Form::LostNan, "aten.add.Tensor", DType::F64));
  EXPECT_TRUE(allows(*profile, Form::OpenShifts, "aten.bitwise_left_shift.Tensor", DType::I32));
  EXPECT_FALSE(allows(*profile, Form::OpenShifts, "aten.add.Tensor", DType::I32)) << "not of the form's families";
}

TEST(Profile, WhatIsAllowedIsAddedToTheBasesUnlessItIsRevoked) {
  const auto adds = read(R"({"name":"x","extends":"executorch","allows":[{"form":"lost_nan"}]})");
  ASSERT_TRUE(adds.has_value()) << adds.error().text();
  EXPECT_TRUE(allows(*adds, Form::LostNan, "aten.exp.default", DType::F32));
  EXPECT_TRUE(allows(*adds, Form::SignOfNan, "aten.sgn.default", DType::F32));
  const auto less = read(
      R"({"name":"x","extends":"executorch","allows":[{"form":"sign_of_nan","dtypes":["f16"]}],"revokes":["sign_of_nan"]})");
  ASSERT_TRUE(less.has_value()) << less.error().text();
  EXPECT_TRUE(allows(*less, Form::SignOfNan, "aten.sgn.default", DType::F16));
  EXPECT_FALSE(allows(*less, Form::SignOfNan, "aten.sgn.default", DType::F32));
  EXPECT_TRUE(allows(*less, Form::OpenShifts, "aten.bitwise_left_shift.Tensor", DType::I64));
}

// As it was measured: a sum of 2048 and eight ones.
TEST(Profile, ExecuTorchSumsHalvesAsHalvesInSomeOps) {
  const Profile& executorch = *find_profile("executorch");
  for (const char* op : {"aten.cumsum.default", "aten.addmm.default", "aten.conv2d.default", "aten.avg_pool2d.default",
                         "aten.scatter_add.default", "aten.index_put.default"}) {
    EXPECT_TRUE(allows(executorch, Form::AccumulateInHalf, op, DType::BF16)) << op;
  }
  for (const char* op : {"aten.sum.dim_IntList", "aten.mean.dim", "aten.mm.default", "aten.bmm.default",
                         "aten.linear.default", "aten.linalg_vector_norm.default"}) {
    EXPECT_FALSE(allows(executorch, Form::AccumulateInHalf, op, DType::F16)) << op;
    EXPECT_TRUE(allows(*find_profile("executorch-xnnpack"), Form::AccumulateInHalf, op, DType::F16)) << op;
  }
}

TEST(Profile, AMistakeIsNamedByItsPlace) {
  struct Row {
    const char* text;
    const char* pointer;
  };
  for (const Row& row :
       {Row{R"({"functions":{}})", ""},
        Row{R"({"name":"x","extends":"nobody's"})", "/extends"},
        Row{R"({"name":"x","flush_to_zero":1})", "/flush_to_zero"},
        Row{R"({"name":"x","flushes":true})", "/flushes"},
        Row{R"({"name":"x","product_precision":10})", "/product_precision"},
        Row{R"({"name":"x","functions":{"expo":{}}})", "/functions/expo"},
        Row{R"({"name":"x","functions":{"exp":{"ulp":-1}}})", "/functions/exp/ulp"},
        Row{R"({"name":"x","functions":{"exp":{"ulp":1e300}}})", "/functions/exp/ulp"},
        Row{R"({"name":"x","functions":{"exp":{"i32":{"ulp":1}}}})", "/functions/exp/i32"},
        Row{R"({"name":"x","functions":[]})", "/functions"},
        Row{R"([])", ""},
        Row{R"({"name":"x","half_accumulates_half":true})", "/half_accumulates_half"},
        Row{R"({"name":"x","allows":{}})", "/allows"},
        Row{R"({"name":"x","allows":[{}]})", "/allows/0"},
        Row{R"({"name":"x","allows":[{"form":"lost_nan"},{"form":"lost_numbers"}]})", "/allows/1/form"},
        Row{R"({"name":"x","allows":[{"form":"lost_nan","op":["add"]}]})", "/allows/0/op"},
        Row{R"({"name":"x","allows":[{"form":"lost_nan","ops":["add","plus"]}]})", "/allows/0/ops/1"},
        Row{R"({"name":"x","allows":[{"form":"cancelling_gate","ops":["add"]}]})", "/allows/0/ops/0"},
        Row{R"({"name":"x","allows":[{"form":"lost_nan","except":["add_"]}]})", "/allows/0/except/0"},
        Row{R"({"name":"x","allows":[{"form":"lost_nan","dtypes":["f33"]}]})", "/allows/0/dtypes/0"},
        Row{R"({"name":"x","allows":[{"form":"accumulate_in_half","dtypes":["f16","f32"]}]})", "/allows/0/dtypes/1"},
        Row{R"({"name":"x","revokes":["lost_numbers"]})", "/revokes/0"}}) {
    const auto profile = read(row.text);
    ASSERT_FALSE(profile.has_value()) << row.text;
    EXPECT_EQ(profile.error().pointer, row.pointer) << profile.error().text();
  }
}

}  // namespace
}  // namespace parallax
