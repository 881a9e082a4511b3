// The pass over weights: large tensors of floats get short random numbers, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/builder.h"
#include "reducers/reduce.h"
#include "reducers/reduction_passes.h"
#include "tests/reducers/generated_cases.h"

namespace parallax {
namespace {

// A linear layer of real weights on rows that an index chooses.
Case linear_of_rows() {
  GraphBuilder builder;
  Case test;
  const auto wave = [](Dims sizes, double step) {
    Tensor data(DType::F32, std::move(sizes));
    for (int64_t i = 0; i < data.numel(); ++i) data.set_double(i, std::sin(step * static_cast<double>(i + 1)));
    return data;
  };
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({6, 8}));
  const ValueId rows = *builder.add_source(SourceKind::Input, "rows", DType::I64, contiguous_layout({20}));
  const ValueId weight =
      *builder.add_source(SourceKind::Constant, "weight", DType::F32, contiguous_layout({4, 8}), wave({4, 8}, 0.7));
  const ValueId bias =
      *builder.add_source(SourceKind::Constant, "bias", DType::F32, contiguous_layout({4}), wave({4}, 0.3));
  const ValueId chosen = *builder.call("aten.index_select.default", {x, int64_t{0}, rows});
  builder.add_output(*builder.call("aten.linear.default", {chosen, weight, bias}));
  test.graph = builder.take();
  Tensor indices(DType::I64, {20});
  for (int64_t i = 0; i < 20; ++i) indices.set_integer(i, i % 6);
  test.feed = {wave({6, 8}, 1.3), indices};
  return test;
}

const Tensor& source_of(const Case& test, std::string_view name) {
  for (const Source& source : test.graph.sources) {
    if (test.graph.name(source.value) == name) return source.data;
  }
  throw std::runtime_error("no such source");
}

bool is_in_eighths(const Tensor& tensor) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const double eighths = tensor.get_double(i) * 8;
    if (eighths != std::nearbyint(eighths) || std::fabs(eighths) > 8) return false;
  }
  return true;
}

TEST(WeightsPass, LargeTensorsOfFloatsGetShortNumbersTogetherAndAlone) {
  const Case test = linear_of_rows();
  const std::vector<Edit> edits = weight_candidates(test, testing::record_ones);
  ASSERT_EQ(edits.size(), 3U);
  const Case& all = edits[0].result;
  EXPECT_TRUE(is_in_eighths(all.feed[0]));
  EXPECT_TRUE(is_in_eighths(source_of(all, "weight")));
  EXPECT_EQ(source_of(all, "bias"), source_of(test, "bias")) << "of few elements";
  EXPECT_EQ(all.feed[1], test.feed[1]) << "indices stay in range";
  EXPECT_NE(is_in_eighths(edits[1].result.feed[0]), is_in_eighths(source_of(edits[1].result, "weight")));
}

// A batch norm: its variance is positive, its mean is not, and an affine weight has zeros.
Case normalized() {
  GraphBuilder builder;
  Case test;
  const auto numbers = [](int64_t count, double offset) {
    Tensor data(DType::F32, {count});
    for (int64_t i = 0; i < count; ++i) data.set_double(i, std::sin(0.7 * static_cast<double>(i)) + offset);
    return data;
  };
  Tensor weight = numbers(20, 1.5);
  weight.set_double(3, 0);
  Tensor x(DType::F32, {2, 20});
  for (int64_t i = 0; i < 40; ++i) x.set_double(i, std::cos(0.3 * static_cast<double>(i)));
  const auto constant = [&](const char* name, Tensor data) {
    return *builder.add_source(SourceKind::Constant, name, DType::F32, contiguous_layout({20}), std::move(data));
  };
  const ValueId input = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2, 20}));
  const ValueId scale = constant("weight", weight), bias = constant("bias", numbers(20, 0));
  const ValueId mean = constant("mean", numbers(20, 0)), variance = constant("variance", numbers(20, 1.5));
  builder.add_output(
      *builder.call("aten.batch_norm.default", {input, scale, bias, mean, variance, false, 0.1, 1e-5, false}));
  test.graph = builder.take();
  test.feed = {x};
  return test;
}

TEST(WeightsPass, NumbersAreAsPositiveAsWhatTheyReplace) {
  const Case all = weight_candidates(normalized(), testing::record_ones).front().result;
  const auto least = [](const Tensor& tensor) {
    double smallest = tensor.get_double(0);
    for (int64_t i = 1; i < tensor.numel(); ++i) smallest = std::min(smallest, tensor.get_double(i));
    return smallest;
  };
  EXPECT_GT(least(source_of(all, "variance")), 0);
  EXPECT_EQ(least(source_of(all, "weight")), 0);
  EXPECT_LT(least(source_of(all, "mean")), 0);
}

TEST(WeightsPass, TensorsOfOneSizeGetDifferentNumbers) {
  const Case test = normalized();
  ASSERT_EQ(source_of(test, "bias"), source_of(test, "mean"));
  const Case all = weight_candidates(test, testing::record_ones).front().result;
  EXPECT_NE(source_of(all, "bias"), source_of(all, "mean"));
}

TEST(WeightsPass, ShortNumbersAreNotReplacedAgain) {
  const Case once = weight_candidates(linear_of_rows(), testing::record_ones).front().result;
  EXPECT_TRUE(weight_candidates(once, testing::record_ones).empty());
}

TEST(WeightsPass, RealWeightsStayWhereTheFaultNeedsThem) {
  const Case test = linear_of_rows();
  const double needed = source_of(test, "weight").get_double(0);
  const ReduceResult result = reduce(
      test,
      [&](const Case& candidate) {
        for (const Source& source : candidate.graph.sources) {
          if (source.kind == SourceKind::Constant && source.data.numel() > 0 && source.data.get_double(0) == needed)
            return true;
        }
        return false;
      },
      testing::record_ones);
  EXPECT_TRUE(result.finished);
  const bool kept = std::ranges::any_of(result.reduced.graph.sources, [&](const Source& source) {
    return source.kind == SourceKind::Constant && source.data.get_double(0) == needed;
  });
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace parallax
