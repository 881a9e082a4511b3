// Convolutions: values against a plain loop, shapes and strides as eager gives them, padding, groups, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20250312;

struct Setting {
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  bool transposed = false;
  int64_t output_padding = 0;
  int64_t groups = 1;
};

Result<ValueId> convolve(OpHarness& harness, ValueId input, ValueId weight, const Argument& bias, const Setting& set) {
  return harness.call("aten.convolution.default",
                      {input, weight, bias, IntList{set.stride}, IntList{set.padding}, IntList{set.dilation},
                       Scalar(set.transposed), IntList{set.output_padding}, Scalar(set.groups)});
}

// Scattered from the input's side, unlike the kernel that is tested: each input element adds to what it reaches.
std::vector<double> scattered(const std::vector<double>& x, const Dims& in, const std::vector<double>& w, const Dims& k,
                              int64_t out, const Setting& set) {
  const int64_t channels = set.transposed ? k[1] * set.groups : k[0];
  const int64_t group_in = in[1] / set.groups;
  const int64_t group_out = channels / set.groups;
  std::vector<double> result(static_cast<std::size_t>(in[0] * channels * out), 0);
  for (int64_t n = 0; n < in[0]; ++n) {
    for (int64_t c = 0; c < in[1]; ++c) {
      for (int64_t o = 0; o < group_out; ++o) {
        const int64_t group = c / group_in;
        const int64_t channel = group * group_out + o;
        for (int64_t i = 0; i < in[2]; ++i) {
          for (int64_t t = 0; t < k[2]; ++t) {
            int64_t at;
            if (set.transposed) {
              at = i * set.stride - set.padding + t * set.dilation;
            } else {
              const int64_t reached = i + set.padding - t * set.dilation;
              if (reached % set.stride != 0) continue;
              at = reached / set.stride;
            }
            if (at < 0 || at >= out) continue;
            const int64_t weight =
                set.transposed ? (c * group_out + o) * k[2] + t : (channel * group_in + c % group_in) * k[2] + t;
            result[static_cast<std::size_t>((n * channels + channel) * out + at)] +=
                x[static_cast<std::size_t>((n * in[1] + c) * in[2] + i)] * w[static_cast<std::size_t>(weight)];
          }
        }
      }
    }
  }
  return result;
}

TEST(Convolution, EverySettingAgreesWithAScatter) {
  std::mt19937_64 random(seed);
  const auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    Setting set;
    set.stride = between(1, 3);
    set.padding = between(0, 2);
    set.dilation = between(1, 2);
    set.transposed = between(0, 1) == 1;
    set.groups = between(1, 2);
    if (set.transposed) set.output_padding = between(0, std::max(set.stride, set.dilation) - 1);
    const Dims in{between(1, 2), set.groups * between(1, 2), between(1, 6)};
    const int64_t group_out = between(1, 2);
    const Dims k = set.transposed ? Dims{in[1], group_out, between(1, 3)}
                                  : Dims{set.groups * group_out, in[1] / set.groups, between(1, 3)};
    const auto drawn = [&](int64_t count) {
      std::vector<double> values;
      for (int64_t j = 0; j < count; ++j) values.push_back(static_cast<double>(between(-8, 8)) / 4);
      return values;
    };
    const std::vector<double> x = drawn(in[0] * in[1] * in[2]);
    const std::vector<double> w = drawn(k[0] * k[1] * k[2]);
    OpHarness harness;
    const auto result = convolve(harness, harness.add(DType::F32, in, x), harness.add(DType::F32, k, w), {}, set);
    if (!result) continue;
    const Dims& sizes = harness.meta(*result).layout.sizes;
    const std::vector<double> wanted = scattered(x, in, w, k, sizes[2], set);
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const Ball& ball = harness.ball(*result, static_cast<int64_t>(j));
      EXPECT_TRUE(ball.is_exact()) << "seed " << seed << ", case " << i;
      EXPECT_EQ(ball.mid, wanted[j]) << "seed " << seed << ", case " << i << ", element " << j;
    }
    ++compared;
  }
  EXPECT_GT(compared, 250) << "seed " << seed;
}

TEST(Convolution, ABiasIsAddedToEachChannel) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {1, 1, 2}, {1, 2});
  const ValueId weight = harness.add(DType::F32, {2, 1, 1}, {1, -1});
  const ValueId bias = harness.add(DType::F32, {2}, {10, 20});
  const auto result = convolve(harness, input, weight, bias, {});
  EXPECT_EQ(harness.ball(*result, 1).mid, 12);
  EXPECT_EQ(harness.ball(*result, 3).mid, 18);
}

TEST(Convolution, NamedFormsTakeAnInputWithoutABatch) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {1, 3}, {1, 2, 3});
  const ValueId weight = harness.add(DType::F32, {1, 1, 2}, {1, 1});
  const auto result = harness.call("aten.conv1d.default", {input, weight});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(harness.meta(*result).layout.sizes, (Dims{1, 2}));
  EXPECT_EQ(harness.ball(*result, 1).mid, 5);
  EXPECT_FALSE(convolve(harness, input, weight, {}, {}).has_value());
}

// As eager 2.13 does.
TEST(Convolution, TheResultTakesTheFormatOfEitherOperand) {
  OpHarness harness;
  const Layout last{{2, 3, 4, 4}, {48, 1, 12, 3}, 0};
  const ValueId input = harness.add(DType::F32, {2, 3, 4, 4});
  const ValueId input_last = harness.add(DType::F32, last);
  const ValueId weight = harness.add(DType::F32, {5, 3, 2, 2});
  const ValueId weight_last = harness.add(DType::F32, Layout{{5, 3, 2, 2}, {12, 1, 6, 3}, 0});
  const auto strides = [&](ValueId x, ValueId w) {
    return harness.infer("aten.conv2d.default", {x, w})->front().layout.strides;
  };
  EXPECT_EQ(strides(input, weight), (Dims{45, 9, 3, 1}));
  EXPECT_EQ(strides(input_last, weight), (Dims{45, 1, 15, 5}));
  EXPECT_EQ(strides(input, weight_last), (Dims{45, 1, 15, 5}));
}

TEST(Convolution, PaddingMeetsAnInfiniteWeight) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {1, 1, 2}, {1, 2});
  const ValueId weight = harness.add(DType::F32, {1, 1, 2}, {infinity, 1});
  const auto result = convolve(harness, input, weight, {}, {.padding = 1});
  EXPECT_EQ(harness.ball(*result, 0).mid, 1) << "only the finite weight meets an element";
  EXPECT_TRUE(harness.ball(*result, 0).may_nan) << "but an implementation may multiply the padding";
  EXPECT_EQ(harness.ball(*result, 1).mid, infinity);
}

TEST(Convolution, IntegersWrapAndSomeAreRefused) {
  OpHarness harness;
  const ValueId input = harness.add(DType::U8, {1, 1, 2}, {200, 100});
  const ValueId weight = harness.add(DType::U8, {1, 1, 2}, {1, 1});
  const auto result = convolve(harness, input, weight, {}, {});
  EXPECT_EQ(harness.integer(*result, 0).value, 44);
  EXPECT_FALSE(convolve(harness, input, weight, {}, {.transposed = true}).has_value());
  EXPECT_FALSE(convolve(harness, input, weight, {}, {.padding = 1, .dilation = 2}).has_value());
  const ValueId truth = harness.add(DType::Bool, {1, 1, 2});
  EXPECT_FALSE(convolve(harness, truth, truth, {}, {}).has_value());
}

TEST(Convolution, EmptyBatchesAndChannels) {
  OpHarness harness;
  const ValueId weight = harness.add(DType::F32, {4, 3, 3});
  const auto none = convolve(harness, harness.add(DType::F32, {0, 3, 5}), weight, {}, {});
  EXPECT_EQ(harness.meta(*none).layout.sizes, (Dims{0, 4, 3}));
  const ValueId no_channels = harness.add(DType::F32, {4, 0, 3});
  const auto channels = convolve(harness, harness.add(DType::F32, {2, 0, 5}), no_channels, {}, {});
  EXPECT_EQ(harness.meta(*channels).layout.sizes, (Dims{2, 0, 3})) << "eager drops the weight's channels too";
}

TEST(Convolution, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {1, 4, 5});
  const ValueId weight = harness.add(DType::F32, {4, 2, 3});
  const ValueId large = harness.add(DType::F32, {4, 4, 6});
  EXPECT_FALSE(convolve(harness, input, weight, {}, {}).has_value()) << "two channels of four";
  EXPECT_TRUE(convolve(harness, input, weight, {}, {.groups = 2}).has_value());
  EXPECT_FALSE(convolve(harness, input, weight, {}, {.groups = 0}).has_value());
  EXPECT_FALSE(convolve(harness, input, weight, {}, {.stride = 0, .groups = 2}).has_value());
  EXPECT_FALSE(convolve(harness, input, weight, {}, {.padding = -1, .groups = 2}).has_value());
  EXPECT_FALSE(convolve(harness, input, large, {}, {}).has_value()) << "a kernel over the input";
  EXPECT_TRUE(convolve(harness, input, large, {}, {.padding = 1}).has_value());
  EXPECT_FALSE(convolve(harness, input, large, {}, {.transposed = true, .output_padding = 1}).has_value());
  EXPECT_FALSE(
      convolve(harness, input, large, {}, {.padding = int64_t{1} << 62, .dilation = int64_t{1} << 62}).has_value());
}

}  // namespace
}  // namespace parallax
