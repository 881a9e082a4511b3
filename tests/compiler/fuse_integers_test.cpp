// What is fused of a quantized program, what is left in floats, and that either is what the oracle expects.
#include "compiler/passes/fuse_integers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "compiler/faults.h"
#include "compiler/passes.h"
#include "tests/support/graph_text.h"
#include "tests/support/quantized_text.h"

namespace parallax {
namespace {

using testing::call;
using testing::dequantize;
using testing::quantize;
using testing::quantized_case;

struct FusionExample {
  std::string name;
  std::vector<std::string> nodes = {};
  std::string output = "q";
  std::string type = "i8[2,2]";  // of x
  std::string ops = "";          // that the pass leaves
};

const std::string weights = R"("constants": {"w": {"type": "i8[2,2]", "data": [3, -4, 5, 127]},
    "b": {"type": "f32[2]", "data": [0.5, -1.25]},
    "i": {"type": "i32[2]", "data": [40, -70]},
    "s": {"type": "f32[2]", "data": [0.125, 0.0371]}, "z": {"type": "i64[2]", "data": [0, -3]}})";

std::string per_channel(int axis, std::string_view of = "w", std::string_view dtype = "i8", bool zero_points = true) {
  return fmt::format(R"({{"out": "dw", "op": "quantized_decomposed.dequantize_per_channel.default",
                        "args": ["%{}", "%s", {}, {}, -128, 127, "{}"]}})",
                     of, zero_points ? "\"%z\"" : "null", axis, dtype);
}

const std::vector<FusionExample> fusions = {
    {.name = "requantize", .nodes = {dequantize("d", "x"), quantize("q", "d", 0.1, 4)}, .ops = "fused"},
    {.name = "a relu between",
     .nodes = {dequantize("d", "x"), call("r", "relu.default", R"("%d")"), quantize("q", "r")},
     .ops = "fused"},
    {.name = "a linear",
     .nodes = {dequantize("d", "x"), dequantize("dw", "w", 0.125, 0),
               call("y", "linear.default", R"("%d", "%dw", "%b")"), quantize("q", "y")},
     .ops = "fused"},
    {.name = "a linear of channels, with a clamp",
     .nodes = {dequantize("d", "x"), per_channel(0), call("y", "linear.default", R"("%d", "%dw", "%b")"),
               call("c", "clamp.default", R"("%y", -1.0, 6.0)"), quantize("q", "c")},
     .ops = "fused"},
    {.name = "a linear that is not quantized again",
     .nodes = {dequantize("d", "x"), per_channel(0), call("q", "linear.default", R"("%d", "%dw")")},
     .ops = "fused"},
    {.name = "scales along the wrong dim",
     .nodes = {dequantize("d", "x"), per_channel(1), call("y", "linear.default", R"("%d", "%dw")"), quantize("q", "y")},
     .ops = "dequantize_per_tensor dequantize_per_channel linear quantize_per_tensor"},
    {.name = "a product of matrices",
     .nodes = {dequantize("d", "x"), per_channel(1), call("y", "mm.default", R"("%d", "%dw")"), quantize("q", "y")},
     .ops = "fused"},
    {.name = "a product and a sum",
     .nodes = {dequantize("d", "x"), per_channel(1), call("y", "addmm.default", R"("%b", "%d", "%dw")"),
               quantize("q", "y")},
     .ops = "fused"},
    {.name = "a bias of integers",
     .nodes = {dequantize("d", "x"), dequantize("dw", "w", 0.125, 0),
               R"({"out": "db", "op": "quantized_decomposed.dequantize_per_channel.default",
                   "args": ["%i", "%s", null, 0, -2147483648, 2147483647, "i32"]})",
               call("y", "linear.default", R"("%d", "%dw", "%db")"), quantize("q", "y")},
     .ops = "fused"},
    {.name = "a sum of two scales",
     .nodes = {dequantize("d", "x"), dequantize("e", "x", 0.0371, -7), call("y", "add.Tensor", R"("%d", "%e")"),
               quantize("q", "y", 0.1, 5)},
     .ops = "fused"},
    {.name = "a result with a second reader",
     .nodes = {dequantize("d", "x"), dequantize("e", "x", 0.0371, -7), call("y", "add.Tensor", R"("%d", "%e")"),
               quantize("p", "y", 0.1, 5), dequantize("g", "p", 0.1, 5), call("q", "add.Tensor", R"("%g", "%y")")},
     .ops = "dequantize_per_tensor dequantize_per_tensor add quantize_per_tensor dequantize_per_tensor add"},
    {.name = "a concatenation",
     .nodes = {dequantize("d", "x"), dequantize("e", "x", 0.0371, -7), call("y", "cat.default", R"(["%d", "%e"], 1)"),
               quantize("q", "y", 0.1, 5)},
     .ops = "fused"},
    {.name = "a convolution with pads",
     .nodes = {dequantize("d", "x"), dequantize("dw", "x", 0.125, -1),
               call("y", "conv2d.default", R"("%d", "%dw", null, [1, 1], [1, 1])"), quantize("q", "y", 2, 5)},
     .type = "i8[1,1,2,2]",
     .ops = "fused"},
    {.name = "a maximum of windows",
     .nodes = {dequantize("d", "x"), call("y", "max_pool2d.default", R"("%d", [2, 2], [1, 1], [1, 1])"),
               quantize("q", "y", 0.25, 3)},
     .type = "i8[1,1,2,2]",
     .ops = "fused"},
    {.name = "a mean of windows, pads apart",
     .nodes = {dequantize("d", "x"), call("y", "avg_pool2d.default", R"("%d", [2, 2], [1, 1], [1, 1], false, false)"),
               quantize("q", "y", 0.25, 3)},
     .type = "i8[1,1,2,2]",
     .ops = "fused"},
    {.name = "bytes to words",
     .nodes = {dequantize("d", "x", 0.25, 200, "u8"), quantize("q", "d", 0.001, 5, "i8")},
     .type = "u8[2,2]",
     .ops = "fused"},
};

Case case_of_fusion(const FusionExample& example) {
  const std::string graph =
      fmt::format(R"({{"inputs": {{"x": {{"type": "{}"}}}}, {}, "nodes": [{}], "outputs": ["%{}"]}})", example.type,
                  weights, testing::joined(example.nodes), example.output);
  const bool bytes = example.type.starts_with("u8");
  return quantized_case(graph, bytes ? R"({"x": [0, 199, 201, 255]})" : R"({"x": [-128, 3, 4, 127]})");
}

TEST(FuseIntegers, FusesWhatStandsBetweenPairs) {
  for (const FusionExample& example : fusions) {
    SCOPED_TRACE(example.name);
    const Case test = case_of_fusion(example);
    const Result<Graph> fused = fuse_integers(test.graph);
    ASSERT_TRUE(fused) << fused.error().text();
    EXPECT_EQ(testing::ops_of(*fused), example.ops);
  }
}

TEST(FuseIntegers, ComputesWhatTheOracleExpects) {
  for (const FusionExample& example : fusions) {
    SCOPED_TRACE(example.name);
    const Case test = case_of_fusion(example);
    const Examination seen = examine(*make_compiled_target("portable", {}).value(), test);
    EXPECT_EQ(seen.judgement.verdict, Verdict::Match) << seen.judgement.reason;
    EXPECT_EQ(seen.outcome.fused, example.ops == "fused" ? 1 : 0);
    EXPECT_GE(seen.outcome.fusable, 1);
  }
}

TEST(FuseIntegers, GivesARecordForEachStructure) {
  const Case one = case_of_fusion(fusions[0]);
  const Graph a = fuse_integers(one.graph).value();
  const Graph b = fuse_integers(case_of_fusion(fusions[15]).graph).value();
  EXPECT_EQ(a.nodes.front().op, b.nodes.front().op);
  EXPECT_EQ(a.nodes.front().op->name, "parallax.fused.dequantize_per_tensor+quantize_per_tensor");
  EXPECT_EQ(fused_calls(a), 1);
  EXPECT_EQ(fusable_calls(one.graph), 1);
}

// The product of the scales is no double, and the sum is 0.
TEST(FuseIntegers, TakesTheLargestScales) {
  const Case test = quantized_case(
      R"({"inputs": {"x": {"type": "i8[1,1]"}}, "constants": {"s": {"type": "f64[1]", "data": [1.7976931348623157e308]},
          "z": {"type": "i64[1]", "data": [0]}},
          "nodes": [{"out": "d", "op": "quantized_decomposed.dequantize_per_tensor.default",
                     "args": ["%x", 10000.0, 127, -128, 127, "i8"]},
                    {"out": "w", "op": "quantized_decomposed.dequantize_per_channel.default",
                     "args": ["%x", "%s", "%z", 0, -127, 127, "i8"]},
                    {"out": "y", "op": "aten.linear.default", "args": ["%d", "%w"]}],
          "outputs": ["%y"]})",
      R"({"x": [0]})");
  const Examination seen = examine(*make_compiled_target("portable", {}).value(), test);
  EXPECT_EQ(seen.judgement.verdict, Verdict::Match) << seen.judgement.reason;
}

// A write between the dequantize and the quantize changes what a fused call would read.
TEST(FuseIntegers, LooksThroughNoWrite) {
  const Case test =
      quantized_case(fmt::format(R"({{"inputs": {{"x": {{"type": "i8[2]"}}}}, "nodes": [{}, {}, {}],
                                                    "outputs": ["%q"]}})",
                                 dequantize("d", "x"), call("w", "fill_.Scalar", R"("%x", 5)"), quantize("q", "d")),
                     R"({"x": [1, 2]})");
  EXPECT_EQ(testing::ops_of(fuse_integers(test.graph).value()), "dequantize_per_tensor fill_ quantize_per_tensor");
}

}  // namespace
}  // namespace parallax
