// Pooling: averages and maxima of windows, the places of the maxima, and what eager does at the edges.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

std::vector<double> counting(int64_t count) {
  std::vector<double> values;
  for (int64_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
  return values;
}

std::vector<double> mids(const OpHarness& harness, ValueId value) {
  std::vector<double> all;
  for (int64_t i = 0; i < harness.meta(value).layout.numel(); ++i) all.push_back(harness.ball(value, i).mid);
  return all;
}

std::vector<int64_t> places(const OpHarness& harness, ValueId value) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < harness.meta(value).layout.numel(); ++i) all.push_back(harness.integer(value, i).value);
  return all;
}

ValueId after(ValueId value) { return ValueId(std::size_t{value.index} + 1); }

// The values are eager's.
TEST(AveragePool, CeilModeAndPadding) {
  OpHarness harness;
  const ValueId five = harness.add(DType::F32, {1, 5, 5}, counting(25));
  const auto ceil = harness.call("aten.avg_pool2d.default", {five, IntList{2}, IntList{2}, IntList{0}, Scalar(true)});
  EXPECT_EQ(mids(harness, *ceil), (std::vector<double>{4, 6, 7.5, 14, 16, 17.5, 21.5, 23.5, 25}));
  const ValueId four = harness.add(DType::F32, {1, 4, 4}, counting(16));
  const auto own =
      harness.call("aten.avg_pool2d.default", {four, IntList{3}, IntList{2}, IntList{1}, Scalar(true), Scalar(false)});
  EXPECT_EQ(mids(harness, *own), (std::vector<double>{3.5, 5, 6, 9.5, 11, 12, 13.5, 15, 16}));
  const ValueId two = harness.add(DType::F32, {1, 2, 2}, counting(4));
  const auto outside = harness.call("aten.avg_pool2d.default", {two, IntList{2}, IntList{2}, IntList{1}, Scalar(true)});
  EXPECT_EQ(mids(harness, *outside), (std::vector<double>{0.25, 0.5, 0.75, 1})) << "no window begins in the padding";
}

TEST(AveragePool, DivisorsAndIntegers) {
  OpHarness harness;
  const ValueId four = harness.add(DType::I64, {1, 3, 2}, {-1, -2, -5, -6, -9, -10});
  const auto cut = harness.call("aten.avg_pool2d.default", {four, IntList{3, 2}});
  EXPECT_EQ(places(harness, *cut), (std::vector<int64_t>{-5})) << "-5.5, cut towards zero";
  const ValueId ones = harness.add(DType::F32, {1, 2, 2}, {1, 1, 1, 1});
  const auto divided = harness.call("aten.avg_pool2d.default", {ones, IntList{2}, IntList{}, IntList{0}, Scalar(false),
                                                                Scalar(true), Scalar(int64_t{-2})});
  EXPECT_EQ(mids(harness, *divided), (std::vector<double>{-2}));
  EXPECT_FALSE(harness
                   .infer("aten.avg_pool2d.default",
                          {ones, IntList{2}, IntList{}, IntList{0}, Scalar(false), Scalar(true), Scalar(int64_t{0})})
                   .has_value());
}

TEST(AveragePool, AdaptiveWindowsOverlap) {
  OpHarness harness;
  const ValueId five = harness.add(DType::F32, {1, 1, 5}, counting(5));
  const auto pooled = harness.call("aten._adaptive_avg_pool2d.default", {five, IntList{1, 3}});
  EXPECT_EQ(mids(harness, *pooled), (std::vector<double>{1.5, 3, 4.5}));
}

// Measured on eager 2.13: three spatial dims add halves as halves, two do not.
TEST(AveragePool, HalvesAreSummedAsEagerSumsThem) {
  OpHarness harness;
  const std::vector<double> values = {2048, 1, 1, 1, 1, 1, 1, 1};
  const ValueId picture = harness.add(DType::F16, {1, 1, 8}, values);
  const ValueId volume = harness.add(DType::F16, {1, 1, 1, 8}, values);
  const auto two = harness.call("aten._adaptive_avg_pool2d.default", {picture, IntList{1}});
  const auto three = harness.call("aten._adaptive_avg_pool3d.default", {volume, IntList{1}});
  EXPECT_TRUE(in_ball(DType::F16, harness.ball(*two), 257));
  EXPECT_FALSE(in_ball(DType::F16, harness.ball(*two), 256));
  EXPECT_TRUE(in_ball(DType::F16, harness.ball(*three), 257));
  EXPECT_TRUE(in_ball(DType::F16, harness.ball(*three), 256));
}

// Measured on eager 2.13: only a mean over three dims looks at the input without its padding.
TEST(AveragePool, ThreeDimsTakeNoKernelLargerThanTheInput) {
  OpHarness harness;
  const ValueId volume = harness.add(DType::F32, {1, 1, 2, 2}, counting(4));
  const ValueId picture = harness.add(DType::F32, {1, 1, 2}, counting(2));
  const IntList tall = {2, 1, 1};
  EXPECT_FALSE(harness.infer("aten.avg_pool3d.default", {volume, tall, IntList{1}, IntList{1, 0, 0}}));
  EXPECT_FALSE(harness.infer("aten.avg_pool3d.default", {volume, tall, IntList{1}, IntList{0}, Scalar(true)}));
  EXPECT_TRUE(harness.infer("aten.avg_pool2d.default", {picture, IntList{2, 1}, IntList{1}, IntList{1, 0}}));
  EXPECT_TRUE(harness.infer("aten.max_pool3d_with_indices.default", {volume, tall, IntList{1}, IntList{1, 0, 0}}));
}

TEST(MaxPool, TheFirstMaximumAndTheLastNaN) {
  OpHarness harness;
  const ValueId ties = harness.add(DType::F32, {1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2});
  const auto first = harness.call("aten.max_pool2d_with_indices.default", {ties, IntList{2}});
  EXPECT_EQ(places(harness, after(*first)), (std::vector<int64_t>{0, 2}));
  const ValueId nans = harness.add(DType::F32, {1, 2, 4}, {1, nan, 2, nan, nan, 1, nan, 3});
  const auto last = harness.call("aten.max_pool2d_with_indices.default", {nans, IntList{2}});
  EXPECT_TRUE(std::isnan(harness.ball(*last, 0).mid));
  EXPECT_EQ(places(harness, after(*last)), (std::vector<int64_t>{4, 6}));
}

TEST(MaxPool, DilationAndPaddingSkipWhatIsOutside) {
  OpHarness harness;
  const ValueId five = harness.add(DType::F32, {1, 5, 5}, counting(25));
  const auto pooled = harness.call("aten.max_pool2d_with_indices.default",
                                   {five, IntList{2}, IntList{1}, IntList{1}, IntList{2}, Scalar(true)});
  ASSERT_EQ(harness.meta(*pooled).layout.sizes, (Dims{1, 5, 5}));
  EXPECT_EQ(harness.ball(*pooled, 0).mid, 7);
  EXPECT_EQ(harness.ball(*pooled, 4).mid, 9);
  EXPECT_EQ(harness.integer(after(*pooled), 4).value, 8);
  const ValueId low = harness.add(DType::F32, {1, 2, 2}, std::vector<double>(4, -infinity));
  const auto padded = harness.call("aten.max_pool2d_with_indices.default", {low, IntList{2}, IntList{1}, IntList{1}});
  EXPECT_EQ(places(harness, after(*padded)), (std::vector<int64_t>{0, 0, 1, 0, 0, 1, 2, 2, 3}));
}

TEST(MaxPool, InexactNeighboursLeaveThePlaceOpen) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {1, 1, 3}, {1, 1.25, 0});
  harness.ball(input, 0).radius = 0.5;
  const auto pooled = harness.call("aten.max_pool2d_with_indices.default", {input, IntList{1, 3}});
  const Ball& value = harness.ball(*pooled);
  EXPECT_LE(value.low(), 1.25);
  EXPECT_GE(value.high(), 1.5);
  EXPECT_EQ(harness.integer(after(*pooled)).undecided, Undecided::InexactCompare);
}

TEST(MaxPool, GradientsThatMeetAreAdded) {
  OpHarness harness;
  const ValueId gradient = harness.add(DType::F32, {1, 1, 3}, {1, 2, 4});
  const ValueId self = harness.add(DType::F32, {1, 1, 4});
  const ValueId indices = harness.add(DType::I64, {1, 1, 3}, {1, 1, 3});
  const std::vector<Argument> arguments = {gradient,   self,       IntList{1, 2}, IntList{1},
                                           IntList{0}, IntList{1}, Scalar(false), indices};
  const auto back = harness.call("aten.max_pool2d_with_indices_backward.default", arguments);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(mids(harness, *back), (std::vector<double>{0, 3, 0, 4}));
  harness.integer(indices, 0).value = 4;
  EXPECT_FALSE(harness.call("aten.max_pool2d_with_indices_backward.default", arguments).has_value())
      << "eager writes past the tensor";
  harness.integer(indices, 0) = {0, Undecided::InexactCompare};
  const auto open = harness.call("aten.max_pool2d_with_indices_backward.default", arguments);
  EXPECT_EQ(harness.ball(*open, 2).undecided, Undecided::InexactCompare);
}

TEST(Pool, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {2, 3, 4, 4});
  const auto average = [&](IntList kernel, IntList stride, IntList padding) {
    return harness.infer("aten.avg_pool2d.default", {input, std::move(kernel), std::move(stride), std::move(padding)})
        .has_value();
  };
  EXPECT_TRUE(average({2}, {}, {1}));
  EXPECT_FALSE(average({2}, {1}, {2})) << "more padding than half a kernel";
  EXPECT_FALSE(average({0}, {1}, {0}));
  EXPECT_FALSE(average({2}, {0}, {0}));
  EXPECT_FALSE(average({5}, {1}, {0}));
  EXPECT_FALSE(average({2, 2, 2}, {1}, {0}));
  const ValueId flat = harness.add(DType::F32, {4, 4});
  const ValueId no_channels = harness.add(DType::F32, {2, 0, 4, 4});
  const ValueId bytes = harness.add(DType::I32, {2, 3, 4, 4});
  EXPECT_FALSE(harness.infer("aten.avg_pool2d.default", {flat, IntList{2}}).has_value());
  EXPECT_FALSE(harness.infer("aten.avg_pool2d.default", {no_channels, IntList{2}}).has_value());
  EXPECT_TRUE(harness.infer("aten._adaptive_avg_pool2d.default", {no_channels, IntList{2, 2}}).has_value());
  EXPECT_FALSE(harness.infer("aten.avg_pool2d.default", {bytes, IntList{2}}).has_value());
  EXPECT_TRUE(harness.infer("aten.max_pool2d_with_indices.default", {bytes, IntList{2}}).has_value());
}

TEST(Pool, ResultsKeepChannelsLast) {
  OpHarness harness;
  const ValueId last = harness.add(DType::F32, Layout{{2, 3, 4, 4}, {48, 1, 12, 3}, 0});
  for (const char* op : {"aten.avg_pool2d.default", "aten.max_pool2d_with_indices.default"}) {
    EXPECT_EQ(harness.infer(op, {last, IntList{2}})->front().layout.strides, (Dims{12, 1, 6, 3})) << op;
  }
  const ValueId volume = harness.add(DType::F32, Layout{{2, 3, 4, 4, 4}, {192, 1, 48, 12, 3}, 0});
  EXPECT_EQ(harness.infer("aten.avg_pool3d.default", {volume, IntList{2}})->front().layout.strides,
            (Dims{24, 8, 4, 2, 1}));
  EXPECT_EQ(harness.infer("aten.max_pool3d_with_indices.default", {volume, IntList{2}})->front().layout.strides,
            (Dims{24, 1, 12, 6, 3}));
}

}  // namespace
}  // namespace parallax
