// The layouts of the structural ops, as PyTorch 2.13 gives them: sizes, strides, offset, and whether memory is shared.
#include <gtest/gtest.h>

#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Arguments = std::vector<Argument>;

Argument integer(int64_t x) { return Scalar(x); }

std::string text(const Layout& layout) {
  return "[" + to_string(layout.sizes) + "] strides [" + to_string(layout.strides) + "] offset " +
         std::to_string(layout.offset);
}

struct Row {
  const char* op;
  Layout self;
  Arguments rest;  // behind self
  Layout result;
  bool shared;
};

const Layout matrix = contiguous_layout({2, 3});
const Layout flipped = {{3, 2}, {1, 3}, 0};        // matrix, transposed
const Layout sparse = {{4, 3, 2}, {2, 8, 24}, 0};  // with holes, in reversed order
const Layout expanded = {{2, 3}, {0, 1}, 0};
const Layout number = contiguous_layout({});
const Layout images = {{2, 3, 4, 5}, {60, 1, 15, 3}, 0};  // channels last
const Layout windowed = {{2, 2}, {6, 2}, 7};              // a window on a larger storage
const Layout nothing = contiguous_layout({0, 3});

std::vector<Row> rows() {
  return {
      {"aten.alias.default", windowed, {}, windowed, true},
      {"aten.detach.default", flipped, {}, flipped, true},
      {"aten.view.default", matrix, {IntList{3, -1}}, {{3, 2}, {2, 1}, 0}, true},
      {"aten.view.default", flipped, {IntList{3, 1, 2}}, {{3, 1, 2}, {1, 6, 3}, 0}, true},
      {"aten.view.default", number, {IntList{1, 1}}, {{1, 1}, {1, 1}, 0}, true},
      {"aten.view.default", nothing, {IntList{-1, 2}}, {{0, 2}, {2, 1}, 0}, true},
      {"aten.expand.default", matrix, {IntList{1, 5, 2, -1}, Scalar(false)}, {{1, 5, 2, 3}, {0, 0, 3, 1}, 0}, true},
      {"aten.expand.default", matrix, {IntList{1, 1, 2, 3}, Scalar(false)}, {{1, 1, 2, 3}, {6, 6, 3, 1}, 0}, true},
      {"aten.expand.default", number, {IntList{1, 2}, Scalar(false)}, {{1, 2}, {0, 0}, 0}, true},
      {"aten.permute.default", contiguous_layout({2, 3, 4}), {IntList{-1, 0, 1}}, {{4, 2, 3}, {1, 12, 4}, 0}, true},
      {"aten.transpose.int", number, {integer(0), integer(-1)}, number, true},
      {"aten.movedim.int", contiguous_layout({2, 3, 4}), {integer(0), integer(-1)}, {{3, 4, 2}, {4, 1, 12}, 0}, true},
      {"aten.t.default", matrix, {}, flipped, true},
      {"aten.t.default", contiguous_layout({3}), {}, contiguous_layout({3}), true},
      {"aten.squeeze.default", {{1, 2, 1}, {9, 4, 7}, 3}, {}, {{2}, {4}, 3}, true},
      {"aten.squeeze.dim", matrix, {integer(0)}, matrix, true},
      {"aten.squeeze.dims", {{1, 2, 1}, {2, 1, 1}, 0}, {IntList{0, -1}}, {{2}, {1}, 0}, true},
      {"aten.unsqueeze.default", flipped, {integer(0)}, {{1, 3, 2}, {3, 1, 3}, 0}, true},
      {"aten.unsqueeze.default", flipped, {integer(-1)}, {{3, 2, 1}, {1, 3, 1}, 0}, true},
      {"aten.select.int", windowed, {integer(0), integer(-1)}, {{2}, {2}, 13}, true},
      {"aten.slice.Tensor",
       contiguous_layout({7}),
       {integer(0), integer(-6), Argument(), integer(2)},
       {{3}, {2}, 1},
       true},
      {"aten.slice.Tensor",
       contiguous_layout({7}),
       {integer(0), integer(5), integer(2), integer(1)},
       {{0}, {1}, 5},
       true},
      {"aten.slice.Tensor",
       matrix,
       {integer(1), integer(-9), integer(INT64_MAX), integer(50)},
       {{2, 1}, {3, 50}, 0},
       true},
      {"aten.narrow.default", matrix, {integer(1), integer(-2), integer(2)}, {{2, 2}, {3, 1}, 1}, true},
      {"aten.diagonal.default", matrix, {integer(1), integer(0), integer(1)}, {{2}, {4}, 1}, true},
      {"aten.diagonal.default", matrix, {integer(9), integer(0), integer(1)}, {{0}, {4}, 0}, true},
      {"aten.diagonal.default", matrix, {integer(-1), integer(0), integer(1)}, {{1}, {4}, 3}, true},
      {"aten.unfold.default", contiguous_layout({5}), {integer(0), integer(2), integer(2)}, {{2, 2}, {2, 1}, 0}, true},
      {"aten.unfold.default", number, {integer(0), integer(1), integer(1)}, {{1}, {1}, 0}, true},
      {"aten.as_strided.default", windowed, {IntList{2, 2}, IntList{1, 0}, Argument()}, {{2, 2}, {1, 0}, 7}, true},
      {"aten.as_strided.default", windowed, {IntList{0}, IntList{1}, integer(60)}, {{0}, {1}, 60}, true},
      {"aten.t_.default", matrix, {}, flipped, true},
      {"aten.unsqueeze_.default", matrix, {integer(1)}, {{2, 1, 3}, {3, 3, 1}, 0}, true},
      {"aten.squeeze_.dim", {{1, 2}, {2, 1}, 0}, {integer(0)}, {{2}, {1}, 0}, true},
      {"aten.transpose_.default", matrix, {integer(0), integer(1)}, flipped, true},

      {"aten.reshape.default", flipped, {IntList{6}}, contiguous_layout({6}), false},
      {"aten.reshape.default", matrix, {IntList{6}}, contiguous_layout({6}), true},
      {"aten.flatten.using_ints", flipped, {integer(0), integer(-1)}, contiguous_layout({6}), false},
      {"aten.flatten.using_ints", flipped, {integer(1), integer(1)}, flipped, true},
      {"aten.flatten.using_ints", number, {integer(0), integer(-1)}, contiguous_layout({1}), true},
      {"aten.contiguous.default", matrix, {}, matrix, true},
      {"aten.contiguous.default", flipped, {}, contiguous_layout({3, 2}), false},
      {"aten.clone.default", flipped, {}, flipped, false},
      {"aten.clone.default", sparse, {}, {{4, 3, 2}, {1, 4, 12}, 0}, false},
      {"aten.clone.default", expanded, {}, contiguous_layout({2, 3}), false},
      {"aten.clone.default", windowed, {}, contiguous_layout({2, 2}), false},
      {"aten.lift_fresh_copy.default", flipped, {}, contiguous_layout({3, 2}), false},
      {"aten.alias_copy.default", flipped, {}, contiguous_layout({3, 2}), false},
      {"aten.view_copy.default", flipped, {IntList{6}}, contiguous_layout({6}), false},
      {"aten.permute_copy.default", matrix, {IntList{1, 0}}, contiguous_layout({3, 2}), false},
      {"aten.select_copy.int", sparse, {integer(1), integer(0)}, contiguous_layout({4, 2}), false},
      {"aten.flip.default", sparse, {IntList{0}}, {{4, 3, 2}, {1, 4, 12}, 0}, false},
      {"aten.roll.default", flipped, {IntList{1}, IntList{0}}, contiguous_layout({3, 2}), false},
      {"aten.repeat.default", flipped, {IntList{2, 1, 1}}, contiguous_layout({2, 3, 2}), false},
      {"aten.repeat.default", matrix, {IntList{2, 1, 0}}, contiguous_layout({2, 2, 0}), false},
  };
}

TEST(StructuralLayouts, AreThoseOfPyTorch) {
  for (const Row& row : rows()) {
    OpHarness harness;
    const ValueId self = harness.add(DType::F32, row.self);
    Arguments arguments{self};
    arguments.insert(arguments.end(), row.rest.begin(), row.rest.end());
    // expand's last argument is for keywords only.
    std::vector<std::pair<std::string, Argument>> named;
    if (std::string_view(row.op) == "aten.expand.default") {
      named.emplace_back("implicit", arguments.back());
      arguments.pop_back();
    }
    const auto results = harness.infer(row.op, arguments, named);
    ASSERT_TRUE(results) << row.op << ": " << results.error().text();
    EXPECT_EQ(text(results->front().layout), text(row.result)) << row.op;
    EXPECT_EQ(results->front().alias.valid(), row.shared) << row.op;
  }
}

TEST(StructuralLayouts, MemoryFormatsDecideBetweenAViewAndACopy) {
  OpHarness harness;
  const ValueId plain = harness.add(DType::F32, contiguous_layout(images.sizes));
  const ValueId last = harness.add(DType::F32, images);
  const auto format = [](MemoryFormat f) {
    return std::vector<std::pair<std::string, Argument>>{{"memory_format", f}};
  };
  const auto channels_last = format(MemoryFormat::ChannelsLast);

  EXPECT_TRUE(harness.infer("aten.contiguous.default", {last}, channels_last)->front().alias.valid());
  EXPECT_EQ(harness.infer("aten.contiguous.default", {plain}, channels_last)->front().layout, images);
  EXPECT_EQ(harness.infer("aten.clone.default", {plain}, channels_last)->front().layout, images);
  EXPECT_EQ(harness.infer("aten.clone.default", {last})->front().layout, images);
  EXPECT_EQ(harness.infer("aten.to.dtype", {plain, DType::F32})->front().alias, plain);
  EXPECT_FALSE(harness.infer("aten.to.dtype", {plain, DType::F16})->front().alias.valid());
  EXPECT_EQ(harness.infer("aten.to.dtype", {last, DType::F32}, channels_last)->front().alias, last);
  EXPECT_EQ(harness.infer("aten.to.dtype", {plain, DType::F32}, channels_last)->front().layout, images);
  EXPECT_EQ(harness.infer("aten._to_copy.default", {last}, {{"dtype", DType::I32}})->front().layout, images);
  EXPECT_EQ(harness.infer("aten._to_copy.default", {last}, {{"dtype", DType::I32}})->front().dtype, DType::I32);
  EXPECT_EQ(harness.infer("aten.cat.default", {ValueList{last, last}, integer(1)})->front().layout,
            (Layout{{2, 6, 4, 5}, {120, 1, 30, 6}, 0}));
  EXPECT_EQ(harness.infer("aten.cat.default", {ValueList{last, plain}, integer(1)})->front().layout,
            contiguous_layout({2, 6, 4, 5}));
  EXPECT_EQ(harness.infer("aten.stack.default", {ValueList{last, last}, integer(1)})->front().layout,
            (Layout{{2, 2, 3, 4, 5}, {120, 3, 1, 30, 6}, 0}));
}

TEST(StructuralLayouts, SplitsAreViewsSideBySide) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, contiguous_layout({5, 2}));
  const auto parts = [&](std::string_view op, Argument how) {
    std::vector<std::pair<int64_t, int64_t>> sizes_and_offsets;
    const auto results = harness.infer(op, {self, std::move(how), integer(0)});
    if (!results) return sizes_and_offsets;
    for (const ResultMeta& result : *results) {
      EXPECT_EQ(result.alias, self);
      EXPECT_EQ(result.layout.strides, (Dims{2, 1}));
      sizes_and_offsets.emplace_back(result.layout.sizes[0], result.layout.offset);
    }
    return sizes_and_offsets;
  };
  using Parts = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(parts("aten.split.Tensor", integer(2)), (Parts{{2, 0}, {2, 4}, {1, 8}}));
  EXPECT_EQ(parts("aten.split.Tensor", integer(9)), (Parts{{5, 0}}));
  EXPECT_EQ(parts("aten.chunk.default", integer(4)), (Parts{{2, 0}, {2, 4}, {1, 8}}));
  EXPECT_EQ(parts("aten.split_with_sizes.default", IntList{0, 3, 2}), (Parts{{0, 0}, {3, 0}, {2, 6}}));

  const auto rows = harness.infer("aten.unbind.int", {self, integer(-1)});
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[1].layout, (Layout{{5}, {2}, 1}));
  const ValueId empty = harness.add(DType::F32, nothing);
  EXPECT_TRUE(harness.infer("aten.unbind.int", {empty, integer(0)})->empty());
  EXPECT_EQ(harness.infer("aten.chunk.default", {empty, integer(3), integer(0)})->size(), 3U);
  EXPECT_EQ(harness.infer("aten.split.Tensor", {empty, integer(0), integer(0)})->size(), 1U);
}

TEST(StructuralLayouts, CatSkipsOldStyleEmptyTensorsButPromotesThem) {
  OpHarness harness;
  const ValueId ints = harness.add(DType::I32, contiguous_layout({2, 3}));
  const ValueId empty = harness.add(DType::F32, contiguous_layout({0}));
  const auto joined = harness.infer("aten.cat.default", {ValueList{ints, empty}, integer(-1)});
  ASSERT_TRUE(joined) << joined.error().text();
  EXPECT_EQ(joined->front().layout, contiguous_layout({2, 3}));
  EXPECT_EQ(joined->front().dtype, DType::F32);
  EXPECT_EQ(harness.infer("aten.cat.default", {ValueList{empty, empty}, integer(3)})->front().layout,
            contiguous_layout({0}));
}

// Scatters and copy clone the whole storage, so the result keeps self's strides and offset; clone does not.
TEST(StructuralLayouts, ScattersKeepTheWindowOfSelf) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, windowed);
  const ValueId row = harness.add(DType::F32, contiguous_layout({2}));
  const auto scattered = harness.infer("aten.select_scatter.default", {self, row, integer(0), integer(0)});
  EXPECT_EQ(scattered->front().layout, windowed);
  EXPECT_FALSE(scattered->front().alias.valid());
  EXPECT_EQ(harness.infer("aten.copy.default", {self, row})->front().layout, windowed);
  const ValueId wide = harness.add(DType::F32, expanded);
  const ValueId three = harness.add(DType::F32, contiguous_layout({3}));
  EXPECT_EQ(harness.infer("aten.select_scatter.default", {wide, three, integer(0), integer(0)})->front().layout,
            contiguous_layout({2, 3}));
}

TEST(StructuralLayouts, IndexedDimsStandTogetherOrInFront) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, contiguous_layout({2, 3, 4}));
  const ValueId pair = harness.add(DType::I64, contiguous_layout({5, 1}));
  const ValueId other = harness.add(DType::I64, contiguous_layout({6}));
  const auto sizes = [&](ValueList indices) {
    return harness.infer("aten.index.Tensor", {self, std::move(indices)})->front().layout.sizes;
  };
  EXPECT_EQ(sizes({ValueId(), pair}), (Dims{2, 5, 1, 4}));
  EXPECT_EQ(sizes({ValueId(), pair, other}), (Dims{2, 5, 6}));
  EXPECT_EQ(sizes({pair, ValueId(), other}), (Dims{5, 6, 3}));
}

}  // namespace
}  // namespace parallax
