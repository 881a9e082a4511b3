// Laws over every numeric op of the registry: a new one is held to them without a test of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ops/counted_size.h"
#include "ops/families.h"
#include "ops/registry.h"
#include "tests/ops/index_values.h"

namespace parallax {
namespace {

std::vector<const Op*> ops_that_compute() {
  constexpr std::array structural = {
      view_family,       window_family,    split_family, copy_family,   view_copy_family,        join_family,
      scatter_family,    rearrange_family, index_family, gather_family, scatter_index_family,    index_add_family,
      index_copy_family, sort_family,      pad_family,   search_family, repeat_interleave_family};
  std::vector<const Op*> ops;
  for (const OpFamily& family : op_families) {
    if (std::ranges::find(structural, family.ops) != structural.end()) continue;
    for (const OpDef& definition : family.ops()) {
      ops.push_back(&op_named(parse_schema(definition.schema)->qualified_name()));
    }
  }
  return ops;
}

std::vector<const Op*> numeric_ops() {
  std::vector<const Op*> ops = ops_that_compute();
  std::erase_if(ops, [](const Op* op) { return op->sample == nullptr; });
  return ops;
}

// Ops over pictures and matrices, which are rare in a pool of small vectors.
bool is_spatial(const Op& op) {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const auto family :
         {matmul_family, outer_family, convolution_family, pooling_family, max_pool_family, upsample_family,
          grid_sampler_family, distance_family, attention_family, gradient_family}) {
      for (const OpDef& definition : family()) found.insert(parse_schema(definition.schema)->qualified_name());
    }
    return found;
  }();
  return names.contains(op.name);
}

std::vector<Layout> vector_layouts() {
  return {contiguous_layout({2, 3}), {{2, 3}, {1, 2}, 0},   {{2, 3}, {6, 2}, 0},       {{2, 3}, {0, 1}, 0},
          contiguous_layout({3}),    contiguous_layout({}), contiguous_layout({2, 1}), contiguous_layout({0, 3})};
}

std::vector<Layout> picture_layouts() {
  return {contiguous_layout({2, 3}),
          {{3, 2}, {1, 3}, 0},
          contiguous_layout({3}),
          contiguous_layout({2}),
          {{2, 2}, {1, 2}, 0},
          contiguous_layout({2, 3, 3}),
          {{2, 3, 3}, {9, 1, 3}, 0},
          {{2, 3, 2}, {0, 2, 1}, 0},
          contiguous_layout({2, 2, 3, 3}),
          {{2, 2, 2, 2}, {8, 1, 4, 2}, 0},
          contiguous_layout({1, 2, 2, 2, 3}),
          contiguous_layout({2, 1, 2, 2, 2}),
          {{1, 2, 2, 3, 3}, {36, 1, 18, 6, 2}, 0}};
}

// Weights of two hidden units, for one, three and four gates, and sequences for them.
std::vector<Layout> sequence_layouts() {
  return {contiguous_layout({2, 2}),    contiguous_layout({6, 2}),    contiguous_layout({8, 2}),
          contiguous_layout({2}),       contiguous_layout({6}),       contiguous_layout({8}),
          contiguous_layout({3, 2, 2}), contiguous_layout({2, 2, 2}), {{2, 2, 2}, {1, 2, 4}, 0},
          contiguous_layout({1, 2, 2}), contiguous_layout({1, 3, 2})};
}

bool is_recurrent(const Op& op) { return op.family == "recurrent"; }

// Some tensors of every dtype in a few layouts, without elements: all that sampling and inference see.
struct Shapes {
  std::vector<TensorMeta> metas;
  std::vector<Candidate> candidates;

  explicit Shapes(const std::vector<Layout>& layouts) {
    for (int d = 0; d < dtype_count; ++d) {
      for (const Layout& layout : layouts) {
        candidates.push_back({ValueId(metas.size()), !is_expanded(layout), true});
        metas.push_back({static_cast<DType>(d), layout, StorageId(metas.size())});
      }
    }
  }
};

const Shapes& shapes_for(const Op& op) {
  static const Shapes vectors(vector_layouts());
  static const Shapes pictures(picture_layouts());
  static const Shapes sequences(sequence_layouts());
  if (is_recurrent(op)) return sequences;
  return is_spatial(op) ? pictures : vectors;
}

// The same tensors with elements, small enough to stay away from overflow.
OpHarness filled(const Shapes& shapes, uint64_t seed, uint64_t stream) {
  OpHarness harness;
  Choices choices(seed, stream);
  for (const TensorMeta& meta : shapes.metas) {
    const ValueId value = harness.add(meta.dtype, meta.layout);
    BallStorage& storage = *harness.view_of(value).storage;
    for (Ball& ball : storage.balls) ball = Ball::exact(static_cast<double>(choices.between(-8, 8)) / 4);
    for (IntegerBall& integer : storage.integers) {
      integer = {wrap_to(meta.dtype, choices.between(-5, 9)), Undecided::No};
    }
  }
  return harness;
}

// Arguments drawn for the op, if the pool has them.
std::optional<std::vector<Argument>> sampled(const Op& op, Choices choices) {
  const Shapes& shapes = shapes_for(op);
  SampleContext context(choices, shapes.candidates, shapes.metas);
  return op.sample(op, context);
}

// Those that infer without an error.
std::optional<std::vector<Argument>> accepted(const Op& op, Choices choices) {
  auto arguments = sampled(op, std::move(choices));
  if (arguments && !op.infer(Call(op, *arguments, shapes_for(op).metas))) arguments.reset();
  return arguments;
}

std::string describe(const Op& op, uint64_t stream) { return op.name + ", stream " + std::to_string(stream); }

void expect_equal_elements(const OpHarness& harness, ValueId a, ValueId b) {
  ASSERT_EQ(harness.meta(a).dtype, harness.meta(b).dtype);
  ASSERT_EQ(harness.meta(a).layout.sizes, harness.meta(b).layout.sizes);
  for (int64_t i = 0; i < harness.meta(a).layout.numel(); ++i) {
    if (is_floating(harness.meta(a).dtype)) {
      EXPECT_TRUE(same_ball(harness.ball(a, i), harness.ball(b, i))) << "element " << i;
    } else {
      EXPECT_EQ(harness.integer(a, i).value, harness.integer(b, i).value) << "element " << i;
      EXPECT_EQ(harness.integer(a, i).undecided, harness.integer(b, i).undecided) << "element " << i;
    }
  }
}

// What has no sample is drawn within structures: scales and zero points that are tensors belong to what they scale, and
// the count of a result to the data.
TEST(NumericLaws, OnlyQuantizedOpsHaveNoSample) {
  for (const Op* op : ops_that_compute()) {
    EXPECT_TRUE(op->sample != nullptr || op->name.starts_with("quantized_decomposed.") || has_counted_size(*op))
        << op->name;
  }
}

TEST(NumericLaws, SampledArgumentsInfer) {
  constexpr uint64_t seed = 1;
  for (const Op* op : numeric_ops()) {
    int drawn = 0;
    int refused = 0;
    std::set<std::string> reasons;
    for (uint64_t stream = 0; stream < 100; ++stream) {
      const auto arguments = sampled(*op, Choices(seed, stream));
      if (!arguments) continue;
      ASSERT_EQ(arguments->size(), op->schema.parameters.size()) << describe(*op, stream);
      ++drawn;
      const auto results = op->infer(Call(*op, *arguments, shapes_for(*op).metas));
      if (results) continue;
      ++refused;
      reasons.insert(results.error().reason);
    }
    // A transposed convolution has few weights to choose from.
    EXPECT_GE(drawn, is_spatial(*op) ? 20 : 80) << op->name << " draws nothing from a pool that has everything";
    EXPECT_LE(refused, drawn / 10) << op->name << ": " << testing::PrintToString(reasons);
  }
}

// A tape of zeros is the simplest case, and has to be one too.
TEST(NumericLaws, TheEmptyTapeSamples) {
  for (const Op* op : numeric_ops()) {
    const auto arguments = sampled(*op, Choices(std::span<const uint8_t>()));
    ASSERT_TRUE(arguments.has_value()) << op->name;
    EXPECT_EQ(arguments->size(), op->schema.parameters.size()) << op->name;
  }
}

TEST(NumericLaws, AnInPlaceTwinWritesTheFunctionalResult) {
  constexpr uint64_t seed = 2;
  int compared = 0;
  for (const Op* op : numeric_ops()) {
    if (op->functional == nullptr) continue;
    for (uint64_t stream = 0; stream < 40; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      const auto arguments = accepted(*op, Choices(seed, stream));
      if (!arguments) continue;
      OpHarness harness = filled(shapes_for(*op), seed + 1, stream);
      move_indices_into_range(harness, *op, *arguments);
      const Result<ValueId> functional = harness.call(*op->functional, *arguments);
      const Result<ValueId> written = harness.call(*op, *arguments);
      // What their elements forbid is refused by both.
      ASSERT_EQ(functional.has_value(), written.has_value());
      if (!functional) continue;
      // Where the dtypes differ the twin converts, and there is nothing to compare element by element.
      if (harness.meta(*functional).dtype != harness.meta(*written).dtype) continue;
      expect_equal_elements(harness, *functional, *written);
      ++compared;
    }
  }
  EXPECT_GT(compared, 400);
}

// The same logical elements give the same result, wherever they lie.
TEST(NumericLaws, StridesDoNotMatter) {
  constexpr uint64_t seed = 3;
  int compared = 0;
  for (const Op* op : numeric_ops()) {
    if (op->writes()) continue;
    for (uint64_t stream = 0; stream < 40; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      auto arguments = accepted(*op, Choices(seed, stream));
      if (!arguments) continue;
      OpHarness harness = filled(shapes_for(*op), seed + 1, stream);
      move_indices_into_range(harness, *op, *arguments);
      const Result<ValueId> strided = harness.call(*op, *arguments);
      std::vector<std::pair<ValueId, ValueId>> copies;
      for (Argument& argument : *arguments) {
        for_each_value(argument, [&](ValueId& value) {
          const auto known =
              std::find_if(copies.begin(), copies.end(), [&](auto& pair) { return pair.first == value; });
          if (known == copies.end()) {
            const ValueId copy = harness.add(harness.meta(value).dtype, harness.meta(value).layout.sizes);
            for (int64_t i = 0; i < harness.meta(value).layout.numel(); ++i) {
              if (is_floating(harness.meta(value).dtype)) {
                harness.ball(copy, i) = harness.ball(value, i);
              } else {
                harness.integer(copy, i) = harness.integer(value, i);
              }
            }
            copies.emplace_back(value, copy);
            value = copy;
          } else {
            value = known->second;
          }
        });
      }
      const Result<ValueId> contiguous = harness.call(*op, *arguments);
      ASSERT_EQ(strided.has_value(), contiguous.has_value());
      if (!strided) continue;
      expect_equal_elements(harness, *strided, *contiguous);
      ++compared;
    }
  }
  EXPECT_GT(compared, 800);
}

TEST(NumericLaws, EveryPositionedResultFillsItsStorage) {
  constexpr uint64_t seed = 4;
  for (const Op* op : numeric_ops()) {
    for (uint64_t stream = 0; stream < 40; ++stream) {
      const auto arguments = sampled(*op, Choices(seed, stream));
      if (!arguments) continue;
      const auto results = op->infer(Call(*op, *arguments, shapes_for(*op).metas));
      if (!results || results->front().alias.valid()) continue;
      EXPECT_TRUE(is_dense(results->front().layout)) << describe(*op, stream);
      EXPECT_EQ(results->front().layout.offset, 0) << describe(*op, stream);
    }
  }
}

}  // namespace
}  // namespace parallax
