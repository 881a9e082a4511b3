// Products of matrices: values, shapes, refusals, and what an addend, a scale and special numbers do to them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

std::vector<double> mids(const OpHarness& harness, ValueId value) {
  std::vector<double> all;
  for (int64_t i = 0; i < harness.meta(value).layout.numel(); ++i) all.push_back(harness.ball(value, i).mid);
  return all;
}

std::vector<double> integers(const OpHarness& harness, ValueId value) {
  std::vector<double> all;
  for (int64_t i = 0; i < harness.meta(value).layout.numel(); ++i) {
    all.push_back(static_cast<double>(harness.integer(value, i).value));
  }
  return all;
}

TEST(Matmul, MatricesOfSmallNumbersAreExact) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const ValueId b = harness.add(DType::F32, {3, 2}, {1, -1, 0.5, 2, -2, 3});
  const auto product = harness.call("aten.mm.default", {a, b});
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(mids(harness, *product), (std::vector<double>{-4, 12, -5.5, 24}));
  for (int64_t i = 0; i < 4; ++i) EXPECT_TRUE(harness.ball(*product, i).is_exact());
}

TEST(Matmul, BatchesVectorsAndBroadcasts) {
  OpHarness harness;
  const ValueId batch = harness.add(DType::F32, {2, 1, 2}, {1, 2, 3, 4});
  const ValueId matrix = harness.add(DType::F32, {2, 2}, {1, 10, 100, 1000});
  const ValueId vector = harness.add(DType::F32, {2}, {1, -1});
  EXPECT_EQ(mids(harness, *harness.call("aten.matmul.default", {batch, matrix})),
            (std::vector<double>{201, 2010, 403, 4030}));
  EXPECT_EQ(mids(harness, *harness.call("aten.matmul.default", {vector, matrix})), (std::vector<double>{-99, -990}));
  EXPECT_EQ(mids(harness, *harness.call("aten.mv.default", {matrix, vector})), (std::vector<double>{-9, -900}));
  EXPECT_EQ(mids(harness, *harness.call("aten.dot.default", {vector, vector})), (std::vector<double>{2}));
  EXPECT_EQ(mids(harness, *harness.call("aten.linear.default", {batch, matrix, vector})),
            (std::vector<double>{22, 2099, 44, 4299}));
}

TEST(Matmul, AnEmptySumIsZero) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {2, 0}, {});
  const ValueId b = harness.add(DType::F32, {0, 3}, {});
  const auto product = harness.call("aten.mm.default", {a, b});
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(mids(harness, *product), std::vector<double>(6, 0));
}

TEST(Matmul, IntegersWrap) {
  OpHarness harness;
  const ValueId a = harness.add(DType::I8, {1, 2}, {100, 100});
  const ValueId b = harness.add(DType::I8, {2, 1}, {1, 1});
  EXPECT_EQ(integers(harness, *harness.call("aten.mm.default", {a, b})), (std::vector<double>{-56}));
  const ValueId c = harness.add(DType::I8, {1}, {3});
  EXPECT_EQ(integers(harness, *harness.call("aten.addmm.default", {c, a, b},
                                            {{"beta", Scalar(2.9)}, {"alpha", Scalar(int64_t{2})}})),
            (std::vector<double>{-106}))
      << "a real factor of integers is cut";
}

TEST(Matmul, ABetaOfZeroDoesNotReadTheAddend) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, {1}, {nan});
  const ValueId a = harness.add(DType::F32, {1, 1}, {3});
  const auto zero = harness.call("aten.addmm.default", {self, a, a}, {{"beta", Scalar(int64_t{0})}});
  EXPECT_TRUE(harness.ball(*zero).is_exact());
  EXPECT_EQ(harness.ball(*zero).mid, 9);
  EXPECT_TRUE(std::isnan(harness.ball(*harness.call("aten.addmm.default", {self, a, a})).mid));
}

TEST(Matmul, ARealScaleHasItsRounding) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, {1}, {1});
  const ValueId a = harness.add(DType::F32, {1, 1}, {3});
  const auto scaled = harness.call("aten.addmm.default", {self, a, a}, {{"beta", Scalar(0.2)}, {"alpha", Scalar(0.6)}});
  const Ball& ball = harness.ball(*scaled);
  EXPECT_NEAR(ball.mid, 5.6, 1e-12);
  EXPECT_GT(ball.radius, 0);
  EXPECT_LT(ball.radius, 8 * 5.6 * 0x1p-24);
}

TEST(Matmul, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {2, 3});
  const ValueId b = harness.add(DType::F32, {3, 2});
  const ValueId wide = harness.add(DType::F64, {3, 2});
  const ValueId truth = harness.add(DType::Bool, {2, 2});
  const ValueId row = harness.add(DType::F32, {3});
  EXPECT_FALSE(harness.infer("aten.mm.default", {a, a}).has_value());
  EXPECT_FALSE(harness.infer("aten.mm.default", {a, wide}).has_value());
  EXPECT_FALSE(harness.infer("aten.mm.default", {truth, truth}).has_value());
  EXPECT_FALSE(harness.infer("aten.mm.default", {a, row}).has_value());
  EXPECT_FALSE(harness.infer("aten.addmm.default", {row, a, b}).has_value()) << "[3] is not [2, 2]";
  EXPECT_FALSE(harness.infer("aten.addmm.default", {wide, a, b}).has_value());
  const ValueId empty = harness.add(DType::Bool, {0, 2});
  EXPECT_TRUE(harness.infer("aten.mm.default", {empty, truth}).has_value())
      << "nothing to multiply, no dtype to refuse";
}

// Eager writes while it reads: measured, a.addmm_(b, a) is not a + b a.
TEST(Matmul, AnInPlaceProductLiesApartFromItsFactors) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, {2, 2}, {1, 2, 3, 4});
  const ValueId other = harness.add(DType::F32, {2, 2}, {1, 0, 0, 1});
  EXPECT_FALSE(harness.infer("aten.addmm_.default", {self, other, self}).has_value());
  const ValueId transposed = harness.view(self, Layout{{2, 2}, {1, 2}, 0});
  EXPECT_FALSE(harness.infer("aten.addmm_.default", {self, transposed, other}).has_value());
  const auto written = harness.call("aten.addmm_.default", {self, other, other});
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(mids(harness, self), (std::vector<double>{2, 2, 3, 5}));
}

TEST(Matmul, OuterPromotesAndAddrIsLogicForBool) {
  OpHarness harness;
  const ValueId half = harness.add(DType::F16, {2}, {1.5, 2});
  const ValueId integer = harness.add(DType::I32, {2}, {3, -1});
  const auto outer = harness.call("aten.outer.default", {half, integer});
  EXPECT_EQ(harness.meta(*outer).dtype, DType::F16);
  EXPECT_EQ(mids(harness, *outer), (std::vector<double>{4.5, -1.5, 6, -2}));
  const ValueId truth = harness.add(DType::Bool, {2}, {1, 0});
  const ValueId self = harness.add(DType::Bool, {2, 2}, {0, 0, 0, 1});
  EXPECT_EQ(integers(harness, *harness.call("aten.addr.default", {self, truth, truth})),
            (std::vector<double>{1, 0, 0, 1}));
  EXPECT_FALSE(harness.infer("aten.addr.default", {integer, integer, integer}, {{"alpha", Scalar(0.5)}}).has_value());
}

}  // namespace
}  // namespace parallax
