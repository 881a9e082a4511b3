// Functionalize: what eager's in-place writes leave, where everybody who shares the memory sees it, and nothing else.
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "compiler/passes.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::case_of;

struct Example {
  std::string name;
  std::string graph;
  std::string feed;
  std::vector<std::vector<double>> outputs;
  std::vector<std::vector<double>> inputs;  // after the run; left out where the test does not ask
};

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numel(); ++i) values.push_back(tensor.get_double(i));
  return values;
}

// What the functional graph's writes are: only copies into the caller's own memory, after every op that reads it.
void expect_functional(const Graph& graph) {
  bool writing = false;
  for (const Node& node : graph.nodes) {
    writing = writing || node.op->writes();
    EXPECT_EQ(node.op->writes(), writing) << node.name << " follows a write";
    EXPECT_TRUE(!writing || node.op->writes_metadata_only() || node.op->name == "aten.copy_.default") << node.op->name;
  }
}

const std::vector<Example> examples = {
    {"write through a gapped view",
     R"({"inputs": {"x": {"type": "f32[6]"}},
         "nodes": [{"out": "v", "op": "aten.slice.Tensor", "args": ["%x", 0, 0, 6, 2]},
                   {"out": "w", "op": "aten.add_.Scalar", "args": ["%v", 10]},
                   {"out": "s", "op": "aten.neg.default", "args": ["%x"]}],
         "outputs": ["%s", "%v"]})",
     R"({"x": [1, 2, 3, 4, 5, 6]})",
     {{-11, -2, -13, -4, -15, -6}, {11, 13, 15}},
     {{11, 2, 13, 4, 15, 6}}},
    {"write through a diagonal",
     R"({"inputs": {"x": {"type": "i64[2,3]"}},
         "nodes": [{"out": "c", "op": "aten.clone.default", "args": ["%x"]},
                   {"out": "d", "op": "aten.diagonal.default", "args": ["%c", 1]},
                   {"out": "z", "op": "aten.fill_.Scalar", "args": ["%d", 0]}],
         "outputs": ["%c", "%x"]})",
     R"({"x": [1, 2, 3, 4, 5, 6]})",
     {{1, 0, 3, 4, 5, 0}, {1, 2, 3, 4, 5, 6}},
     {{1, 2, 3, 4, 5, 6}}},
    {"two overlapping views of one storage",
     R"({"inputs": {"x": {"type": "i64[4]"}},
         "nodes": [{"out": "c", "op": "aten.clone.default", "args": ["%x"]},
                   {"out": "a", "op": "aten.slice.Tensor", "args": ["%c", 0, 0, 3]},
                   {"out": "b", "op": "aten.slice.Tensor", "args": ["%c", 0, 1, 4]},
                   {"out": "old", "op": "aten.neg.default", "args": ["%b"]},
                   {"out": "a2", "op": "aten.mul_.Scalar", "args": ["%a", 2]},
                   {"out": "b2", "op": "aten.add_.Scalar", "args": ["%b", 1]}],
         "outputs": ["%a", "%b", "%old"]})",
     R"({"x": [1, 2, 3, 4]})",
     {{2, 5, 7}, {5, 7, 5}, {-2, -3, -4}},
     {}},
    {"two inputs swapped",
     R"({"inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}},
         "nodes": [{"out": "t", "op": "aten.clone.default", "args": ["%x"]},
                   {"out": "u", "op": "aten.copy_.default", "args": ["%x", "%y"]},
                   {"out": "w", "op": "aten.copy_.default", "args": ["%y", "%t"]}],
         "outputs": ["%x"]})",
     R"({"x": [1, 2], "y": [3, 4]})",
     {{3, 4}},
     {{3, 4}, {1, 2}}},
    {"an input transposed in place, then written",
     R"({"inputs": {"x": {"type": "f32[2,3]"}},
         "nodes": [{"out": "t", "op": "aten.t_.default", "args": ["%x"]},
                   {"out": "s", "op": "aten.select.int", "args": ["%x", 0, 1]},
                   {"out": "w", "op": "aten.neg_.default", "args": ["%s"]}],
         "outputs": ["%x", "%s"]})",
     R"({"x": [1, 2, 3, 4, 5, 6]})",
     {{1, 4, -2, -5, 3, 6}, {-2, -5}},
     {{1, 4, -2, -5, 3, 6}}},
    {"a view that is the input itself to all ops but the one that transposes the input",
     R"({"inputs": {"x": {"type": "f32[1,2]"}},
         "nodes": [{"out": "a", "op": "aten.expand.default", "args": ["%x", [-1, 2]]},
                   {"out": "b", "op": "aten.squeeze_.dim", "args": ["%a", 1]},
                   {"out": "c", "op": "aten.contiguous.default", "args": ["%b"]},
                   {"out": "d", "op": "aten.transpose_.default", "args": ["%x", 0, 1]}],
         "outputs": ["%c"]})",
     R"({"x": [1, 2]})",
     {{1, 2}},
     {{1, 2}}},
    {"windows that share memory",
     R"({"storages": {"s": {"type": "f32[5]"}},
         "inputs": {"x": {"type": "f32[2]", "storage": "s", "strides": [2], "offset": 0},
                    "y": {"type": "f32[3]", "storage": "s", "offset": 2}},
         "nodes": [{"out": "w", "op": "aten.add_.Scalar", "args": ["%x", 100]},
                   {"out": "s0", "op": "aten.neg.default", "args": ["%y"]}],
         "outputs": ["%s0", "%y"]})",
     R"({"s": [1, 2, 3, 4, 5]})",
     {{-103, -4, -5}, {103, 4, 5}},
     {{101, 103}, {103, 4, 5}}},
    {"a fill of an expanded tensor",
     R"({"inputs": {"x": {"type": "f32[1,2]"}},
         "nodes": [{"out": "e", "op": "aten.expand.default", "args": ["%x", [3, 2]]},
                   {"out": "z", "op": "aten.zero_.default", "args": ["%e"]}],
         "outputs": ["%e"]})",
     R"({"x": [1, 2]})",
     {{0, 0, 0, 0, 0, 0}},
     {{0, 0}}},
    {"a masked fill of an expanded tensor: any of the places that name an element masks it",
     R"({"inputs": {"x": {"type": "f32[1,2]"}, "m": {"type": "bool[2,2]"}},
         "nodes": [{"out": "e", "op": "aten.expand.default", "args": ["%x", [2, 2]]},
                   {"out": "z", "op": "aten.masked_fill_.Scalar", "args": ["%e", "%m", 9]}],
         "outputs": ["%x"]})",
     R"({"x": [1, 2], "m": [true, false, false, false]})",
     {{9, 2}},
     {{9, 2}}},
    {"a result that is converted into its target",
     R"({"inputs": {"x": {"type": "i8[2]"}, "y": {"type": "i64[2]"}},
         "nodes": [{"out": "w", "op": "aten.add_.Tensor", "args": ["%x", "%y"]}],
         "outputs": ["%w"]})",
     R"({"x": [100, 1], "y": [100, 300]})",
     {{-56, 45}},
     {{-56, 45}, {100, 300}}},
    {"a tensor added to itself",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "w", "op": "aten.add_.Tensor", "args": ["%x", "%x"]},
                   {"out": "v", "op": "aten.mul_.Tensor", "args": ["%x", "%w"]}],
         "outputs": ["%v"]})",
     R"({"x": [1, 3]})",
     {{4, 36}},
     {{4, 36}}},
    {"a read between two writes sees the first only",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "r0", "op": "aten.clone.default", "args": ["%x"]},
                   {"out": "w0", "op": "aten.fill_.Scalar", "args": ["%x", 5]},
                   {"out": "r1", "op": "aten.clone.default", "args": ["%x"]},
                   {"out": "w1", "op": "aten.fill_.Scalar", "args": ["%x", 7]}],
         "outputs": ["%r0", "%r1", "%x"]})",
     R"({"x": [1, 2]})",
     {{1, 2}, {5, 5}, {7, 7}},
     {{7, 7}}},
};

TEST(Functionalize, LeavesWhatEagerLeaves) {
  const std::unique_ptr<Target> target = make_compiled_target("portable").value();
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);
    const Case test = case_of(example.graph, example.feed);
    const Result<Graph> functional = functionalize(test.graph);
    ASSERT_TRUE(functional) << functional.error().text();
    expect_functional(*functional);

    const Outcome outcome = target->run(test, nullptr);
    ASSERT_EQ(outcome.status, Status::Ok) << outcome.message;
    std::vector<std::vector<double>> outputs;
    for (const Tensor& output : outcome.a->outputs) outputs.push_back(elements(output));
    EXPECT_EQ(outputs, example.outputs);
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
      EXPECT_EQ(elements(outcome.a->inputs[i].value()), example.inputs[i]) << "input " << i;
    }
    // The examples say what eager does; the oracle must agree, shared memory included.
    const Examination examination = examine(*target, test);
    EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  }
}

TEST(Functionalize, LeavesAGraphWithoutWritesAsItIs) {
  const Case test = testing::elided_copy_case();
  EXPECT_EQ(testing::ops_of(functionalize(test.graph).value()), "sigmoid clone exp neg add");
}

TEST(Functionalize, RefusesAWriteWhoseOrderWouldMatter) {
  const Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[3]"}, "i": {"type": "i64[1]"}, "y": {"type": "f32[1,3]"}},
    "nodes": [{"out": "e", "op": "aten.expand.default", "args": ["%x", [2, 3]]},
              {"out": "w", "op": "aten.index_put_.default", "args": ["%e", ["%i"], "%y"]}],
    "outputs": ["%x"]})",
                            R"({"x": [1, 2, 3], "i": [0], "y": [4, 5, 6]})");
  const Result<Graph> functional = functionalize(test.graph);
  ASSERT_FALSE(functional);
  EXPECT_EQ(functional.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(functional.error().reason.find("aten.index_put_.default"), std::string::npos) << functional.error().reason;
}

}  // namespace
}  // namespace parallax
