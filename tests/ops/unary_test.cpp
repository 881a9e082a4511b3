// Examples of the unary families: results at the points that anybody can check, and what eager refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "ops/ball_functions.h"
#include "ops/ball_special.h"
#include "ops/profiles.h"
#include "ops/registry.h"
#include "ops/sample.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

Argument integer(int64_t x) { return Scalar(x); }
Argument real(double x) { return Scalar(x); }

// A call of all the leading arguments, keyword ones as well.
Result<ValueId> call(OpHarness& harness, const char* op, std::vector<Argument> arguments) {
  return harness.call(op_named(op), with_defaults(op_named(op), std::move(arguments)));
}

// One call over a 1-d tensor, and its exact result.
struct Example {
  const char* op;
  DType dtype;
  std::vector<double> operand;
  std::vector<Argument> rest;
  std::vector<double> result;
};

TEST(Unary, ExactResults) {
  const std::vector<Example> examples = {
      {"aten.sign.default", DType::F32, {-2.5, 0, 7, nan, -infinity}, {}, {-1, 0, 1, 0, -1}},
      {"aten.sgn.default", DType::Bool, {1, 0}, {}, {1, 0}},
      {"aten.sign.default", DType::I8, {-128, 0, 5}, {}, {-1, 0, 1}},
      {"aten.square.default", DType::U8, {200, 3}, {}, {64, 9}},
      {"aten.square.default", DType::F32, {-1.5, infinity}, {}, {2.25, infinity}},
      {"aten.bitwise_not.default", DType::U8, {0, 200}, {}, {255, 55}},
      {"aten.bitwise_not.default", DType::Bool, {1, 0}, {}, {0, 1}},
      {"aten.bitwise_not_.default", DType::I64, {0, -5}, {}, {-1, 4}},
      {"aten.ceil.default", DType::F32, {-0.5, 1.25, infinity, nan}, {}, {0, 2, infinity, nan}},
      {"aten.floor_.default", DType::F16, {-0.5, 1.25, -infinity}, {}, {-1, 1, -infinity}},
      {"aten.round.default", DType::F32, {0.5, 1.5, 2.5, -2.5}, {}, {0, 2, 2, -2}},
      {"aten.trunc.default", DType::BF16, {-1.5, 1.5}, {}, {-1, 1}},
      {"aten.ceil.default", DType::I32, {-3, 4}, {}, {-3, 4}},
      {"aten.frac.default", DType::F32, {-2.25, 2.25, infinity, nan}, {}, {-0.25, 0.25, nan, nan}},
      {"aten.round.decimals", DType::F32, {15, 25, -35}, {integer(-1)}, {20, 20, -40}},
      {"aten.round.decimals", DType::F32, {2.5, -0.5}, {integer(0)}, {2, 0}},
      {"aten.isnan.default", DType::F32, {nan, 1, infinity}, {}, {1, 0, 0}},
      {"aten.isinf.default", DType::F32, {nan, 1, -infinity}, {}, {0, 0, 1}},
      {"aten.isfinite.default", DType::F32, {nan, 1, -infinity}, {}, {0, 1, 0}},
      {"aten.isposinf.default", DType::F32, {infinity, 1, -infinity}, {}, {1, 0, 0}},
      {"aten.isneginf.default", DType::F32, {infinity, 1, -infinity}, {}, {0, 0, 1}},
      {"aten.isinf.default", DType::I32, {0, 5}, {}, {0, 0}},
      {"aten.isfinite.default", DType::Bool, {0, 1}, {}, {1, 1}},
      {"aten.signbit.default", DType::F32, {-2, 3, -infinity}, {}, {1, 0, 1}},
      {"aten.signbit.default", DType::I8, {-2, 0}, {}, {1, 0}},
      {"aten.logical_not_.default", DType::F32, {0, 2, nan}, {}, {1, 0, 0}},
      {"aten.nan_to_num.default", DType::F16, {nan, infinity, -infinity, 2}, {}, {0, 65504, -65504, 2}},
      {"aten.nan_to_num.default", DType::F16, {nan, infinity}, {real(0.5), real(1e30)}, {0.5, infinity}},
      {"aten.nan_to_num_.default", DType::I32, {3, -4}, {real(0.5)}, {3, -4}},
      {"aten.log.default", DType::F32, {0, infinity, -1, -infinity, nan}, {}, {-infinity, infinity, nan, nan, nan}},
      {"aten.log2.default", DType::I32, {0, -1}, {}, {-infinity, nan}},
      {"aten.log1p.default", DType::F64, {-1, infinity, -2}, {}, {-infinity, infinity, nan}},
      {"aten.rsqrt.default", DType::I32, {0, -4}, {}, {infinity, nan}},
      {"aten.reciprocal.default", DType::F32, {4, -0.5, infinity, nan}, {}, {0.25, -2, 0, nan}},
      {"aten.reciprocal.default", DType::Bool, {0, 1}, {}, {infinity, 1}},
      {"aten.logit.default", DType::F32, {0, 1, 2, -1, nan}, {}, {-infinity, infinity, nan, nan, nan}},
      {"aten.atanh.default", DType::F32, {1, -1, 1.5, infinity}, {}, {infinity, -infinity, nan, nan}},
      {"aten.asin.default", DType::F32, {1.5, infinity}, {}, {nan, nan}},
      {"aten.tan.default", DType::F32, {infinity, nan}, {}, {nan, nan}},
      {"aten.cosh.default", DType::F32, {-infinity, infinity}, {}, {infinity, infinity}},
      {"aten.sinh.default", DType::F32, {-infinity, infinity}, {}, {-infinity, infinity}},
      {"aten.sinc.default", DType::F32, {0, infinity}, {}, {1, nan}},
      {"aten.lgamma.default",
       DType::F32,
       {0, -1, -7, infinity, -infinity, nan},
       {},
       {infinity, infinity, infinity, infinity, infinity, nan}},
      {"aten.elu.default", DType::F32, {3, nan, infinity}, {}, {3, nan, infinity}},
      {"aten.leaky_relu.default", DType::F32, {-4, 2, -infinity}, {real(0.25)}, {-1, 2, -infinity}},
      {"aten.hardtanh.default", DType::F32, {-4, 0.5, infinity, nan}, {}, {-1, 0.5, 1, nan}},
      {"aten.hardtanh.default", DType::F32, {2}, {integer(3), integer(1)}, {1}},
      {"aten.hardtanh.default", DType::I32, {-4, 0, 9}, {integer(-2), real(2.5)}, {-2, 0, 2}},
      {"aten.relu6.default", DType::U8, {4, 200}, {}, {4, 6}},
      {"aten.relu6_.default", DType::F32, {-1, 4, 200}, {}, {0, 4, 6}},
      {"aten.hardsigmoid.default", DType::F32, {-3, 0, 3, infinity, -infinity}, {}, {0, 0.5, 1, 1, 0}},
      {"aten.hardswish.default", DType::F32, {-3, 0, -7}, {}, {0, 0, 0}},
      {"aten.hardshrink.default", DType::F32, {-0.5, 0.75, nan, infinity}, {}, {0, 0.75, nan, infinity}},
      {"aten.softshrink.default", DType::F32, {-0.75, 0.5, 2, nan}, {}, {-0.25, 0, 1.5, nan}},
      {"aten.threshold.default", DType::F32, {1, 2, nan}, {integer(1), integer(9)}, {9, 2, nan}},
      {"aten.threshold_.default", DType::I8, {1, 2}, {integer(1), integer(-9)}, {-9, 2}},
      {"aten.softplus.default", DType::F32, {30, nan}, {}, {30, nan}},
      {"aten.silu.default", DType::F32, {infinity, nan}, {}, {infinity, nan}},
  };
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const Example& example = examples[k];
    SCOPED_TRACE(std::string(example.op) + ", example " + std::to_string(k));
    OpHarness harness;
    std::vector<Argument> arguments = {
        harness.add(example.dtype, {static_cast<int64_t>(example.operand.size())}, example.operand)};
    arguments.insert(arguments.end(), example.rest.begin(), example.rest.end());
    const Result<ValueId> result = call(harness, example.op, arguments);
    ASSERT_TRUE(result.has_value()) << result.error().text();
    for (std::size_t i = 0; i < example.result.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      if (is_floating(harness.meta(*result).dtype)) {
        EXPECT_TRUE(same_ball(harness.ball(*result, index), Ball::exact(example.result[i]))) << "element " << i;
      } else {
        EXPECT_EQ(harness.integer(*result, index).value, static_cast<int64_t>(example.result[i])) << "element " << i;
        EXPECT_EQ(harness.integer(*result, index).undecided, Undecided::No) << "element " << i;
      }
    }
  }
}

// What eager of PyTorch 2.13 returned on a CPU, f32.
struct Value {
  const char* op;
  double x;
  std::vector<Argument> rest;
  double result;
};

TEST(Unary, EagersValuesLieInTheBalls) {
  const std::vector<Value> values = {
      {"aten.log10.default", 1e5, {}, 5},
      {"aten.exp2.default", 2.5, {}, 5.656854152679443},
      {"aten.expm1.default", -2.5, {}, -0.9179149866104126},
      {"aten.erf.default", 0.5, {}, 0.5204998850822449},
      {"aten.erfc.default", 2.5, {}, 0.0004069520218763500},
      {"aten.lgamma.default", -2.5, {}, -0.056243717670440674},
      {"aten.tan.default", 2.5, {}, -0.7470223307609558},
      {"aten.rsqrt.default", 2.5, {}, 0.6324555277824402},
      {"aten.sinh.default", 89.3, {}, infinity},
      {"aten.sinc.default", 1, {}, -2.7827534e-08},
      {"aten.gelu.default", -2.5, {}, -0.015524178743362427},
      {"aten.gelu.default", -infinity, {}, nan},
      {"aten.gelu.default", infinity, {}, nan},
      {"aten.gelu.default", infinity, {}, infinity},
      {"aten.gelu.default", 3e38, {}, infinity},
      {"aten.gelu.default", 3e38, {}, 3e38},
      {"aten.gelu.default", infinity, {std::string("tanh")}, infinity},
      {"aten.silu.default", -2.5, {}, -0.18964545428752899},
      {"aten.silu.default", -3e38, {}, 0},
      {"aten.mish.default", -2.5, {}, -0.19681607186794281},
      {"aten.hardswish.default", 3e38, {}, infinity},
      {"aten.selu.default", -1, {}, -1.1113307476043701},
      {"aten.log_sigmoid.default", 2.5, {}, -0.07888972759246826},
      {"aten.log_sigmoid.default", -infinity, {}, -infinity},
      {"aten.softplus.default", -2.5, {}, 0.0788897275924682617},
      {"aten.celu.default", -2, {real(-1.5)}, -4.190501689910889},
      {"aten.rad2deg.default", 2.5, {}, 143.2394561767578},
      {"aten.round.decimals", 1.25, {integer(1)}, 1.2000000476837158},
      {"aten.round.decimals", 1.25, {integer(40)}, nan},
  };
  for (const Value& value : values) {
    OpHarness harness;
    std::vector<Argument> arguments = {harness.add(DType::F32, {1}, {value.x})};
    arguments.insert(arguments.end(), value.rest.begin(), value.rest.end());
    const Result<ValueId> result = call(harness, value.op, arguments);
    ASSERT_TRUE(result.has_value()) << value.op;
    EXPECT_TRUE(harness.ball(*result).decided()) << value.op;
    EXPECT_TRUE(in_ball(DType::F32, harness.ball(*result), round_to(DType::F32, value.result)))
        << value.op << " of " << value.x << ": " << harness.ball(*result).mid << " by " << harness.ball(*result).radius;
  }
}

// x (1 + erf) overflows before it is halved, in f32: neither in f64 nor from a smaller number on, nor by the tanh form.
TEST(Unary, GeluOverflowsInEagersOwnFormAlone) {
  struct Row {
    DType dtype;
    double x;
    const char* form;
    bool overflows;
  };
  for (const Row& row : {Row{DType::F32, 1.75e38, "none", true}, Row{DType::BF16, 0x1p127, "none", true},
                         Row{DType::F32, 1.65e38, "none", false}, Row{DType::F64, 3e38, "none", false},
                         Row{DType::F64, infinity, "none", false}, Row{DType::F16, 40000, "none", false},
                         Row{DType::F32, 3e38, "tanh", false}, Row{DType::F32, -infinity, "none", false}}) {
    OpHarness harness;
    const double x = round_to(row.dtype, row.x);
    const Result<ValueId> result =
        call(harness, "aten.gelu.default", {harness.add(row.dtype, {1}, {x}), std::string(row.form)});
    ASSERT_TRUE(result.has_value());
    const Ball ball = harness.ball(*result);
    EXPECT_EQ(in_ball(row.dtype, ball, infinity), row.overflows || row.x == infinity) << x << ", " << row.form;
    EXPECT_EQ(in_ball(row.dtype, ball, nan), row.x == -infinity) << x << ", " << row.form;
    EXPECT_TRUE(row.x < 0 || in_ball(row.dtype, ball, x)) << x << ", " << row.form;
  }
}

TEST(Unary, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId boolean = harness.add(DType::Bool, {2});
  const ValueId whole = harness.add(DType::I32, {2});
  const ValueId byte = harness.add(DType::U8, {2});
  const ValueId half = harness.add(DType::F16, {2});
  const ValueId single = harness.add(DType::F32, {2});
  const ValueId scalar = harness.add(DType::F32, Dims{});
  const ValueId expanded = harness.add(DType::F32, Layout{{3}, {0}, 0});
  const std::vector<std::pair<const char*, std::vector<Argument>>> refused = {
      {"aten.ceil.default", {boolean}},
      {"aten.frac.default", {whole}},
      {"aten.round.decimals", {whole, integer(1)}},
      {"aten.bitwise_not.default", {single}},
      {"aten.log_.default", {whole}},
      {"aten.square_.default", {boolean}},
      {"aten.log_.default", {expanded}},
      {"aten.gelu.default", {whole}},
      {"aten.gelu.default", {single, std::string("fast")}},
      {"aten.hardtanh.default", {boolean}},
      {"aten.hardtanh.default", {byte}},
      {"aten.hardtanh.default", {byte, integer(0), integer(300)}},
      {"aten.hardtanh.default", {whole, integer(0), real(infinity)}},
      {"aten.hardtanh.default", {half, integer(0), real(1e6)}},
      {"aten.leaky_relu.default", {half, real(1e300)}},
      {"aten.threshold.default", {half, real(1e30), real(1e30)}},
      {"aten.softshrink.default", {single, integer(-1)}},
      {"aten.celu.default", {single, integer(0)}},
      {"aten.log_sigmoid.default", {whole}},
      {"aten.glu.default", {scalar}},
      {"aten.glu.default", {harness.add(DType::F32, {3})}},
  };
  for (const auto& [op, arguments] : refused) {
    const std::vector<Argument> all = with_defaults(op_named(op), arguments);
    EXPECT_FALSE(op_named(op).infer(Call(op_named(op), all, harness.metas()))) << op;
  }
  EXPECT_TRUE(harness.infer("aten.threshold.default", {half, real(1e30), integer(1)})) << "computed in f32";
  EXPECT_TRUE(harness.infer("aten.relu6.default", {byte}));
}

TEST(Unary, ResultTypes) {
  OpHarness harness;
  const auto dtype = [&](const char* op, DType operand) {
    return harness.infer(op, {harness.add(operand, {2})})->front().dtype;
  };
  EXPECT_EQ(dtype("aten.log.default", DType::I64), DType::F32);
  EXPECT_EQ(dtype("aten.erf.default", DType::F16), DType::F16);
  EXPECT_EQ(dtype("aten.sign.default", DType::Bool), DType::Bool);
  EXPECT_EQ(dtype("aten.square.default", DType::Bool), DType::I64);
  EXPECT_EQ(dtype("aten.isnan.default", DType::F64), DType::Bool);
}

// These make their result as a clone is made, the others as the element-wise iterator does.
TEST(Unary, SomeKeepTheStridesOfSizeOneDims) {
  OpHarness harness;
  const Layout odd = {{2, 1, 3}, {3, 7, 1}, 0};
  const Layout permuted = {{2, 3}, {1, 2}, 0};
  const auto strides = [&](const char* op, DType dtype, const Layout& layout) {
    return harness.infer(op, {harness.add(dtype, layout)})->front().layout.strides;
  };
  for (const char* op :
       {"aten.hardtanh.default", "aten.relu6.default", "aten.deg2rad.default", "aten.nan_to_num.default"}) {
    EXPECT_EQ(strides(op, DType::F32, odd), (Dims{3, 7, 1})) << op;
  }
  EXPECT_EQ(strides("aten.isinf.default", DType::I32, odd), (Dims{3, 7, 1}));
  EXPECT_EQ(strides("aten.isinf.default", DType::F32, odd), (Dims{3, 3, 1}));
  EXPECT_EQ(strides("aten.log.default", DType::F32, odd), (Dims{3, 3, 1}));
  EXPECT_EQ(strides("aten.log.default", DType::F32, permuted), (Dims{1, 2}));
  EXPECT_EQ(strides("aten.log_sigmoid.default", DType::F32, permuted), (Dims{3, 1}));
}

TEST(Unary, GluGatesOneHalfByTheOther) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {1, 4}, {2, -3, 0, 0});
  const ValueId gated = *harness.call("aten.glu.default", {x});
  EXPECT_EQ(harness.meta(gated).layout.sizes, (Dims{1, 2}));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(gated, 0), 1));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(gated, 1), -1.5));
}

TEST(Unary, TheForwardOfLogSigmoidHandsOnAnExponential) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2}, {-1, 2});
  const ValueId output = *harness.call("aten.log_sigmoid_forward.default", {x});
  const ValueId buffer(output.index + 1);
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(output, 0), -1.3132616877555847));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(buffer, 0), 0.36787945032119751));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(buffer, 1), 0.13533528149127960));
}

Ball about(double mid, double radius) { return {mid, radius, false, false, Undecided::No}; }

TEST(UnaryEdges, AnIntervalAtTheEdgeOfADomain) {
  const BallMath math(DType::F32, *find_profile("eager"));
  const Ball touching = ball_log(math, about(0.25, 0.25));
  EXPECT_TRUE(touching.may_inf) << "it may be log 0";
  EXPECT_FALSE(touching.may_nan);
  EXPECT_TRUE(in_ball(DType::F32, touching, std::log(1e-30)));
  EXPECT_FALSE(in_ball(DType::F32, touching, -0.5));
  const Ball straddling = ball_log(math, about(0, 0.5));
  EXPECT_TRUE(straddling.may_inf && straddling.may_nan && straddling.decided());
  EXPECT_TRUE(is_definite_nan(ball_log(math, about(-1, 0.5))));
  EXPECT_TRUE(ball_asin(math, about(1, 0.25)).may_nan);
  EXPECT_TRUE(ball_atanh(math, about(0.75, 0.25)).may_inf);
}

TEST(UnaryEdges, ASignOfZeroThatIsNotKnown) {
  const BallMath math(DType::F32, *find_profile("eager"));
  for (const Ball& result : {ball_reciprocal(math, Ball::exact(0), false), ball_rsqrt(math, Ball::exact(0), false)}) {
    EXPECT_TRUE(result.decided());
    EXPECT_TRUE(in_ball(DType::F32, result, infinity));
    EXPECT_TRUE(in_ball(DType::F32, result, -infinity));
    EXPECT_FALSE(in_ball(DType::F32, result, 1e30));
    EXPECT_FALSE(in_ball(DType::F32, result, nan));
  }
  OpHarness harness;
  const ValueId zero = harness.add(DType::F32, {1});
  EXPECT_EQ(harness.integer(*harness.call("aten.signbit.default", {zero})).undecided, Undecided::SignedZero);
}

TEST(UnaryEdges, PolesAndSteps) {
  const BallMath math(DType::F32, *find_profile("eager"));
  EXPECT_EQ(ball_tan(math, about(1.5, 0.2)).undecided, Undecided::Unbounded);
  EXPECT_TRUE(ball_tan(math, about(3, 0.2)).decided());
  EXPECT_EQ(ball_lgamma(math, about(-2, 0.2)).undecided, Undecided::Unbounded);
  EXPECT_TRUE(ball_lgamma(math, about(-2.5, 0.2)).decided());
  EXPECT_TRUE(same_ball(ball_floor(math, about(2.5, 0.25)), Ball::exact(2)));
  EXPECT_LE(ball_floor(math, about(2, 0.25)).low(), 1);
  EXPECT_GE(ball_floor(math, about(2, 0.25)).high(), 2);
  EXPECT_TRUE(same_ball(ball_sign(math, about(2, 0.25)), Ball::exact(1)));
  EXPECT_LE(ball_sign(math, about(0, 0.25)).low(), -1);
  EXPECT_GE(ball_sign(math, about(0, 0.25)).high(), 1);
}

TEST(UnaryEdges, FlagsAreCarried) {
  const BallMath math(DType::F32, *find_profile("eager"));
  const Ball maybe_nan = {1, 0, true, false, Undecided::No};
  const Ball maybe_inf = {1, 0, false, true, Undecided::No};
  EXPECT_TRUE(ball_log(math, maybe_nan).may_nan);
  EXPECT_TRUE(ball_log(math, maybe_inf).may_nan && ball_log(math, maybe_inf).may_inf);
  EXPECT_TRUE(ball_frac(math, maybe_inf).may_nan);
  EXPECT_EQ(ball_is_nan(maybe_nan).undecided, Undecided::InexactCompare);
  EXPECT_EQ(ball_is_infinite(maybe_inf).undecided, Undecided::InexactCompare);
  EXPECT_EQ(ball_is_infinite(maybe_nan).value, 0);
  EXPECT_LE(ball_sign(math, maybe_inf).low(), -1);
  EXPECT_EQ(ball_sign(math, Ball::unknown(Undecided::Unbounded)).undecided, Undecided::Unbounded);
}

}  // namespace
}  // namespace parallax
