// Laws over every structural op: a new one is held to them without a test of its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/families.h"
#include "ops/registry.h"
#include "tests/ops/index_values.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 7;
constexpr uint64_t streams = 150;

std::vector<const Op*> structural_ops() {
  std::vector<const Op*> ops;
  for (auto family :
       {view_family, window_family, split_family, copy_family, view_copy_family, join_family, scatter_family,
        rearrange_family, index_family, gather_family, scatter_index_family, index_add_family, index_copy_family,
        sort_family, pad_family, search_family, repeat_interleave_family}) {
    for (const OpDef& definition : family()) {
      ops.push_back(&op_named(parse_schema(definition.schema)->qualified_name()));
    }
  }
  return ops;
}

// Tensors of two dtypes in dense, permuted, holey, expanded, 0-d and empty layouts, every element another number.
struct Pool {
  OpHarness harness;
  std::vector<Candidate> candidates;

  Pool() {
    const std::vector<Layout> layouts = {contiguous_layout({2, 3}),
                                         {{2, 3}, {1, 2}, 0},
                                         {{2, 3}, {8, 2}, 0},
                                         {{2, 3}, {0, 1}, 0},
                                         contiguous_layout({3}),
                                         contiguous_layout({2}),
                                         contiguous_layout({}),
                                         contiguous_layout({1, 3}),
                                         {{2, 1, 3}, {3, 9, 1}, 0},
                                         {{3, 2, 2}, {1, 3, 6}, 0},
                                         {{1, 2, 2, 3}, {12, 1, 6, 2}, 0},
                                         contiguous_layout({0, 3})};
    for (DType dtype : {DType::F32, DType::I64}) {
      for (const Layout& layout : layouts) {
        const ValueId value = harness.add(dtype, layout);
        candidates.push_back({value, !is_expanded(layout), true});
        BallStorage& storage = *harness.view_of(value).storage;
        for (Ball& ball : storage.balls) ball = Ball::exact(++next_);
        for (IntegerBall& integer : storage.integers) integer = {++next_, Undecided::No};
      }
    }
  }

  std::optional<std::vector<Argument>> draw(const Op& op, uint64_t stream) {
    Choices choices(seed, stream);
    SampleContext context(choices, candidates, harness.metas());
    std::optional<std::vector<Argument>> arguments = op.sample(op, context);
    if (arguments) move_indices_into_range(harness, op, *arguments);
    return arguments;
  }

 private:
  int next_ = 0;
};

std::string describe(const Op& op, uint64_t stream) { return op.name + ", seed 7, stream " + std::to_string(stream); }

void expect_equal_elements(const OpHarness& harness, ValueId a, ValueId b) {
  ASSERT_EQ(harness.meta(a).dtype, harness.meta(b).dtype);
  ASSERT_EQ(harness.meta(a).layout.sizes, harness.meta(b).layout.sizes);
  const std::vector<int64_t> first = elements_of(harness.meta(a).layout);
  const std::vector<int64_t> second = elements_of(harness.meta(b).layout);
  const BallView& x = harness.view_of(a);
  const BallView& y = harness.view_of(b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(same_ball(x.as_ball(first[i]), y.as_ball(second[i]))) << "element " << i;
  }
}

// A contiguous tensor of the same elements.
ValueId packed(OpHarness& harness, ValueId value) {
  return *harness.call("aten.clone.default", {value}, {{"memory_format", MemoryFormat::Contiguous}});
}

TEST(StructuralLaws, SampledArgumentsInferAndResultsOfTheirOwnAreInBounds) {
  for (const Op* op : structural_ops()) {
    if (op->sample == nullptr) continue;
    int drawn = 0;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      ++drawn;
      ASSERT_EQ(arguments->size(), op->schema.parameters.size()) << op->name;
      const auto results = op->infer(Call(*op, *arguments, pool.harness.metas()));
      ASSERT_TRUE(results) << describe(*op, stream) << ": " << results.error().text();
      for (const ResultMeta& result : *results) {
        if (!result.alias.valid()) continue;
        const TensorMeta& owner = pool.harness.meta(result.alias);
        if (result.layout.numel() == 0) continue;
        EXPECT_LE(result.layout.extent(), owner.layout.extent()) << describe(*op, stream);
      }
    }
    EXPECT_GT(drawn, static_cast<int>(streams) / 2) << op->name;
  }
}

TEST(StructuralLaws, AViewEqualsItsCopy) {
  int compared = 0;
  for (const Op* op : structural_ops()) {
    if (op->view_twin == nullptr) continue;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      const auto view = pool.harness.call(*op->view_twin, *arguments);
      const auto copy = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(view) << view.error().text();
      ASSERT_TRUE(copy) << copy.error().text();
      EXPECT_TRUE(is_contiguous(pool.harness.meta(*copy).layout));
      EXPECT_FALSE(pool.harness.meta(*copy).storage == pool.harness.meta(*view).storage);
      expect_equal_elements(pool.harness, *view, *copy);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

// as_strided and its kin look at the storage, and so at the strides.
bool sees_strides(const Op& op) { return op.name.find("as_strided") != std::string::npos; }

TEST(StructuralLaws, StridesDoNotMatter) {
  int compared = 0;
  for (const Op* op : structural_ops()) {
    if (op->sample == nullptr || sees_strides(*op) || op->schema.has_list_result()) continue;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      std::vector<Argument> replaced = *arguments;
      for (Argument& argument : replaced) {
        for_each_value(argument, [&](ValueId& value) { value = packed(pool.harness, value); });
      }
      const auto result = pool.harness.call(*op, *arguments);
      const auto same = pool.harness.call(*op, replaced);
      ASSERT_TRUE(result) << result.error().text();
      ASSERT_TRUE(same) << same.error().text();
      expect_equal_elements(pool.harness, *result, *same);
      ++compared;
    }
  }
  EXPECT_GT(compared, 2000);
}

TEST(StructuralLaws, ASplitsPartsAreSlicesInOrder) {
  for (const char* name : {"aten.split.Tensor", "aten.split_with_sizes.default", "aten.chunk.default"}) {
    const Op& op = op_named(name);
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(op, stream));
      Pool pool;
      const auto arguments = pool.draw(op, stream);
      if (!arguments) continue;
      const auto parts = op.infer(Call(op, *arguments, pool.harness.metas()));
      ASSERT_TRUE(parts);
      int64_t start = 0;
      const int rank = parts->front().layout.rank();
      const int64_t drawn_dim = as_integer(std::get<Scalar>((*arguments)[2]));
      const int dim = static_cast<int>(drawn_dim < 0 ? drawn_dim + rank : drawn_dim);
      for (const ResultMeta& part : *parts) {
        const int64_t length = part.layout.sizes[dim];
        const auto slice = pool.harness.infer("aten.narrow.default",
                                              {(*arguments)[0], Scalar(int64_t{dim}), Scalar(start), Scalar(length)});
        ASSERT_TRUE(slice) << slice.error().text();
        EXPECT_EQ(slice->front().layout, part.layout);
        start += length;
      }
    }
  }
}

struct ScatterPair {
  const char* scatter;
  const char* view;
};

// slice_scatter(self, src, …) is: clone self, view the clone by …, write src there.
TEST(StructuralLaws, AScatterIsACloneAndAWriteThroughTheView) {
  int compared = 0;
  for (const ScatterPair& pair : {ScatterPair{"aten.slice_scatter.default", "aten.slice.Tensor"},
                                  ScatterPair{"aten.select_scatter.default", "aten.select.int"},
                                  ScatterPair{"aten.diagonal_scatter.default", "aten.diagonal.default"},
                                  ScatterPair{"aten.as_strided_scatter.default", "aten.as_strided.default"}}) {
    const Op& op = op_named(pair.scatter);
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(op, stream));
      Pool pool;
      const auto arguments = pool.draw(op, stream);
      if (!arguments) continue;
      const auto result = pool.harness.call(op, *arguments);
      ASSERT_TRUE(result) << result.error().text();
      const auto clone = pool.harness.call("aten.clone.default", {(*arguments)[0]});
      std::vector<Argument> rest{*clone};
      rest.insert(rest.end(), arguments->begin() + 2, arguments->end());
      const auto view = pool.harness.call(pair.view, rest);
      ASSERT_TRUE(view) << view.error().text();
      ASSERT_TRUE(pool.harness.call("aten.copy_.default", {*view, (*arguments)[1]}));
      expect_equal_elements(pool.harness, *result, *clone);
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(StructuralLaws, AnInPlaceTwinLeavesTheFunctionalResultInSelf) {
  for (const Op* op : structural_ops()) {
    if (op->functional == nullptr || op->sample == nullptr) continue;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      SCOPED_TRACE(describe(*op, stream));
      Pool pool;
      const auto arguments = pool.draw(*op, stream);
      if (!arguments) continue;
      std::vector<Argument> functional = *arguments;
      functional[0] = *pool.harness.call("aten.clone.default", {(*arguments)[0]});
      const auto expected = pool.harness.call(*op->functional, functional);
      const auto written = pool.harness.call(*op, *arguments);
      ASSERT_TRUE(expected) << expected.error().text();
      ASSERT_TRUE(written) << written.error().text();
      EXPECT_EQ(pool.harness.meta(*written).storage, pool.harness.meta(std::get<ValueId>((*arguments)[0])).storage);
      expect_equal_elements(pool.harness, *written, *expected);
    }
  }
}

}  // namespace
}  // namespace parallax
