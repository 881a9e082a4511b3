// What joins, rearrangements, copies and indexing put where: small examples with the values that PyTorch returns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/copying.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using testing::ElementsAre;

Argument integer(int64_t x) { return Scalar(x); }

// The centres of a value's elements in row-major order.
std::vector<double> elements(const OpHarness& harness, ValueId value) {
  std::vector<double> result;
  const BallView& view = harness.view_of(value);
  for (int64_t element : elements_of(view.layout)) result.push_back(view.as_ball(element).mid);
  return result;
}

class StructuralValues : public testing::Test {
 protected:
  ValueId vector(std::vector<double> values, DType dtype = DType::F32) {
    const auto count = static_cast<int64_t>(values.size());
    return harness_.add(dtype, {count}, values);
  }
  ValueId matrix() { return harness_.add(DType::F32, {2, 3}, {0, 1, 2, 3, 4, 5}); }
  // The result of a call that must succeed.
  ValueId run(std::string_view op, std::vector<Argument> arguments) {
    const auto result = harness_.call(op, std::move(arguments));
    EXPECT_TRUE(result) << result.error().text();
    return *result;
  }
  std::vector<double> values(std::string_view op, std::vector<Argument> arguments) {
    return elements(harness_, run(op, std::move(arguments)));
  }
  std::string refusal(std::string_view op, std::vector<Argument> arguments) {
    const auto result = harness_.call(op, std::move(arguments));
    EXPECT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::EagerRefuses);
    return result.error().text();
  }

  OpHarness harness_;
};

TEST_F(StructuralValues, Joins) {
  const ValueId a = matrix();
  const ValueId row = harness_.add(DType::F32, {1, 3}, {7, 8, 9});
  const ValueId none = vector({});
  EXPECT_THAT(values("aten.cat.default", {ValueList{row, none, a}, integer(-2)}),
              ElementsAre(7, 8, 9, 0, 1, 2, 3, 4, 5));
  EXPECT_THAT(values("aten.cat.default", {ValueList{a, a}, integer(1)}),
              ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
  const ValueId x = vector({1, 2});
  const ValueId y = vector({3, 4}, DType::I64);
  EXPECT_THAT(values("aten.stack.default", {ValueList{x, y}, integer(0)}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values("aten.stack.default", {ValueList{x, y}, integer(-1)}), ElementsAre(1, 3, 2, 4));
}

TEST_F(StructuralValues, Rearrangements) {
  const ValueId a = matrix();
  EXPECT_THAT(values("aten.flip.default", {a, IntList{1}}), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(values("aten.flip.default", {a, IntList{-1, 0}}), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(values("aten.roll.default", {a, IntList{1}, IntList{}}), ElementsAre(5, 0, 1, 2, 3, 4));
  EXPECT_THAT(values("aten.roll.default", {a, IntList{-1}, IntList{1}}), ElementsAre(1, 2, 0, 4, 5, 3));
  EXPECT_THAT(values("aten.roll.default", {a, IntList{1, 4}, IntList{0, 1}}), ElementsAre(5, 3, 4, 2, 0, 1));
  EXPECT_THAT(values("aten.roll.default", {a, IntList{INT64_MIN}, IntList{1}}), ElementsAre(2, 0, 1, 5, 3, 4));
  EXPECT_THAT(values("aten.repeat.default", {vector({1, 2}), IntList{2, 2}}), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
}

TEST_F(StructuralValues, CopyConvertsBroadcastsAndWritesThroughViews) {
  const ValueId self = harness_.add(DType::I32, {2, 2}, {1, 2, 3, 4});
  const ValueId column = harness_.view(self, {{2}, {2}, 1});
  run("aten.copy_.default", {column, harness_.add(DType::F32, {1}, {-7.75})});
  EXPECT_THAT(elements(harness_, self), ElementsAre(1, -7, 3, -7));
  EXPECT_THAT(values("aten.copy.default", {self, vector({8, 9})}), ElementsAre(8, 9, 8, 9));
  EXPECT_THAT(elements(harness_, self), ElementsAre(1, -7, 3, -7));
}

TEST_F(StructuralValues, AWriteThroughOverlappingStridesIsUndecidedWhereTheOrderShows) {
  const ValueId base = vector({0, 0, 0});
  const ValueId windows = harness_.view(base, {{2, 2}, {1, 1}, 0});
  run("aten.copy_.default", {windows, harness_.add(DType::F32, {2, 2}, {1, 2, 3, 4})});
  EXPECT_TRUE(harness_.ball(base, 0).decided());
  EXPECT_EQ(harness_.ball(base, 1).undecided, Undecided::DuplicateIndex);
  EXPECT_EQ(harness_.ball(base, 2).mid, 4);
  run("aten.copy_.default", {windows, harness_.add(DType::F32, {2, 2}, {1, 2, 2, 4})});
  EXPECT_EQ(harness_.ball(base, 1).mid, 2);
}

// A scatter's clone holds the rest of the storage too, which as_strided can show.
TEST_F(StructuralValues, AScattersResultCarriesWhatLiesAroundTheWindow) {
  const ValueId base = vector({10, 11, 12, 13, 14});
  const ValueId window = harness_.view(base, {{2}, {2}, 1});
  const ValueId result =
      run("aten.select_scatter.default", {window, harness_.add(DType::F32, {}, {99}), integer(0), integer(1)});
  EXPECT_THAT(elements(harness_, result), ElementsAre(11, 99));
  EXPECT_THAT(values("aten.as_strided.default", {result, IntList{4}, IntList{1}, integer(0)}),
              ElementsAre(10, 11, 12, 99));
  EXPECT_THAT(elements(harness_, base), ElementsAre(10, 11, 12, 13, 14));
}

TEST_F(StructuralValues, IndexTakesNoneAndNegativeIndices) {
  const ValueId a = matrix();
  const ValueId last = vector({-1, 0}, DType::I64);
  const ValueId rows = vector({1, -2}, DType::I32);
  EXPECT_THAT(values("aten.index.Tensor", {a, ValueList{ValueId(), last}}), ElementsAre(2, 0, 5, 3));
  EXPECT_THAT(values("aten.index.Tensor", {a, ValueList{rows, last}}), ElementsAre(5, 0));
  EXPECT_THAT(values("aten.index.Tensor", {a, ValueList{rows}}), ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_EQ(refusal("aten.index.Tensor", {a, ValueList{vector({2}, DType::I64)}}),
            "aten.index.Tensor: index 2 is out of range for dim 0 of size 2");
}

TEST_F(StructuralValues, IndexPutWritesAddsAndRefusesBadIndices) {
  const ValueId self = vector({1, 2, 3});
  const ValueId at = vector({2, -3}, DType::I64);
  run("aten.index_put_.default", {self, ValueList{at}, vector({8, 9})});
  EXPECT_THAT(elements(harness_, self), ElementsAre(9, 2, 8));
  EXPECT_THAT(values("aten.index_put.default", {self, ValueList{at}, vector({1}), Scalar(true)}),
              ElementsAre(10, 2, 9));
  EXPECT_THAT(elements(harness_, self), ElementsAre(9, 2, 8));
  const std::string text = refusal("aten.index_put_.default", {self, ValueList{vector({3}, DType::I64)}, vector({1})});
  EXPECT_EQ(text, "aten.index_put_.default: index 3 is out of range for dim 0 of size 3");
}

TEST_F(StructuralValues, DuplicateIndicesAreUndecidedUnlessTheyWriteOneNumber) {
  const ValueId twice = vector({1, 1}, DType::I64);
  const ValueId different = run("aten.index_put.default", {vector({0, 0}), ValueList{twice}, vector({5, 6})});
  EXPECT_EQ(harness_.ball(different, 1).undecided, Undecided::DuplicateIndex);
  EXPECT_TRUE(harness_.ball(different, 0).decided());
  EXPECT_THAT(values("aten.index_put.default", {vector({0, 0}), ValueList{twice}, vector({5, 5})}), ElementsAre(0, 5));
  const ValueId inexact = vector({5, 5});
  for (int64_t i = 0; i < 2; ++i) harness_.ball(inexact, i).radius = 0.5;
  const ValueId unsure = run("aten.index_put.default", {vector({0, 0}), ValueList{twice}, inexact});
  EXPECT_EQ(harness_.ball(unsure, 1).undecided, Undecided::DuplicateIndex);
}

TEST_F(StructuralValues, DuplicateIndicesAddUpInAnyOrder) {
  const ValueId thrice = vector({0, 0, 0}, DType::I64);
  const ValueId exact =
      run("aten.index_put.default", {vector({1}), ValueList{thrice}, vector({2, 3, 4}), Scalar(true)});
  EXPECT_TRUE(same_ball(harness_.ball(exact), Ball::exact(10)));
  // In halves 2048 + 1 + 1 + 1 is 2048 or 2050 or 2052, by the order and the rounding of each sum.
  const ValueId halves = harness_.add(DType::F16, {1}, {2048});
  const ValueId ones = harness_.add(DType::F16, {3}, {1, 1, 1});
  const Ball sum = harness_.ball(run("aten.index_put.default", {halves, ValueList{thrice}, ones, Scalar(true)}));
  for (double possible : {2048.0, 2050.0, 2052.0}) EXPECT_TRUE(in_ball(DType::F16, sum, possible)) << possible;
  EXPECT_FALSE(in_ball(DType::F16, sum, 2100));
  EXPECT_THAT(values("aten.index_put.default",
                     {vector({250}, DType::U8), ValueList{thrice}, vector({10, 1, 1}, DType::U8), Scalar(true)}),
              ElementsAre(6));
}

TEST_F(StructuralValues, AnUndecidedIndexLeavesTheResultUndecided) {
  const ValueId index = vector({1, 0}, DType::I64);
  harness_.integer(index, 0).undecided = Undecided::InexactToInteger;
  const ValueId taken = run("aten.index.Tensor", {vector({5, 6}), ValueList{index}});
  EXPECT_EQ(harness_.ball(taken, 0).undecided, Undecided::InexactToInteger);
  EXPECT_TRUE(same_ball(harness_.ball(taken, 1), Ball::exact(5)));
  const ValueId put = run("aten.index_put.default", {vector({5, 6}), ValueList{index}, vector({7})});
  EXPECT_EQ(harness_.ball(put, 1).undecided, Undecided::InexactToInteger);
}

TEST_F(StructuralValues, IndexSelectAndGatherTakeNoNegativeIndex) {
  const ValueId a = matrix();
  EXPECT_THAT(values("aten.index_select.default", {a, integer(1), vector({2, 2, 0}, DType::I64)}),
              ElementsAre(2, 2, 0, 5, 5, 3));
  EXPECT_EQ(refusal("aten.index_select.default", {a, integer(0), vector({-1}, DType::I64)}),
            "aten.index_select.default: index -1 is out of range [0, 2)");
  const ValueId index = harness_.add(DType::I64, {1, 3}, {1, 0, 1});
  EXPECT_THAT(values("aten.gather.default", {a, integer(0), index}), ElementsAre(3, 1, 5));
  EXPECT_EQ(refusal("aten.gather.default", {a, integer(0), harness_.add(DType::I64, {1, 1}, {-1})}),
            "aten.gather.default: index -1 is out of range [0, 2)");
  EXPECT_THAT(
      values("aten.gather.default", {harness_.add(DType::F32, {}, {4}), integer(0), vector({0, 0}, DType::I64)}),
      ElementsAre(4, 4));
}

}  // namespace
}  // namespace parallax
