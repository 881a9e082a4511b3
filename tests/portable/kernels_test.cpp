// The kernels: one for every op that computes, and eager's rounding and wrapping where it is easy to get wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "backends/portable/kernel.h"
#include "backends/portable/portable_target.h"
#include "compiler/passes.h"
#include "graph/case.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

// Every op of the recorded alias set: the backend computes it, or needs no kernel for it.
TEST(Kernels, ThereIsOneForEveryOpOfTheAliasSet) {
  std::ifstream lines(PARALLAX_SHARED_DIR "/conformance/alias.jsonl");
  ASSERT_TRUE(lines) << "the recorded cases are missing";
  int computed = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto test = parse_case(line, "alias.jsonl");
    ASSERT_TRUE(test.has_value());
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
};

TEST(Kernels, DoWhatEagerDoes) {
  const std::unique_ptr<Target> target = make_portable_target("portable").value();
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
