// Laws over the ops that index with tensors, whose indices have to be kept in range: sampled arguments infer and run,
// an in-place twin leaves the functional result, and strides do not matter.
#include <gtest/gtest.h>

#include "ops/registry.h"
#include "tests/ops/index_values.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 11;
constexpr uint64_t streams = 120;

std::vector<const Op*> indexing_ops() {
  std::vector<const Op*> ops;
  for (const Op& op : all_ops()) {
    if (op.index_ranges && op.sample) ops.push_back(&op);
  }
  return ops;
}

// Tensors of a few dtypes and layouts, every element another small number, all of them open to be indices.
struct Pool {
  OpHarness harness;
  std::vector<Candidate> candidates;

  Pool() {
    const std::vector<Layout> layouts = {contiguous_layout({2, 3}),
                                         {{2, 3}, {1, 2}, 0},
                                         {{2, 3}, {8, 2}, 0},
                                         contiguous_layout({3}),
                                         {{2}, {3}, 0},
                                         contiguous_layout({}),
                                         contiguous_layout({1, 3}),
                                         {{3, 2, 2}, {1, 3, 6}, 0},
                                         contiguous_layout({0, 3})};
    double next = 0;
    for (DType dtype : {DType::F32, DType::I64, DType::I32, DType::Bool, DType::F16}) {
      for (const Layout& layout : layouts) {
        // Two of each, so that a written tensor finds an operand that lies apart from it.
        for (int copy = 0; copy < 2; ++copy) {
          const ValueId value = harness.add(dtype, layout);
          candidates.push_back({value, true, true});
          BallStorage& storage = *harness.view_of(value).storage;
          for (Ball& ball : storage.balls) ball = Ball::exact(++next);
          for (IntegerBall& integer : storage.integers) integer = {wrap_to(dtype, static_cast<int64_t>(++next))};
        }
      }
    }
  }

  // Arguments whose indices have been moved into range.
  std::optional<std::vector<Argument>> draw(const Op& op, uint64_t stream) {
    Choices choices(seed, stream);
    SampleContext context(choices, candidates, harness.metas());
    std::optional<std::vector<Argument>> arguments = op.sample(op, context);
    if (!arguments) return arguments;
    move_indices_into_range(harness, op, *arguments);
    return arguments;
  }
};

std::string describe(const Op& op, uint64_t stream) { return op.name + ", seed 11, stream " + std::to_string(stream); }

void expect_equal_elements(const OpHarness& harness, ValueId a, ValueId b) {
  ASSERT_EQ(harness.meta(a).dtype, harness.meta(b).dtype);
  ASSERT_EQ(harness.meta(a).layout.sizes, harness.meta(b).layout.sizes);
  const std::vector<int64_t> first = elements_of(harness.meta(a).layout);
  const std::vector<int64_t> second = elements_of(harness.meta(b).layout);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(same_ball(harness.view_of(a).as_ball(first[i]), harness.view_of(b).as_ball(second[i])))
        << "element " << i;
  }
}

TEST(IndexLaws, SampledArgumentsInferAndRun) {
  for (const Op* op : indexing_ops()) {
    uint64_t drawn = 0;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      ++drawn;
      ASSERT_EQ(arguments->size(), op->schema.parameters.size()) << op->name;
      const auto result = pool.harness.call(*op, *arguments);
      EXPECT_TRUE(result) << describe(*op, stream) << ": " << result.error().text();
    }
    EXPECT_GT(drawn, streams / 3) << op->name;
  }
}

TEST(IndexLaws, AnInPlaceTwinLeavesTheFunctionalResultInSelf) {
  int compared = 0;
  for (const Op* op : indexing_ops()) {
    if (op->functional == nullptr) continue;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      const auto expected = pool.harness.call(*op->functional, *arguments);
      const auto written = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(expected) << expected.error().text();
      ASSERT_TRUE(written) << written.error().text();
      EXPECT_EQ(pool.harness.meta(*written).storage, pool.harness.meta(std::get<ValueId>((*arguments)[0])).storage);
      expect_equal_elements(pool.harness, *written, *expected);
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(IndexLaws, StridesDoNotMatter) {
  int compared = 0;
  for (const Op* op : indexing_ops()) {
    if (op->writes()) continue;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      std::vector<Argument> replaced = *arguments;
      for (Argument& argument : replaced) {
        for_each_value(argument, [&](ValueId& value) {
          value = *pool.harness.call("aten.clone.default", {value}, {{"memory_format", MemoryFormat::Contiguous}});
        });
      }
      const auto result = pool.harness.call(*op, *arguments);
      const auto same = pool.harness.call(*op, replaced);
      ASSERT_TRUE(result) << result.error().text();
      ASSERT_TRUE(same) << same.error().text();
      expect_equal_elements(pool.harness, *result, *same);
      ++compared;
    }
  }
  EXPECT_GT(compared, 800);
}

// An index that is not known leaves no element decided that it may reach, and none is out of range.
TEST(IndexLaws, AnUnknownIndexDecidesNothingItMayReach) {
  for (const Op* op : indexing_ops()) {
    int64_t undecided = 0;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      for (const IndexRange& range : op->index_ranges(Call(*op, *arguments, pool.harness.metas()))) {
        for (int64_t element : elements_of(pool.harness.meta(range.value).layout)) {
          pool.harness.view_of(range.value).integer(element) = {0, Undecided::InexactToInteger};
        }
      }
      const auto result = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(result) << result.error().text();
      for (int64_t element : elements_of(pool.harness.meta(*result).layout)) {
        undecided += !pool.harness.view_of(*result).as_ball(element).decided();
      }
    }
    EXPECT_GT(undecided, 0) << op->name;
  }
}

}  // namespace
}  // namespace parallax
