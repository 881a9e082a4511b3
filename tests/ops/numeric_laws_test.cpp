// Laws over every numeric op of the registry: a new one is held to them without a test of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "ops/families.h"
#include "ops/registry.h"
#include "tests/ops/index_values.h"

namespace parallax {
namespace {

std::vector<const Op*> numeric_ops() {
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

// Ops over pictures and matrices, which are rare in a pool of small vectors.
bool is_spatial(const Op& op) {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const auto family : {matmul_family, outer_family, convolution_family, pooling_family, max_pool_family,
                              upsample_family, grid_sampler_family, distance_family}) {
      for (const OpDef& definition : family()) found.insert(parse_schema(definition.schema)->qualified_name());
    }
    return found;
  }();
  return names.contains(op.name);
}

std::vector<Layout> layouts_for(const Op& op) {
  if (!is_spatial(op)) {
    return {contiguous_layout({2, 3}), {{2, 3}, {1, 2}, 0},   {{2, 3}, {6, 2}, 0},       {{2, 3}, {0, 1}, 0},
            contiguous_layout({3}),    contiguous_layout({}), contiguous_layout({2, 1}), contiguous_layout({0, 3})};
  }
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

// Some tensors of every dtype in a few layouts, with elements small enough to stay away from overflow.
struct Pool {
  OpHarness harness;
  std::vector<Candidate> candidates;

  Pool(const Op& op, Choices& choices) {
    const std::vector<Layout> layouts = layouts_for(op);
    for (int d = 0; d < dtype_count; ++d) {
      const auto dtype = static_cast<DType>(d);
      for (const Layout& layout : layouts) {
        const ValueId value = harness.add(dtype, layout);
        candidates.push_back({value, !is_expanded(layout), true});
        BallStorage& storage = *harness.view_of(value).storage;
        for (Ball& ball : storage.balls) ball = Ball::exact(static_cast<double>(choices.between(-8, 8)) / 4);
        for (IntegerBall& integer : storage.integers) integer = {wrap_to(dtype, choices.between(-5, 9)), Undecided::No};
      }
    }
  }
};

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

TEST(NumericLaws, SchemasAreThoseOfPyTorch) {
  std::ifstream file(PARALLAX_SHARED_DIR "/aten/schemas.json");
  ASSERT_TRUE(file) << "the shared schemas are missing";
  const nlohmann::json schemas = nlohmann::json::parse(file);
  for (const Op& op : all_ops()) {
    ASSERT_TRUE(schemas.contains(op.name)) << op.name;
    EXPECT_EQ(op.schema_text, schemas[op.name]["schema"].get<std::string>());
  }
}

TEST(NumericLaws, SampledArgumentsInfer) {
  constexpr uint64_t seed = 1;
  for (const Op* op : numeric_ops()) {
    ASSERT_NE(op->sample, nullptr) << op->name;
    int drawn = 0;
    int refused = 0;
    for (uint64_t stream = 0; stream < 100; ++stream) {
      Choices choices(seed, stream);
      const Pool pool(*op, choices);
      SampleContext context(choices, pool.candidates, pool.harness.metas());
      const auto arguments = op->sample(*op, context);
      if (!arguments) continue;
      ASSERT_EQ(arguments->size(), op->schema.parameters.size()) << describe(*op, stream);
      ++drawn;
      if (!op->infer(Call(*op, *arguments, pool.harness.metas()))) ++refused;
    }
    // A transposed convolution has few weights to choose from.
    EXPECT_GE(drawn, is_spatial(*op) ? 20 : 80) << op->name << " draws nothing from a pool that has everything";
    EXPECT_LE(refused, drawn / 10) << op->name;
  }
}

// A tape of zeros is the simplest case, and has to be one too.
TEST(NumericLaws, TheEmptyTapeSamples) {
  for (const Op* op : numeric_ops()) {
    Choices filled(1, 0);
    const Pool pool(*op, filled);
    Choices choices{std::span<const uint8_t>()};
    SampleContext context(choices, pool.candidates, pool.harness.metas());
    const auto arguments = op->sample(*op, context);
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
      Choices choices(seed, stream);
      Pool pool(*op, choices);
      SampleContext context(choices, pool.candidates, pool.harness.metas());
      const auto arguments = op->sample(*op, context);
      if (!arguments || !op->infer(Call(*op, *arguments, pool.harness.metas()))) continue;
      move_indices_into_range(pool.harness, *op, *arguments);
      const Result<ValueId> functional = pool.harness.call(*op->functional, *arguments);
      ASSERT_TRUE(functional.has_value());
      const Result<ValueId> written = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(written.has_value());
      // Where the dtypes differ the twin converts, and there is nothing to compare element by element.
      if (pool.harness.meta(*functional).dtype != pool.harness.meta(*written).dtype) continue;
      expect_equal_elements(pool.harness, *functional, *written);
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
      Choices choices(seed, stream);
      Pool pool(*op, choices);
      SampleContext context(choices, pool.candidates, pool.harness.metas());
      auto arguments = op->sample(*op, context);
      if (!arguments || !op->infer(Call(*op, *arguments, pool.harness.metas()))) continue;
      move_indices_into_range(pool.harness, *op, *arguments);
      const Result<ValueId> strided = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(strided.has_value());
      std::vector<std::pair<ValueId, ValueId>> copies;
      for (Argument& argument : *arguments) {
        for_each_value(argument, [&](ValueId& value) {
          const auto known =
              std::find_if(copies.begin(), copies.end(), [&](auto& pair) { return pair.first == value; });
          if (known == copies.end()) {
            const ValueId copy =
                pool.harness.add(pool.harness.meta(value).dtype, pool.harness.meta(value).layout.sizes);
            for (int64_t i = 0; i < pool.harness.meta(value).layout.numel(); ++i) {
              if (is_floating(pool.harness.meta(value).dtype)) {
                pool.harness.ball(copy, i) = pool.harness.ball(value, i);
              } else {
                pool.harness.integer(copy, i) = pool.harness.integer(value, i);
              }
            }
            copies.emplace_back(value, copy);
            value = copy;
          } else {
            value = known->second;
          }
        });
      }
      const Result<ValueId> contiguous = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(contiguous.has_value());
      expect_equal_elements(pool.harness, *strided, *contiguous);
      ++compared;
    }
  }
  EXPECT_GT(compared, 800);
}

TEST(NumericLaws, EveryPositionedResultFillsItsStorage) {
  constexpr uint64_t seed = 4;
  for (const Op* op : numeric_ops()) {
    for (uint64_t stream = 0; stream < 40; ++stream) {
      Choices choices(seed, stream);
      const Pool pool(*op, choices);
      SampleContext context(choices, pool.candidates, pool.harness.metas());
      const auto arguments = op->sample(*op, context);
      if (!arguments) continue;
      const auto results = op->infer(Call(*op, *arguments, pool.harness.metas()));
      if (!results || results->front().alias.valid()) continue;
      EXPECT_TRUE(is_dense(results->front().layout)) << describe(*op, stream);
      EXPECT_EQ(results->front().layout.offset, 0) << describe(*op, stream);
    }
  }
}

}  // namespace
}  // namespace parallax
