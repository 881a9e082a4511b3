// Distances between rows, by their norms, and the product of matrices that one of them may be made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20250314;

Result<ValueId> distances(OpHarness& harness, ValueId a, ValueId b, double p, int64_t mode) {
  return harness.call("aten._cdist_forward.default", {a, b, Scalar(p), Scalar(mode)});
}

TEST(Distance, EachNorm) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {1, 3}, {1, 2, 3});
  const ValueId b = harness.add(DType::F32, {1, 3}, {4, -2, 3});
  const auto at = [&](double p) { return harness.ball(*distances(harness, a, b, p, 2)); };
  EXPECT_EQ(at(0).mid, 2);
  EXPECT_EQ(at(1).mid, 7);
  EXPECT_EQ(at(2).mid, 5);
  EXPECT_EQ(at(infinity).mid, 4);
  for (const double p : {0.0, 1.0, 2.0, infinity}) EXPECT_TRUE(at(p).is_exact()) << p;
  EXPECT_NEAR(at(3).mid, std::cbrt(91), 1e-12);
  EXPECT_GT(at(3).radius, 0);
}

TEST(Distance, PairsOfOneMatrix) {
  OpHarness harness;
  const ValueId rows = harness.add(DType::F64, {3, 1}, {0, 3, 7});
  const auto pairs = harness.call("aten._pdist_forward.default", {rows});
  ASSERT_EQ(harness.meta(*pairs).layout.sizes, Dims{3});
  EXPECT_EQ(harness.ball(*pairs, 0).mid, 3);
  EXPECT_EQ(harness.ball(*pairs, 1).mid, 7);
  EXPECT_EQ(harness.ball(*pairs, 2).mid, 4);
}

TEST(Distance, ARowIsAtNoDistanceFromItself) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {1, 2}, {1, 2});
  harness.ball(a, 0).radius = 0.25;
  EXPECT_TRUE(harness.ball(*distances(harness, a, a, 1, 2)).is_exact());
  EXPECT_EQ(harness.ball(*distances(harness, a, a, 1, 2)).mid, 0);
}

TEST(Distance, ACountOfInexactNumbersIsOpen) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {1, 2}, {1, 2});
  const ValueId b = harness.add(DType::F32, {1, 2}, {1.125, 5});
  harness.ball(a, 0).radius = 0.25;
  EXPECT_EQ(harness.ball(*distances(harness, a, b, 0, 2)).undecided, Undecided::InexactCompare);
}

// Two poles may be at no distance, or at an infinite one.
TEST(Distance, ACountOfInfinitiesOfUnknownSignIsOpen) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {1, 1}, {0x1p127});
  const ValueId b = harness.add(DType::F32, {1, 1}, {0x1p127});
  harness.ball(a, 0).may_inf = true;
  harness.ball(b, 0).may_inf = true;
  EXPECT_EQ(harness.ball(*distances(harness, a, b, 0, 2)).undecided, Undecided::InexactCompare);
}

// |a|^2 + |b|^2 - 2 a b cancels: an error in its last place is large in the root.
TEST(DistanceSoundness, ByAProductOfMatrices) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto stored = [](double x) { return round_to(DType::F32, x); };
  int64_t outside = 0;
  for (int i = 0; i < 2000; ++i) {
    OpHarness harness;
    const int64_t size = 1 + static_cast<int64_t>(random() % 6);
    std::vector<double> x;
    std::vector<double> y;
    for (int64_t k = 0; k < size; ++k) {
      x.push_back(stored(unit(random) * 8));
      y.push_back(random() % 3 == 0 ? stored(unit(random)) : stored(x.back() * (1 + unit(random) * 1e-3)));
    }
    const auto result =
        distances(harness, harness.add(DType::F32, {1, size}, x), harness.add(DType::F32, {1, size}, y), 2, 1);
    double norms = 0;
    double other = 0;
    double product = 0;
    double direct = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      norms = stored(norms + stored(x[k] * x[k]));
      other = stored(other + stored(y[k] * y[k]));
      product = stored(product + stored(-2 * x[k] * y[k]));
      direct = stored(direct + stored(stored(x[k] - y[k]) * stored(x[k] - y[k])));
    }
    const double expanded = stored(std::sqrt(std::max(0.0, stored(stored(product + norms) + other))));
    const Ball& ball = harness.ball(*result);
    outside += !in_ball(DType::F32, ball, expanded) || !in_ball(DType::F32, ball, stored(std::sqrt(direct)));
  }
  EXPECT_EQ(outside, 0) << "seed " << seed;
}

TEST(Distance, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, {2, 3});
  const ValueId narrow = harness.add(DType::F32, {2, 2});
  const ValueId half = harness.add(DType::F16, {2, 3});
  const ValueId row = harness.add(DType::F32, {3});
  EXPECT_FALSE(distances(harness, a, narrow, 2, 0).has_value());
  EXPECT_FALSE(distances(harness, a, row, 2, 0).has_value());
  EXPECT_FALSE(distances(harness, half, half, 2, 0).has_value());
  EXPECT_FALSE(distances(harness, a, a, -1, 0).has_value());
  EXPECT_FALSE(distances(harness, a, a, 2, 3).has_value());
  const ValueId strided = harness.add(DType::F32, Layout{{2, 3}, {1, 2}, 0});
  EXPECT_FALSE(harness.infer("aten._pdist_forward.default", {strided}).has_value());
}

}  // namespace
}  // namespace parallax
