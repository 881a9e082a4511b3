// Lost values: what the oracle allows a target that clamps NaN away and takes subnormal operands for 0, and no other.
#include "oracle/lost_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/ball_math.h"
#include "ops/profiles.h"
#include "ops/registry.h"
#include "oracle/acceptance.h"
#include "oracle/interpreter.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::case_of;

Profile losing() {
  Profile profile = *find_profile("portable");
  profile.flush_to_zero = profile.flushes_operands = true;
  for (const Op& op : all_ops()) allow(profile, Form::LostNan, op, std::array{DType::F32});
  return profile;
}

std::vector<Ball> outputs(const std::string& type, const std::string& op, const std::string& data,
                          const Profile& profile) {
  const Case test = case_of(R"({"inputs": {"x": {"type": ")" + type + R"("}},
    "nodes": [{"out": "y", "op": "aten.)" +
                                op + R"(", "args": ["%x"]}], "outputs": ["%y"]})",
                            R"({"x": [)" + data + "]}");
  return Interpreter(test.graph, profile).run(test.feed).value().outputs[0].balls;
}

TEST(LostValues, NanOfF32ArithmeticIsUndecided) {
  const std::vector<Ball> balls = outputs("f32[2]", "sqrt.default", "-1, 4", losing());
  EXPECT_EQ(balls[0].undecided, Undecided::Unbounded);
  EXPECT_TRUE(balls[1].decided());
  EXPECT_TRUE(outputs("f64[1]", "sqrt.default", "-1", losing())[0].decided()) << "only f32 loses it";
  EXPECT_TRUE(outputs("f32[1]", "sqrt.default", "-1", *find_profile("portable"))[0].decided());
  EXPECT_TRUE(outputs("f32[1]", "alias.default", R"("nan")", losing())[0].decided()) << "a view computes nothing";
  EXPECT_TRUE(outputs("f32[1]", "clone.default", R"("nan")", losing())[0].decided()) << "nor does a copy";
}

TEST(LostValues, NanOfAnOperandMayBeLostWhereWhatIsMadeStays) {
  Profile clamping = *find_profile("portable");
  for (const Op& op : all_ops()) allow(clamping, Form::LostOperandNan, op, std::array{DType::F32});
  const std::vector<Ball> made = outputs("f32[2]", "log.default", "-1, 1", clamping);
  EXPECT_TRUE(made[0].decided());
  EXPECT_FALSE(accepts(DType::F32, made[0], 0)) << "the logarithm of -1 is NaN";
  EXPECT_EQ(outputs("f32[1]", "log.default", R"("nan")", clamping)[0].undecided, Undecided::Unbounded);
  EXPECT_EQ(outputs("f32[1]", "log_.default", R"("nan")", clamping)[0].undecided, Undecided::Unbounded)
      << "what is written over was an operand, too";
  EXPECT_TRUE(outputs("f64[1]", "log.default", R"("nan")", clamping)[0].decided()) << "only f32 loses it";
}

TEST(LostValues, NanThatMayBecomeAnInfinityIsNoNumber) {
  Profile clamping = *find_profile("portable");
  for (const Op& op : all_ops()) allow(clamping, Form::InfiniteNan, op, std::array{DType::F32});
  const Ball root = outputs("f32[1]", "sqrt.default", "-1", clamping)[0];
  EXPECT_TRUE(root.decided());
  EXPECT_TRUE(accepts(DType::F32, root, std::nan("")));
  EXPECT_TRUE(accepts(DType::F32, root, -INFINITY));
  EXPECT_TRUE(accepts(DType::F32, root, INFINITY));
  EXPECT_FALSE(accepts(DType::F32, root, 1));
  EXPECT_TRUE(outputs("f32[1]", "sqrt.default", "4", clamping)[0].is_exact());
  EXPECT_FALSE(accepts(DType::F64, outputs("f64[1]", "sqrt.default", "-1", clamping)[0], INFINITY));
}

// A comparison has no NaN to lose: it takes the one it reads for some number.
TEST(LostValues, ComparisonsOfNanAreUndecided) {
  const auto truth = [](const std::string& op, const std::string& data, const Profile& profile) {
    const Case test = case_of(R"({"inputs": {"x": {"type": "f32[1]"}, "z": {"type": "f32[1]"}},
      "nodes": [{"out": "y", "op": "aten.)" +
                                  op + R"(", "args": ["%x", "%z"]}], "outputs": ["%y"]})",
                              R"({"x": [)" + data + R"(], "z": [)" + data + "]}");
    return Interpreter(test.graph, profile).run(test.feed).value().outputs[0].integers[0];
  };
  for (const std::string op : {"gt.Tensor", "eq.Tensor", "logical_and.default"}) {
    EXPECT_FALSE(truth(op, R"("nan")", losing()).decided()) << op;
    EXPECT_TRUE(truth(op, "1", losing()).decided()) << op;
    EXPECT_TRUE(truth(op, R"("nan")", *find_profile("portable")).decided()) << op;
  }
  EXPECT_FALSE(truth("gt.Tensor", R"("nan")", *find_profile("openvino")).decided()) << "NaN > NaN is true there";
  EXPECT_TRUE(truth("lt.Tensor", R"("nan")", *find_profile("openvino")).decided());
}

TEST(LostValues, TheTruthOfNanIsUndecided) {
  const auto truth = [](const std::string& op, const Profile& profile) {
    const Case test = case_of(R"({"inputs": {"x": {"type": "f32[2]"}},
      "nodes": [{"out": "y", "op": "aten.)" +
                                  op + R"(", "args": ["%x"]}], "outputs": ["%y"]})",
                              R"({"x": ["nan", 0]})");
    return Interpreter(test.graph, profile).run(test.feed).value().outputs[0].integers[0];
  };
  for (const std::string op : {"any.default", "count_nonzero.default", "logical_not.default"}) {
    EXPECT_FALSE(truth(op, losing()).decided()) << op;
    EXPECT_TRUE(truth(op, *find_profile("portable")).decided()) << op;
  }
  EXPECT_TRUE(truth("all.default", losing()).decided()) << "the other element is 0";
}

TEST(LostValues, SubnormalOperandsMayBeZero) {
  const std::string subnormal = "1e-40";
  const Ball ceiled = outputs("f32[1]", "ceil.default", subnormal, losing())[0];
  EXPECT_TRUE(!ceiled.decided() || ceiled.low() <= 0) << "ceil of 0 is 0";
  const Ball kept = outputs("f32[1]", "ceil.default", subnormal, *find_profile("portable"))[0];
  EXPECT_TRUE(kept.is_exact());
  EXPECT_EQ(kept.mid, 1);
  EXPECT_TRUE(kept_of(1e-37, DType::F32, losing()).is_exact()) << "normal";
  EXPECT_FALSE(kept_of(1e-40, DType::BF16, losing()).is_exact()) << "subnormal in f32, which it is widened to";
  EXPECT_TRUE(kept_of(6e-8, DType::F16, losing()).is_exact()) << "normal in f32";
  EXPECT_TRUE(kept_of(1e-40, DType::F64, losing()).is_exact()) << "normal in f64";
  for (const double x : {1e-310, -1e-310, 5e-324, 3 * 5e-324}) {
    const Ball ball = kept_of(x, DType::F64, losing());
    EXPECT_TRUE(contains_zero(ball) && accepts(DType::F64, ball, x)) << x;
  }
  EXPECT_TRUE(kept_of(0, DType::F32, losing()).is_exact());
}

// The one of two that is passed on is an operand or, flushed, 0: nothing below both and 0 comes out.
TEST(LostValues, AMaximumOfSubnormalOperandsIsOneOfThemOrZero) {
  EXPECT_TRUE(outputs("f32[1]", "relu.default", "0", losing())[0].is_exact());
  EXPECT_TRUE(outputs("f32[1]", "relu.default", "-0.0", losing())[0].is_exact());
  const Ball kept = outputs("f32[1]", "relu.default", "1e-40", losing())[0];
  EXPECT_TRUE(accepts(DType::F32, kept, 0) && accepts(DType::F32, kept, 1e-40F));
  EXPECT_FALSE(accepts(DType::F32, kept, 1e-39F));
  const Ball below = outputs("f32[1]", "relu.default", "-1e-40", losing())[0];
  EXPECT_TRUE(accepts(DType::F32, below, 0) && accepts(DType::F32, below, -1e-40F)) << "passed on as it is";
  EXPECT_FALSE(accepts(DType::F32, below, 1e-39F));
}

}  // namespace
}  // namespace parallax
