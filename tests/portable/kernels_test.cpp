// The kernels: one for every op that computes, and eager's rounding and wrapping where it is easy to get wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/portable/kernel.h"
#include "backends/runtime/compiled_target.h"
#include "compiler/passes.h"
#include "graph/case.h"
#include "graph/case_files.h"
#include "places.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

// Every op of the recorded alias set: the backend computes it, or needs no kernel for it.
TEST(Kernels, ThereIsOneForEveryOpOfTheAliasSet) {
  const auto cases = read_cases(PARALLAX_DATA_DIR "/conformance/alias.jsonl.gz");
  ASSERT_TRUE(cases) << cases.error().text();
  int computed = 0;
  for (const Result<Case>& test : *cases) {
    ASSERT_TRUE(test) << test.error().text();
    for (const Node& node : test->graph.nodes) {
      if (node.op->is_view() || node.op->writes()) continue;  // a layout, or functionalized away
      EXPECT_NE(portable::find_kernel(node.op->name), nullptr) << node.op->name;
      ++computed;
    }
  }
  EXPECT_GT(computed, 500);
}

struct Example {
  std::string types;  // the inputs
  std::string feed;
  std::string call;  // op, args and kwargs of the one node
  std::vector<double> values;
};

const double nan = std::nan("");
const double inf = INFINITY;

const std::vector<Example> examples = {
    {R"("x": {"type": "f16[1]"}, "y": {"type": "f16[1]"})",
     R"("x": [2048], "y": [1])",
     R"("op": "aten.add.Tensor", "args": ["%x", "%y"])",
     {2048}},
    {R"("x": {"type": "f16[1]"}, "y": {"type": "f16[1]"})",
     R"("x": [65504], "y": [65504])",
     R"("op": "aten.add.Tensor", "args": ["%x", "%y"])",
     {inf}},
    {R"("x": {"type": "u8[1]"}, "y": {"type": "u8[1]"})",
     R"("x": [200], "y": [100])",
     R"("op": "aten.add.Tensor", "args": ["%x", "%y"])",
     {44}},
    {R"("x": {"type": "i8[1]"})", R"("x": [-128])", R"("op": "aten.abs.default", "args": ["%x"])", {-128}},
    {R"("x": {"type": "i64[1]"}, "y": {"type": "i64[1]"})",
     R"("x": [4], "y": [3])",
     R"("op": "aten.sub.Tensor", "args": ["%x", "%y"], "kwargs": {"alpha": 2})",
     {-2}},
    {R"("x": {"type": "bool[2]"}, "y": {"type": "bool[2]"})",
     R"("x": [true, false], "y": [true, false])",
     R"("op": "aten.add.Tensor", "args": ["%x", "%y"])",
     {1, 0}},
    {R"("x": {"type": "i32[2]"}, "y": {"type": "i32[2]"})",
     R"("x": [7, 1], "y": [2, 0])",
     R"("op": "aten.div.Tensor", "args": ["%x", "%y"])",
     {3.5, inf}},
    {R"("x": {"type": "f32[3]"}, "y": {"type": "f32[3]"})",
     R"("x": ["nan", 1, 2], "y": [1, "nan", 1])",
     R"("op": "aten.maximum.default", "args": ["%x", "%y"])",
     {nan, nan, 2}},
    {R"("x": {"type": "f32[3]"})",
     R"("x": ["nan", -1, 2])",
     R"("op": "aten.relu.default", "args": ["%x"])",
     {nan, 0, 2}},
    {R"("x": {"type": "f32[2]"})",
     R"("x": [1, "nan"])",
     R"("op": "aten.clamp.default", "args": ["%x", 5, 3])",
     {3, nan}},
    // A Python number takes the tensor's dtype before it is compared: -1 is 255, 0.1 is the f16 nearest to it.
    {R"("x": {"type": "u8[1]"})", R"("x": [1])", R"("op": "aten.gt.Scalar", "args": ["%x", -1])", {0}},
    {R"("x": {"type": "f16[1]"})", R"("x": [0.1])", R"("op": "aten.ge.Scalar", "args": ["%x", 0.1])", {1}},
    {R"("x": {"type": "i32[1]"})", R"("x": [2])", R"("op": "aten.lt.Scalar", "args": ["%x", 2.5])", {1}},
    {R"("x": {"type": "f32[3]"})",
     R"("x": [0.5, 0, "nan"])",
     R"("op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "bool"})",
     {1, 0, 1}},
    {R"("x": {"type": "f32[2]"})",
     R"("x": [-1.75, 2.75])",
     R"("op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "i32"})",
     {-1, 2}},
    {R"("x": {"type": "i64[1]"})",
     R"("x": [300])",
     R"("op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "i8"})",
     {44}},
    {R"("x": {"type": "f32[1]"})",
     R"("x": [65520])",
     R"("op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "f16"})",
     {inf}},
    {R"("x": {"type": "i8[2]"})", R"("x": [100, 100])", R"("op": "aten.sum.default", "args": ["%x"])", {200}},
    {R"("x": {"type": "f32[0]"})", R"("x": [])", R"("op": "aten.mean.default", "args": ["%x"])", {nan}},
    {R"("x": {"type": "f32[2,2]"})", R"("x": [1, 2, 3, 4])", R"("op": "aten.prod.dim_int", "args": ["%x", 0])", {3, 8}},
    {R"("x": {"type": "f32[2,2]"})",
     R"("x": [1, "nan", 3, 4])",
     R"("op": "aten.amax.default", "args": ["%x", [-1]])",
     {nan, 4}},
    {R"("x": {"type": "i32[2,2]"})",
     R"("x": [1, 2, 3, 4])",
     R"("op": "aten.cumsum.default", "args": ["%x", 0])",
     {1, 2, 4, 6}},
    {R"("x": {"type": "i64[4]"})",
     R"("x": [1, 2, 3, 4])",
     R"("op": "aten.roll.default", "args": ["%x", [1]])",
     {4, 1, 2, 3}},
    {R"("x": {"type": "i64[2,2]"})",
     R"("x": [1, 2, 3, 4])",
     R"("op": "aten.roll.default", "args": ["%x", [-1], [1]])",
     {2, 1, 4, 3}},
    {R"("x": {"type": "i64[2]"})",
     R"("x": [1, 2])",
     R"("op": "aten.repeat.default", "args": ["%x", [2, 2]])",
     {1, 2, 1, 2, 1, 2, 1, 2}},
    {R"("x": {"type": "i64[2,2]"})",
     R"("x": [1, 2, 3, 4])",
     R"("op": "aten.flip.default", "args": ["%x", [0, 1]])",
     {4, 3, 2, 1}},
    {R"("x": {"type": "i64[2,3]"}, "y": {"type": "i64[2]"})",
     R"("x": [1, 2, 3, 4, 5, 6], "y": [8, 9])",
     R"("op": "aten.diagonal_scatter.default", "args": ["%x", "%y", 1])",
     {1, 8, 3, 4, 5, 9}},
    {R"("x": {"type": "i64[5]"}, "y": {"type": "i64[2]"})",
     R"("x": [1, 2, 3, 4, 5], "y": [8, 9])",
     R"("op": "aten.slice_scatter.default", "args": ["%x", "%y", 0, -4, 100, 2])",
     {1, 8, 3, 9, 5}},
    {R"("x": {"type": "i64[2,2]"}, "i": {"type": "i64[2,1]"})",
     R"("x": [1, 2, 3, 4], "i": [1, 0])",
     R"("op": "aten.gather.default", "args": ["%x", 1, "%i"])",
     {2, 3}},
    {R"("x": {"type": "i64[3]"}, "i": {"type": "i64[2]"}, "v": {"type": "i64[2]"})",
     R"("x": [1, 2, 3], "i": [-1, 0], "v": [8, 9])",
     R"("op": "aten.index_put.default", "args": ["%x", ["%i"], "%v"])",
     {9, 2, 8}},
    {R"("x": {"type": "i64[2,2]"}, "i": {"type": "i64[2]"})",
     R"("x": [1, 2, 3, 4], "i": [1, 1])",
     R"("op": "aten.index.Tensor", "args": ["%x", [null, "%i"]])",
     {2, 2, 4, 4}},
    // Sums of halves are carried in f32: 1 is lost thrice in a sum that is rounded at each step.
    {R"("x": {"type": "f16[1,4]"}, "y": {"type": "f16[4,1]"})",
     R"("x": [2048, 1, 1, 2], "y": [1, 1, 1, 1])",
     R"("op": "aten.mm.default", "args": ["%x", "%y"])",
     {2052}},
    {R"("x": {"type": "i8[2]"}, "y": {"type": "i8[2]"})",
     R"("x": [100, 100], "y": [2, 1])",
     R"("op": "aten.dot.default", "args": ["%x", "%y"])",
     {44}},
    {R"("x": {"type": "f32[2,0]"}, "y": {"type": "f32[0,1]"})",
     R"("x": [], "y": [])",
     R"("op": "aten.mm.default", "args": ["%x", "%y"])",
     {0, 0}},
    // Two groups, dilated; the padding adds nothing.
    {R"("x": {"type": "i64[1,2,3]"}, "w": {"type": "i64[2,1,2]"}, "b": {"type": "i64[2]"})",
     R"("x": [1, 2, 3, 4, 5, 6], "w": [1, 10, 1, 100], "b": [1000, 0])",
     R"("op": "aten.conv1d.default", "args": ["%x", "%w", "%b", [1], [1], [2], 2])",
     {1020, 1031, 1002, 500, 604, 5}},
    {R"("x": {"type": "i64[1,1,2]"}, "w": {"type": "i64[1,1,2]"})",
     R"("x": [1, 2], "w": [1, 10])",
     R"("op": "aten.conv_transpose1d.default", "args": ["%x", "%w", null, [1], [0], [0]])",
     {1, 12, 20}},
    // The last window reaches beyond the padding, and is counted up to its end.
    {R"("x": {"type": "f32[1,3]"})",
     R"("x": [6, 6, 6])",
     R"("op": "aten.avg_pool1d.default", "args": ["%x", [3], [2], [1], true])",
     {4, 4}},
    {R"("x": {"type": "f32[1,1,4]"})",
     R"("x": [6, 6, 6, 6])",
     R"("op": "aten.avg_pool2d.default", "args": ["%x", [1, 3], [1, 3], [0, 0], true])",
     {6, 6}},
    {R"("g": {"type": "f32[1,1,2]"}, "x": {"type": "f32[1,1,3]"}, "i": {"type": "i64[1,1,2]"})",
     R"("g": [1, 2], "x": [0, 9, 0], "i": [1, 1])",
     R"("op": "aten.max_pool2d_with_indices_backward.default",)"
     R"( "args": ["%g", "%x", [1, 2], [1, 1], [0, 0], [1, 1], false, "%i"])",
     {0, 3, 0}},
    {R"("x": {"type": "u8[3]"})",
     R"("x": [1, 2, 3])",
     R"("op": "aten.constant_pad_nd.default", "args": ["%x", [-1, 2], 7])",
     {2, 3, 7, 7}},
    {R"("x": {"type": "i64[1,3]"})",
     R"("x": [1, 2, 3])",
     R"("op": "aten.reflection_pad1d.default", "args": ["%x", [2, 1]])",
     {3, 2, 1, 2, 3, 2}},
    {R"("x": {"type": "i64[1,3]"})",
     R"("x": [1, 2, 3])",
     R"("op": "aten.replication_pad1d.default", "args": ["%x", [1, -1]])",
     {1, 1, 2}},
    {R"("x": {"type": "i64[3]"}, "y": {"type": "i64[3]"})",
     R"("x": [2, -1, 3], "y": [-1, -3, 4])",
     R"("op": "aten.pow.Tensor_Tensor", "args": ["%x", "%y"])",
     {0, -1, 81}},
    {R"("x": {"type": "f32[2]"})",
     R"("x": ["-inf", 4])",
     R"("op": "aten.pow.Tensor_Scalar", "args": ["%x", 0.5])",
     {nan, 2}},
    {R"("x": {"type": "i8[3]"}, "y": {"type": "i8[3]"})",
     R"("x": [1, 3, 64], "y": [8, -1, 1])",
     R"("op": "aten.bitwise_left_shift.Tensor", "args": ["%x", "%y"])",
     {0, 0, -128}},
    {R"("x": {"type": "i8[3]"}, "y": {"type": "i8[3]"})",
     R"("x": [-128, 64, 64], "y": [8, 9, 2])",
     R"("op": "aten.bitwise_right_shift.Tensor", "args": ["%x", "%y"])",
     {-1, 0, 16}},
    {R"("x": {"type": "f32[3]"}, "y": {"type": "f32[3]"})",
     R"("x": ["nan", 1, "nan"], "y": [1, "nan", "nan"])",
     R"("op": "aten.fmax.default", "args": ["%x", "%y"])",
     {1, 1, nan}},
    {R"("x": {"type": "f16[2]"}, "y": {"type": "f16[2]"})",
     R"("x": [1, 0], "y": [2, -1])",
     R"("op": "aten.nextafter.default", "args": ["%x", "%y"])",
     {1 + 0x1p-10, -0x1p-24}},
    {R"("x": {"type": "f32[3]"})",
     R"("x": [0.5, 1.5, -2.5])",
     R"("op": "aten.round.default", "args": ["%x"])",
     {0, 2, -2}},
    {R"("x": {"type": "f16[3]"})",
     R"("x": ["nan", "inf", "-inf"])",
     R"("op": "aten.nan_to_num.default", "args": ["%x"])",
     {0, 65504, -65504}},
    {R"("x": {"type": "f32[2,3]"})",
     R"("x": [2, "nan", 1, 3, 5, 5])",
     R"("op": "aten.argmax.default", "args": ["%x", 1])",
     {1, 1}},
    {R"("x": {"type": "f32[3]"})",
     R"("x": ["nan", 2, 1])",
     R"("op": "aten.msort.default", "args": ["%x"])",
     {1, 2, nan}},
    {R"("x": {"type": "i64[4]"})",
     R"("x": [1, 2, 1, 2])",
     R"("op": "aten.argsort.stable", "args": ["%x"], "kwargs": {"stable": true, "descending": true})",
     {1, 3, 0, 2}},
    {R"("x": {"type": "f32[4]"})", R"("x": [4, 1, 3, 2])", R"("op": "aten.median.default", "args": ["%x"])", {2}},
    {R"("x": {"type": "f32[3]"})", R"("x": [1, "nan", 3])", R"("op": "aten.nanmedian.default", "args": ["%x"])", {1}},
    {R"("x": {"type": "i32[2,2]"})",
     R"("x": [1, 2, 3, 4])",
     R"("op": "aten.cumprod.default", "args": ["%x", 0])",
     {1, 2, 3, 8}},
    {R"("x": {"type": "f16[1]"}, "i": {"type": "i64[4]"}, "s": {"type": "f16[4]"})",
     R"("x": [2048], "i": [0, 0, 0, 0], "s": [1, 1, 1, 1])",
     R"("op": "aten.scatter_add.default", "args": ["%x", 0, "%i", "%s"])",
     {2052}},
    {R"("x": {"type": "i64[2]"}, "i": {"type": "i64[2]"}, "s": {"type": "i64[2]"})",
     R"("x": [9, 7], "i": [1, 1], "s": [-2, -3])",
     R"("op": "aten.scatter_reduce.two", "args": ["%x", 0, "%i", "%s", "mean"], "kwargs": {"include_self": false})",
     {9, -3}},
    {R"("x": {"type": "i64[2,2]"}, "i": {"type": "i64[1]"}, "s": {"type": "i64[2,1]"})",
     R"("x": [1, 2, 3, 4], "i": [1], "s": [10, 20])",
     R"("op": "aten.index_add.default", "args": ["%x", 1, "%i", "%s"], "kwargs": {"alpha": 2})",
     {1, 22, 3, 44}},
    {R"("x": {"type": "f32[3]"}, "v": {"type": "f32[3]"})",
     R"("x": [1, 2, 2], "v": [2, 0, "nan"])",
     R"("op": "aten.searchsorted.Tensor", "args": ["%x", "%v"], "kwargs": {"right": true})",
     {3, 0, 3}},
    {R"("x": {"type": "f32[1,1,2]"})",
     R"("x": [0, 4])",
     R"("op": "aten.upsample_linear1d.default", "args": ["%x", [4], false])",
     {0, 1, 3, 4}},
    {R"("x": {"type": "f32[3]"})",
     R"("x": [3, -4, 0])",
     R"("op": "aten.linalg_vector_norm.default", "args": ["%x"])",
     {5}},
};

TEST(Kernels, DoWhatEagerDoes) {
  const std::unique_ptr<Target> target = make_compiled_target("portable").value();
  for (const Example& example : examples) {
    SCOPED_TRACE(example.call + " of " + example.feed);
    const Case test = testing::case_of(R"({"inputs": {)" + example.types + R"(}, "nodes": [{"out": "out", )" +
                                           example.call + R"(}], "outputs": ["%out"]})",
                                       "{" + example.feed + "}");
    const Outcome outcome = target->run(test, nullptr);
    ASSERT_EQ(outcome.status, Status::Ok) << outcome.message;
    const Tensor& output = outcome.a->outputs[0];
    ASSERT_EQ(output.numel(), static_cast<int64_t>(example.values.size()));
    for (int64_t i = 0; i < output.numel(); ++i) {
      const double want = example.values[static_cast<std::size_t>(i)];
      EXPECT_TRUE(output.get_double(i) == want || (std::isnan(want) && std::isnan(output.get_double(i))))
          << "element " << i << ": " << element_text(output, i) << ", eager has " << want;
    }
  }
}

}  // namespace
}  // namespace parallax
