// What the structural ops refuse, and the one line that they say.
#include <gtest/gtest.h>

#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Arguments = std::vector<Argument>;

Argument integer(int64_t x) { return Scalar(x); }

struct Row {
  const char* op;
  Layout self;
  Arguments rest;
  const char* reason;  // behind "op: "
};

const Layout matrix = contiguous_layout({2, 3});
const Layout flipped = {{3, 2}, {1, 3}, 0};
const Layout number = contiguous_layout({});
const Layout nothing = contiguous_layout({0});
const Layout eight = contiguous_layout({1, 1, 1, 1, 1, 1, 1, 1});

std::vector<Row> rows() {
  return {
      {"aten.view.default", matrix, {IntList{4, 2}}, "[4, 2] does not fit 6 elements"},
      {"aten.view.default", matrix, {IntList{-1, -1}}, "only one size of [-1, -1] can be inferred"},
      {"aten.view.default", matrix, {IntList{-1, 4}}, "[-1, 4] does not fit 6 elements"},
      {"aten.view.default", matrix, {IntList{-2, 3}}, "size -2 in [-2, 3] is negative"},
      {"aten.view.default", nothing, {IntList{-1, 0}}, "the -1 in [-1, 0] is ambiguous for a tensor without elements"},
      {"aten.view.default",
       flipped,
       {IntList{6}},
       "sizes [3,2] with strides [1,3] cannot be seen as [6] without a copy"},
      {"aten.view.default", number, {IntList(9, 1)}, "a tensor of 9 dims is over the limit of 8"},
      {"aten.view.default", matrix, {IntList{INT64_MAX, INT64_MAX}}, "does not fit 6 elements"},
      {"aten.reshape.default", matrix, {IntList{5}}, "[5] does not fit 6 elements"},
      {"aten.flatten.using_ints", matrix, {integer(1), integer(0)}, "start_dim 1 comes after end_dim 0"},
      {"aten.flatten.using_ints", matrix, {integer(0), integer(2)}, "dim 2 is out of range [-2, 1]"},
      {"aten.expand.default", matrix, {IntList{4, 3}}, "size 2 at dim 0 cannot be expanded to 4"},
      {"aten.expand.default", matrix, {IntList{3}}, "[3] has fewer dims than the tensor's 2"},
      {"aten.expand.default", matrix, {IntList{-1, 2, 3}}, "size -1 of [-1, 2, 3] is not one to expand to"},
      {"aten.expand.default", number, {IntList{INT64_MAX, 3}}, "is too large"},
      {"aten.permute.default", matrix, {IntList{0}}, "[0] does not order the tensor's 2 dims"},
      {"aten.permute.default", matrix, {IntList{0, -2}}, "dim 0 appears twice in [0, -2]"},
      {"aten.transpose.int", matrix, {integer(0), integer(2)}, "dim 2 is out of range [-2, 1]"},
      {"aten.t.default", contiguous_layout({2, 3, 4}), {}, "the tensor has 3 dims, at most 2 can be transposed"},
      {"aten.movedim.int", number, {integer(0), integer(1)}, "dim 1 is out of range [-1, 0]"},
      {"aten.squeeze.dim", matrix, {integer(-3)}, "dim -3 is out of range [-2, 1]"},
      {"aten.squeeze.dims", matrix, {IntList{1, 1}}, "dim 1 appears twice in [1, 1]"},
      {"aten.unsqueeze.default", matrix, {integer(3)}, "dim 3 is out of range [-3, 2]"},
      {"aten.unsqueeze.default", eight, {integer(0)}, "a tensor of 9 dims is over the limit of 8"},
      {"aten.select.int", matrix, {integer(1), integer(3)}, "index 3 is out of range for dim 1 of size 3"},
      {"aten.select.int", matrix, {integer(1), integer(-4)}, "index -4 is out of range for dim 1 of size 3"},
      {"aten.select.int", number, {integer(0), integer(0)}, "a 0-d tensor has no dim 0"},
      {"aten.slice.Tensor", matrix, {integer(0), integer(0), integer(1), integer(0)}, "step 0 is not positive"},
      {"aten.slice.Tensor", matrix, {integer(0), integer(0), integer(1), integer(INT64_MAX)}, "is too large"},
      {"aten.narrow.default",
       matrix,
       {integer(0), integer(3), integer(0)},
       "start 3 is out of range for dim 0 of size 2"},
      {"aten.narrow.default",
       matrix,
       {integer(0), integer(1), integer(2)},
       "start 1 and length 2 pass the end of dim 0 of size 2"},
      {"aten.narrow.default", matrix, {integer(0), integer(0), integer(-1)}, "length -1 is negative"},
      {"aten.diagonal.default",
       matrix,
       {integer(0), integer(1), integer(-1)},
       "dims 1 and -1 of a diagonal are the same"},
      {"aten.unfold.default", matrix, {integer(1), integer(4), integer(1)}, "size 4 is out of range [0, 3] for dim 1"},
      {"aten.unfold.default", matrix, {integer(1), integer(1), integer(0)}, "step 0 is not positive"},
      {"aten.as_strided.default",
       matrix,
       {IntList{2}, IntList{1}, integer(5)},
       "sizes [2], strides [1] and offset 5 pass the end of a storage of 6 elements"},
      {"aten.as_strided.default",
       matrix,
       {IntList{}, IntList{}, integer(6)},
       "pass the end of a storage of 6 elements"},
      {"aten.as_strided.default", matrix, {IntList{1}, IntList{1}, integer(INT64_MAX)}, "pass the end"},
      {"aten.as_strided.default", matrix, {IntList{1}, IntList{1}, integer(-1)}, "storage offset -1 is negative"},
      {"aten.as_strided.default", matrix, {IntList{2}, IntList{-1}}, "stride -1 in [-1] is negative"},
      {"aten.as_strided.default", matrix, {IntList{2}, IntList{1, 1}}, "1 sizes and 2 strides"},
      {"aten.as_strided.default", matrix, {IntList{-1}, IntList{1}}, "size -1 in [-1] is negative"},
      {"aten.split.Tensor", matrix, {integer(0), integer(0)}, "split size 0 for dim 0 of size 2"},
      {"aten.split.Tensor", matrix, {integer(-1), integer(0)}, "split size -1 is negative"},
      {"aten.split.Tensor", number, {integer(1), integer(0)}, "a 0-d tensor has no dim 0"},
      {"aten.chunk.default", matrix, {integer(0), integer(0)}, "0 chunks are not at least 1"},
      {"aten.chunk.default", nothing, {integer(INT64_MAX), integer(0)}, "parts are over the limit"},
      {"aten.split_with_sizes.default", matrix, {IntList{1}, integer(0)}, "the split sizes leave 1 of dim 0 of size 2"},
      {"aten.split_with_sizes.default", matrix, {IntList{1, 2}, integer(0)}, "the split sizes pass dim 0 of size 2"},
      {"aten.split_with_sizes.default", matrix, {IntList{3, -1}, integer(0)}, "the split sizes pass dim 0 of size 2"},
      {"aten.split_with_sizes.default", matrix, {IntList{-1, 3}, integer(0)}, "split size -1 is negative"},
      {"aten.unbind.int", number, {integer(0)}, "a 0-d tensor has no dim 0"},
      {"aten.t_.default", contiguous_layout({2, 3, 4}), {}, "the tensor has 3 dims, at most 2 can be transposed"},
      {"aten.slice_copy.Tensor", matrix, {integer(2)}, "dim 2 is out of range [-2, 1]"},
      {"aten.flip.default", matrix, {IntList{0, -2}}, "dim 0 appears twice in [0, -2]"},
      {"aten.roll.default", matrix, {IntList{}, IntList{}}, "no shifts are given"},
      {"aten.roll.default", matrix, {IntList{1, 2}, IntList{0}}, "2 shifts for 1 dims"},
      {"aten.roll.default", matrix, {IntList{1}, IntList{2}}, "dim 2 is out of range [-2, 1]"},
      {"aten.repeat.default", matrix, {IntList{2}}, "1 repeats for 2 dims"},
      {"aten.repeat.default", matrix, {IntList{-1, 1}}, "is negative"},
      {"aten.repeat.default", matrix, {IntList{INT64_MAX, 1}}, "repeats are too many"},
      {"aten.index.Tensor", matrix, {ValueList{ValueId()}}, "no index is given"},
  };
}

TEST(StructuralErrors, NameTheOpAndTheReason) {
  for (const Row& row : rows()) {
    OpHarness harness;
    Arguments arguments{harness.add(DType::F32, row.self)};
    arguments.insert(arguments.end(), row.rest.begin(), row.rest.end());
    const auto results = harness.infer(row.op, arguments);
    ASSERT_FALSE(results) << row.op << " accepts what it must refuse: " << row.reason;
    const std::string text = results.error().text();
    EXPECT_TRUE(text.starts_with(std::string(row.op) + ": ")) << text;
    EXPECT_NE(text.find(row.reason), std::string::npos) << text;
  }
}

// The reason of a call that must fail.
std::string reason(const OpHarness& harness, std::string_view op, Arguments arguments,
                   std::vector<std::pair<std::string, Argument>> named = {}) {
  const auto results = harness.infer(op, std::move(arguments), std::move(named));
  return results ? "accepted" : results.error().text();
}

TEST(StructuralErrors, MemoryFormatsNeedTheirRank) {
  OpHarness harness;
  const ValueId plain = harness.add(DType::F32, matrix);
  const ValueId permuted = harness.add(DType::F32, flipped);
  EXPECT_EQ(reason(harness, "aten.clone.default", {plain}, {{"memory_format", MemoryFormat::ChannelsLast}}),
            "aten.clone.default: channels_last needs 4 dims, the tensor has 2");
  EXPECT_EQ(reason(harness, "aten.contiguous.default", {permuted}, {{"memory_format", MemoryFormat::Preserve}}),
            "aten.contiguous.default: preserve_format is not a format that a tensor can be in");
}

TEST(StructuralErrors, JoinsNeedFittingShapes) {
  OpHarness harness;
  const ValueId a = harness.add(DType::F32, matrix);
  const ValueId b = harness.add(DType::F32, flipped);
  const ValueId zero = harness.add(DType::F32, number);
  const auto of = [&](std::string_view op, ValueList list, int64_t dim) {
    return reason(harness, op, {std::move(list), integer(dim)});
  };
  EXPECT_EQ(of("aten.cat.default", {}, 0), "aten.cat.default: the list of tensors is empty");
  EXPECT_EQ(of("aten.cat.default", {a, zero}, 0), "aten.cat.default: tensor 1 of the list is 0-d");
  EXPECT_EQ(of("aten.cat.default", {a, b}, 0),
            "aten.cat.default: tensor 1 of shape [3,2] does not fit [2,3] along dim 0");
  EXPECT_EQ(of("aten.cat.default", {a, a}, 2), "aten.cat.default: dim 2 is out of range [-2, 1]");
  EXPECT_EQ(of("aten.stack.default", {}, 0), "aten.stack.default: the list of tensors is empty");
  EXPECT_EQ(of("aten.stack.default", {a, b}, 0), "aten.stack.default: tensor 1 has shape [3,2], the first [2,3]");
  EXPECT_EQ(of("aten.stack.default", {a, a}, 3), "aten.stack.default: dim 3 is out of range [-3, 2]");
}

TEST(StructuralErrors, ScattersNeedASourceOfTheWindowsShape) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, matrix);
  const ValueId source = harness.add(DType::F32, contiguous_layout({3}));
  EXPECT_EQ(reason(harness, "aten.select_scatter.default", {self, source, integer(1), integer(0)}),
            "aten.select_scatter.default: the source's shape [3] is not the window's [2]");
  EXPECT_EQ(reason(harness, "aten.slice_scatter.default", {self, source}),
            "aten.slice_scatter.default: the source's shape [3] is not the window's [2,3]");
  EXPECT_EQ(reason(harness, "aten.as_strided_scatter.default", {self, source, IntList{3}, IntList{0}}),
            "aten.as_strided_scatter.default: the window is expanded, several of its elements are one memory location");
}

// Eager runs it, and what comes out depends on the order in which it goes through the elements.
TEST(StructuralErrors, InPlaceOpsRefuseElementsThatShareMemory) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, contiguous_layout({6}));
  const ValueId shared = harness.view(self, {{2, 2}, {1, 1}, 0});
  EXPECT_EQ(reason(harness, "aten.neg_.default", {shared}),
            "aten.neg_.default: elements of the written tensor share memory in part");
}

TEST(StructuralErrors, CopiesRefuseWhatTheyCannotWrite) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, contiguous_layout({6}));
  const ValueId head = harness.view(self, {{5}, {1}, 0});
  const ValueId tail = harness.view(self, {{5}, {1}, 1});
  const ValueId wide = harness.add(DType::F32, Layout{{2, 6}, {0, 1}, 0});
  const ValueId rows = harness.add(DType::F32, contiguous_layout({1, 6}));
  EXPECT_EQ(reason(harness, "aten.copy_.default", {self, rows}),
            "aten.copy_.default: a source of shape [1,6] does not fit into [6]");
  EXPECT_NE(reason(harness, "aten.copy_.default", {head, tail}), "accepted");
  EXPECT_NE(reason(harness, "aten.copy_.default", {wide, self}), "accepted");
  EXPECT_EQ(reason(harness, "aten.copy_.default", {wide, wide}), "accepted");
  EXPECT_EQ(reason(harness, "aten.copy_.default", {self, self}), "accepted");
}

TEST(StructuralErrors, IndexingChecksDtypesShapesAndOverlap) {
  OpHarness harness;
  const ValueId self = harness.add(DType::F32, contiguous_layout({2, 3}));
  const ValueId row = harness.view(self, {{3}, {1}, 0});
  const ValueId values = harness.add(DType::F32, contiguous_layout({3}));
  const ValueId halves = harness.add(DType::F16, contiguous_layout({3}));
  const ValueId index = harness.add(DType::I64, contiguous_layout({1}));
  const ValueId pair = harness.add(DType::I64, contiguous_layout({2}));
  const ValueId triple = harness.add(DType::I64, contiguous_layout({3}));
  const ValueId mask = harness.add(DType::Bool, contiguous_layout({2}));
  const ValueId narrow = harness.add(DType::I16, contiguous_layout({1}));
  const ValueId empty = harness.add(DType::F32, contiguous_layout({0, 3}));
  const auto index_of = [&](ValueId of, ValueList list) {
    return reason(harness, "aten.index.Tensor", {of, std::move(list)});
  };
  const auto put = [&](ValueList list, ValueId what) {
    return reason(harness, "aten.index_put_.default", {self, std::move(list), what});
  };
  EXPECT_EQ(index_of(self, {index, index, index}), "aten.index.Tensor: 3 indices for 2 dims");
  EXPECT_EQ(index_of(self, {pair, triple}), "aten.index.Tensor: index shapes [2] and [3] do not broadcast");
  EXPECT_EQ(index_of(self, {narrow}), "aten.index.Tensor: an index of i16 is not i64 or i32");
  EXPECT_EQ(index_of(empty, {index}), "aten.index.Tensor: an index is out of range for dim 0 of size 0");
  const auto masked = harness.infer("aten.index.Tensor", {self, ValueList{mask}});
  ASSERT_FALSE(masked);
  EXPECT_EQ(masked.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(put({pair}, pair), "aten.index_put_.default: values of shape [2] do not fit the indexed [2,3]");
  EXPECT_EQ(put({index}, halves), "aten.index_put_.default: values of f16 cannot be put into f32");
  EXPECT_EQ(put({index}, self), "aten.index_put_.default: values of shape [2,3] do not fit the indexed [1,3]");
  EXPECT_NE(put({index}, row), "accepted");
  EXPECT_NE(put({pair}, self), "accepted");
  EXPECT_EQ(put({index}, values), "accepted");
  EXPECT_EQ(reason(harness, "aten.index_select.default",
                   {self, integer(0), harness.add(DType::I64, contiguous_layout({1, 1}))}),
            "aten.index_select.default: an index of 2 dims is not a vector");
  EXPECT_EQ(reason(harness, "aten.gather.default", {self, integer(0), index}),
            "aten.gather.default: the index has 1 dims, the tensor 2");
}

}  // namespace
}  // namespace parallax
