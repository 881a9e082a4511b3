#include "oracle/case_windows.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/case_json.h"
#include "oracle/record.h"

namespace parallax {
namespace {

// neg, neg, add_ into the first neg, exp.
Case written_case() {
  GraphBuilder builder;
  Case test;
  Tensor data(DType::F32, {2});
  data.set_double(0, 1);
  data.set_double(1, 2);
  test.feed.push_back(data);
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const ValueId first = *builder.call("aten.neg.default", {x}, "first");
  const ValueId second = *builder.call("aten.neg.default", {first}, "second");
  const ValueId sum = *builder.call("aten.add_.Tensor", {first, second}, "sum");
  builder.add_output(*builder.call("aten.exp.default", {sum}, "last"));
  test.graph = builder.take();
  return test;
}

TEST(CaseWindows, CoverTheGraphAndOverlap) {
  const Case test = written_case();
  const std::vector<Window> windows = windows_of(test.graph, 2);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0], (Window{0, 2}));
  EXPECT_EQ(windows[2].end, 4U);
  for (std::size_t i = 1; i < windows.size(); ++i) EXPECT_LT(windows[i].begin, windows[i - 1].end);
}

TEST(CaseWindows, AWriteStaysWithTheNodeThatMakesItsMemory) {
  const std::vector<Window> windows = windows_of(written_case().graph, 2);
  EXPECT_EQ(windows[1].begin, 0U) << "nodes 1 and 2 write what node 0 made";
}

TEST(CaseWindows, AWindowTakesWhatTheProgramHolds) {
  const Case test = written_case();
  const auto values = record_values(test);
  ASSERT_TRUE(values);
  const auto part = CaseWindows(test, Beside::Nothing).at({1, 2}, *values);
  ASSERT_TRUE(part);
  ASSERT_EQ(part->graph.nodes.size(), 1U);
  ASSERT_EQ(part->feed.size(), 1U);
  EXPECT_EQ(part->feed[0].get_double(0), -1);
  EXPECT_EQ(part->graph.outputs.size(), 1U);
}

// exp(x) * (-w + -w), and the sum is of a constant alone.
Case weighted_case() {
  GraphBuilder builder;
  Case test;
  Tensor data(DType::F32, {2});
  data.set_double(1, 1);
  test.feed.push_back(data);
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const ValueId w = *builder.add_source(SourceKind::Constant, "w", DType::F32, contiguous_layout({2}), data);
  const ValueId negative = *builder.call("aten.neg.default", {w}, "negative");
  const ValueId sum = *builder.call("aten.add.Tensor", {negative, negative}, "sum");
  const ValueId e = *builder.call("aten.exp.default", {x}, "e");
  builder.add_output(*builder.call("aten.mul.Tensor", {e, sum}, "last"));
  test.graph = builder.take();
  return test;
}

TEST(CaseWindows, WhatConstantsGiveIsComputedInTheWindowThatTakesIt) {
  const Case test = weighted_case();
  const auto values = record_values(test);
  ASSERT_TRUE(values);
  const auto part = CaseWindows(test, Beside::Fusible).at({3, 4}, *values);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->graph.nodes.size(), 3U) << "neg, add and mul";
  ASSERT_EQ(part->feed.size(), 1U) << "what exp gives";
  EXPECT_EQ(part->graph.outputs.size(), 1U);
  const auto given = CaseWindows(test, Beside::Nothing).at({3, 4}, *values);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->graph.nodes.size(), 1U);
  EXPECT_EQ(given->feed.size(), 2U);
}

// quantize, dequantize, neg, quantize, exp: neg goes with the dequantize before it and the quantize behind it.
TEST(CaseWindows, ACallGoesWithWhatDequantizesItsOperandAndQuantizesItsResult) {
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "n", "requires": ["quantized"], "graph": {
    "inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "p", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%x", 0.5, 1, -128, 127, "i8"]},
      {"out": "a", "op": "quantized_decomposed.dequantize_per_tensor.default", "args": ["%p", 0.5, 1, -128, 127, "i8"]},
      {"out": "b", "op": "aten.neg.default", "args": ["%a"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%b", 1.0, 0, -128, 127, "i8"]}],
    "outputs": ["%q", "%c"]}, "feed": {"x": [1, 2]}})");
  ASSERT_TRUE(test) << test.error().text();
  const auto values = record_values(*test);
  ASSERT_TRUE(values);
  const auto part = CaseWindows(*test, Beside::Fusible).at({2, 3}, *values);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->graph.nodes.size(), 3U);
  ASSERT_EQ(part->feed.size(), 1U);
  EXPECT_EQ(part->feed[0].dtype, DType::I8);
  EXPECT_EQ(part->feed[0].get_double(1), 5);
  ASSERT_EQ(part->graph.outputs.size(), 1U) << "the integers, and not what is quantized";
  EXPECT_EQ(part->graph.name(part->graph.outputs[0]), "q");
}

TEST(CaseWindows, WhatACallWroteIsNoResultWhereNothingOutsideTakesIt) {
  const Case test = written_case();
  const auto values = record_values(test);
  ASSERT_TRUE(values);
  const auto part = CaseWindows(test, Beside::Nothing).at({0, 4}, *values);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->graph.outputs.size(), 1U) << "exp, which reads the sum";
  const auto without_exp = CaseWindows(test, Beside::Nothing).at({0, 3}, *values);
  ASSERT_TRUE(without_exp);
  EXPECT_EQ(without_exp->graph.outputs.size(), 1U) << "the sum, which exp reads";
}

TEST(CaseWindows, WhatIsWrittenLaterIsGiven) {
  Case test = weighted_case();
  GraphBuilder builder;
  const ValueId w = *builder.add_source(SourceKind::Constant, "w", DType::F32, contiguous_layout({2}), test.feed[0]);
  const ValueId negative = *builder.call("aten.neg.default", {w}, "negative");
  const ValueId one = *builder.call("aten.exp.default", {negative}, "one");
  builder.add_output(one);
  builder.add_output(*builder.call("aten.mul_.Tensor", {negative, one}, "two"));
  test.graph = builder.take();
  test.feed.clear();
  const auto values = record_values(test);
  ASSERT_TRUE(values);
  const auto part = CaseWindows(test, Beside::Fusible).at({1, 2}, *values);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->graph.nodes.size(), 1U);
}

}  // namespace
}  // namespace parallax
