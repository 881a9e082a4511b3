#include "oracle/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/visible_error.h"

namespace parallax {
namespace {

const Profile& eager_profile() { return *find_profile("eager"); }

// A case of one input, whose graph `build` makes of it.
template <class Build>
Case case_over(const Tensor& input, Build build) {
  GraphBuilder builder;
  Case test;
  test.feed.push_back(input);
  const ValueId x = *builder.add_source(SourceKind::Input, "x", input.dtype, contiguous_layout(input.sizes));
  builder.add_output(build(builder, x));
  test.graph = builder.take();
  return test;
}

Tensor ragged(const Dims& sizes, DType dtype = DType::F32) {
  Tensor tensor(dtype, sizes);
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.set_double(i, std::sin(static_cast<double>(3 * i + 1)));
  return tensor;
}

std::vector<Spread> spreads_of(const Case& test, int members = reported_members) {
  ExpectedRuns expected = *expected_runs(eager_profile(), test);
  EXPECT_TRUE(add_spreads(eager_profile(), test, members, expected));
  return expected.a.outputs[0].spreads;
}

// x, then n times x / 3 * 3: the bound grows by two roundings each time, and so does no error that can be seen.
Case long_chain(int length) {
  return case_over(ragged({4}), [&](GraphBuilder& builder, ValueId x) {
    for (int i = 0; i < length; ++i) {
      x = *builder.call("aten.div.Scalar", {x, Scalar(3.0)});
      x = *builder.call("aten.mul.Scalar", {x, Scalar(3.0)});
    }
    return x;
  });
}

TEST(Ensemble, TheSpreadOfAChainStaysFarBelowItsBound) {
  const Case test = long_chain(60);
  const ExpectedRuns proof = *expected_runs(eager_profile(), test);
  const std::vector<Spread> spreads = spreads_of(test);
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const Ball& ball = proof.a.outputs[0].balls[i];
    EXPECT_NEAR(spreads[i].value, ball.mid, 1e-12);
    EXPECT_GT(spreads[i].half, 0);
    EXPECT_LE(spreads[i].half, ball.radius * 1.01);
    EXPECT_EQ(spreads[i].members, reported_members);
  }
}

TEST(Ensemble, TheSameCaseHasTheSameSpreads) {
  const std::vector<Spread> first = spreads_of(long_chain(5), first_look_members);
  const std::vector<Spread> second = spreads_of(long_chain(5), first_look_members);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].half, second[i].half);
}

// Errors that both operands share cancel: (x / 3) - (x / 3), each with its own rounding in the proof.
TEST(Ensemble, AProgramOfFewerElementsIsLookedAtByMoreMembers) {
  const auto most = [](int64_t elements) {
    const Case test = case_over(
        ragged({elements}), [](GraphBuilder& builder, ValueId x) { return *builder.call("aten.sin.default", {x}); });
    return looks_at(test.graph).back();
  };
  EXPECT_EQ(most(10), least_program_members);
  EXPECT_EQ(most(3'000), small_program_members);
  EXPECT_EQ(most(20'000), reported_members);
}

TEST(Ensemble, MembersAreRunJointlyThroughTheGraph) {
  const Case test = case_over(ragged({4}), [](GraphBuilder& builder, ValueId x) {
    const ValueId third = *builder.call("aten.div.Scalar", {x, Scalar(3.0)});
    const ValueId copy = *builder.call("aten.clone.default", {third});
    return *builder.call("aten.sub.Tensor", {third, copy});
  });
  for (const Spread& spread : spreads_of(test)) EXPECT_LT(spread.half, 1e-30);
}

// A deviation that cancels may be 0, then a third of it is 0 too, and 0 / 0 is NaN.
TEST(Ensemble, WhatBecomesZeroInAMemberStaysZero) {
  Tensor even(DType::F32, {4});
  for (int64_t i = 0; i < even.numel(); ++i) even.set_double(i, 1 + static_cast<double>(i) * 0x1p-23);
  const Case test = case_over(even, [](GraphBuilder& builder, ValueId x) {
    const ValueId scaled = *builder.call("aten.mul.Scalar", {x, Scalar(0.7)});
    const ValueId deviation = *builder.call("aten.std.dim", {scaled, IntList{0}});
    const ValueId third = *builder.call("aten.div.Scalar", {deviation, Scalar(3.0)});
    return *builder.call("aten.div.Tensor", {third, *builder.call("aten.clone.default", {third})});
  });
  for (const Spread& spread : spreads_of(test)) {
    EXPECT_NEAR(spread.value, 1, 1e-6);
    EXPECT_TRUE(std::isinf(spread.half)) << spread.half;
  }
}

// 1/3 * 3 may be 1 or a little less, and so floor may be 1 or 0: the members disagree, and say nothing.
TEST(Ensemble, ADecisionNearItsBoundIsNotDecided) {
  Tensor one(DType::F32, {1});
  one.set_double(0, 1);
  const Case test = case_over(one, [](GraphBuilder& builder, ValueId x) {
    for (int i = 0; i < 4; ++i) {
      x = *builder.call("aten.div.Scalar", {x, Scalar(3.0)});
      x = *builder.call("aten.mul.Scalar", {x, Scalar(3.0)});
    }
    return *builder.call("aten.floor.default", {x});
  });
  const Spread spread = spreads_of(test)[0];
  EXPECT_GT(accused_half_spreads * spread.half, 1);
}

// A comparison whose operands lie 30 half-spreads apart: every ordinary member agrees, an accused value need not.
TEST(Ensemble, AnExaggeratedErrorMeetsDecisionsThatOthersMiss) {
  const Case chain = long_chain(4);
  const Spread known = spreads_of(chain)[0];
  const double threshold = known.value + 30 * known.half;
  const Case test = case_over(ragged({4}), [&](GraphBuilder& builder, ValueId x) {
    for (int i = 0; i < 4; ++i) {
      x = *builder.call("aten.div.Scalar", {x, Scalar(3.0)});
      x = *builder.call("aten.mul.Scalar", {x, Scalar(3.0)});
    }
    return *builder.call("aten.gt.Scalar", {x, Scalar(threshold)});
  });
  EXPECT_TRUE(std::isinf(spreads_of(test)[0].half));
}

// gelu(-9) is -1e-18, and 0 in an f32 whose 1 + erf(x) is 0: in both elements then, and `any` of them is false.
TEST(Ensemble, WhatMayBeZeroIsZeroInAllElementsAtOnce) {
  Tensor low(DType::F32, {2});
  low.set_double(0, -9);
  low.set_double(1, -9);
  const Case test = case_over(low, [](GraphBuilder& builder, ValueId x) {
    return *builder.call("aten.any.default", {*builder.call("aten.gelu.default", {x})});
  });
  EXPECT_TRUE(std::isinf(spreads_of(test, first_look_members)[0].half));
}

// The deviation of equal sines is 0 where their errors are the same, and its reference kernel gives an interval from 0.
TEST(Ensemble, NumbersThatCoincideDoNotDeviate) {
  for (int64_t count = 2; count <= 6; ++count) {
    Tensor ones(DType::F32, {count});
    for (int64_t i = 0; i < count; ++i) ones.set_double(i, 1);
    const Case test = case_over(ones, [](GraphBuilder& builder, ValueId x) {
      const ValueId deviation = *builder.call("aten.std.correction", {*builder.call("aten.sin.default", {x})});
      return *builder.call("aten.any.default", {deviation});
    });
    EXPECT_TRUE(std::isinf(spreads_of(test)[0].half)) << count;
  }
}

// A float beyond the integers, which eager leaves undefined.
// sinc(1) is 4e-17, and near it log-gamma is steep: equal numbers whose errors differ lie far apart, and none of them
// may be 0. A kernel takes them to equal ones, whose deviation is 0.
TEST(Ensemble, EqualNumbersMayDeviateAlike) {
  Tensor ones(DType::F32, {2});
  for (int i = 0; i < 2; ++i) ones.set_double(i, 1);
  const Case test = case_over(ones, [](GraphBuilder& builder, ValueId x) {
    const ValueId steep = *builder.call("aten.lgamma.default", {*builder.call("aten.sinc.default", {x})});
    return *builder.call("aten.logical_not_.default", {*builder.call("aten.std.default", {steep})});
  });
  EXPECT_GE(spreads_of(test, least_program_members)[0].half, 1);
}

TEST(Ensemble, WhatIsUndecidedOfExactOperandsStaysSo) {
  Tensor large(DType::F32, {1});
  large.set_double(0, 1e30);
  const Case test = case_over(large, [](GraphBuilder& builder, ValueId x) {
    return *builder.call("aten._to_copy.default", {x}, "", {{"dtype", DType::I32}});
  });
  EXPECT_TRUE(std::isinf(spreads_of(test)[0].half));
}

// The sine of a number whose error is many periods, to the power of -5: the next legal run may lie far beyond 32
// others.
TEST(Ensemble, APoleThatIsMetByChanceIsNotJudged) {
  Tensor one(DType::F32, {1});
  one.set_double(0, 1);
  const Case test = case_over(one, [](GraphBuilder& builder, ValueId x) {
    const ValueId many_turns = *builder.call("aten.div.Scalar", {x, Scalar(3e-10)});
    const ValueId phase = *builder.call("aten.sin.default", {many_turns});
    return *builder.call("aten.pow.Tensor_Scalar", {phase, Scalar(-5.0)});
  });
  EXPECT_TRUE(std::isinf(spreads_of(test)[0].half));
}

TEST(VisibleError, TheScaleIsWhatTheLargestElementHasForCertain) {
  BallTensor tensor{DType::F32, {2}, {{4, 1, false, false, Undecided::No}, {0, 100, false, false, Undecided::No}}, {}};
  EXPECT_EQ(scale_of(tensor), 3);
  tensor.spreads = {{4, 0.1, 8}, {-7, 0.1, 8}};
  EXPECT_EQ(scale_of(tensor), 7);
}

}  // namespace
}  // namespace parallax
