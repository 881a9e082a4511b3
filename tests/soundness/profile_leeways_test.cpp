// What a form, or the rounding model, leaves open lies within the bounds, and only there: each row is what a released
// system gave.
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "core/limits.h"
#include "ops/profiles.h"
#include "tests/soundness/checked_call.h"

namespace parallax {
namespace {

struct Row {
  const char* name;
  std::variant<Form, bool RoundingModel::*> leeway;
  const char* op;
  CheckedCall::Operand operand;
  std::vector<Argument> others;
  double found;  // the first element of the first result
};

bool may_be(const Profile& profile, const Row& row) {
  const auto call = CheckedCall::build(row.op, DType::F32, profile, {row.operand}, row.others);
  const Ball ball = call.result_balls().front().front();
  return ball.decided() && std::isfinite(ball.mid) && ball.low() <= row.found && row.found <= ball.high();
}

TEST(ProfileLeeways, LeaveOpenWhatASystemDoes) {
  const Row rows[] = {
      // A tree of maxima: NaN takes the 1 along, and the 0 then shows in the place of the NaN.
      {"onnxruntime: ReduceMax", Form::DroppedNan, "aten.amax.default", {{4}, {0, nan, 0, 1}}, {}, 0},
      {"the same of a norm",
       Form::DroppedNan,
       "aten.linalg_vector_norm.default",
       {{4}, {0, nan, 0, 1}},
       {Scalar(infinity)},
       0},
      {"onnxruntime: TopK", Form::UnorderedNan, "aten.sort.default", {{7}, {3, nan, 1, 2, 0, nan, -1}}, {}, 3},
      {"onnxruntime: Resize of a line",
       Form::InterpolationBySteps,
       "aten.upsample_linear1d.default",
       {{1, 1, 1}, {0.8F}},
       {IntList{4}, Scalar(false)},
       0.8000001F},
      {"opencv: Relu", &RoundingModel::flushes_operands, "aten.relu.default", {{1}, {-6e-39F}}, {}, -6e-39F},
      {"opencv: a remainder",
       &RoundingModel::flushes_operands,
       "aten.remainder.Scalar",
       {{1}, {-6e-39F}},
       {Scalar(1.0)},
       -6e-39F},
      {"opencv: a remainder whose rest alone is subnormal",
       &RoundingModel::flushes_operands,
       "aten.remainder.Scalar",
       {{1}, {-0x1p-125F}},
       {Scalar(0x1.8p-126)},
       -0x1p-127F},
      {"the same of a negative divisor",
       &RoundingModel::flushes_operands,
       "aten.remainder.Scalar",
       {{1}, {0x1p-125F}},
       {Scalar(-0x1.8p-126)},
       0x1p-127F},
  };
  for (const Row& row : rows) {
    Profile profile = *find_profile("eager");
    EXPECT_FALSE(may_be(profile, row)) << row.name << " without it";
    if (const auto* form = std::get_if<Form>(&row.leeway)) {
      allow(profile, *form);
    } else {
      profile.*std::get<1>(row.leeway) = true;
    }
    EXPECT_TRUE(may_be(profile, row)) << row.name;
  }
}

// A rest that is no subnormal number is none that may count as 0.
TEST(ProfileLeeways, OtherRestsStayExact) {
  Profile profile = *find_profile("eager");
  profile.flushes_operands = true;
  const auto call = CheckedCall::build("aten.remainder.Scalar", DType::F32, profile, {{{2}, {-3, -6}}}, {Scalar(5.0)});
  for (int i = 0; i < 2; ++i) {
    const Ball ball = call.result_balls().front()[static_cast<std::size_t>(i)];
    EXPECT_TRUE(ball.is_exact() && ball.mid == (i == 0 ? 2 : 4)) << i;
  }
}

// As XLA takes them on a CPU, whose switch is the same for both widths.
TEST(ProfileLeeways, ASubnormalOfF64MayCountAsZeroToo) {
  Profile profile = *find_profile("eager");
  for (const bool flushes : {false, true}) {
    profile.flushes_operands = flushes;
    const auto call = CheckedCall::build("aten.maximum.default", DType::F64, profile, {{{1}, {1e-310}}, {{1}, {0}}});
    const Ball ball = call.result_balls().front().front();
    EXPECT_EQ(ball.low() <= 0, flushes);
  }
}

// A line of numbers has one order, whatever the profile says of NaN.
TEST(ProfileLeeways, NumbersStayInOrder) {
  Profile profile = *find_profile("eager");
  allow(profile, Form::UnorderedNan);
  const auto call = CheckedCall::build("aten.sort.default", DType::F32, profile, {{{3}, {2, 1, 3}}});
  for (int i = 0; i < 3; ++i) {
    const Ball ball = call.result_balls().front()[static_cast<std::size_t>(i)];
    EXPECT_TRUE(ball.is_exact() && ball.mid == i + 1) << i;
  }
}

TEST(ProfileLeeways, TheSignOfNaNMayStayNaN) {
  Profile profile = *find_profile("eager");
  const auto sign = [&] {
    return CheckedCall::build("aten.sgn.default", DType::F32, profile, {{{2}, {nan, -3}}}).result_balls().front();
  };
  EXPECT_FALSE(sign()[0].may_nan);
  allow(profile, Form::SignOfNan);
  EXPECT_TRUE(sign()[0].may_nan);
  EXPECT_FALSE(sign()[1].may_nan);
}

TEST(ProfileLeeways, ShiftsOutOfRangeMayBeAnything) {
  Profile profile = *find_profile("eager");
  for (const bool open : {false, true}) {
    if (open) allow(profile, Form::OpenShifts);
    for (const char* op : {"aten.bitwise_left_shift.Tensor", "aten.bitwise_right_shift.Tensor"}) {
      OpHarness harness(profile);
      const ValueId a = harness.add(DType::I64, {4}, {-4, 1, 1, 1});
      const ValueId bits = harness.add(DType::I64, {4}, {-4, 64, 63, 0});
      const auto shifted = harness.call(op, {a, bits});
      ASSERT_TRUE(shifted) << shifted.error().text();
      for (int i = 0; i < 4; ++i) {
        const Undecided expected = open && i < 2 ? Undecided::ShiftOutOfRange : Undecided::No;
        EXPECT_EQ(harness.integer(*shifted, i).undecided, expected) << op << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace parallax
