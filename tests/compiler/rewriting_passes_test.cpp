// Constant folding, common calls, permute sinking, and the selection of passes.
#include <gtest/gtest.h>

#include <map>

#include "backends/runtime/executor.h"
#include "compiler/compile.h"
#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "core/choices.h"
#include "tests/support/pass_examples.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

const char* const sources = R"("inputs": {"x": {"type": "f32[2,3]"}, "y": {"type": "f32[3,2]"}},
                               "constants": {"k": {"type": "f32[2,3]", "data": [1, 2, 3, 4, 5, 6]},
                                             "far": {"type": "i64[1]", "data": [9]}})";
const char* const feed = R"({"x": [1, 2, 3, 4, 5, 6], "y": [6, 5, 4, 3, 2, 1]})";

std::string call(const std::string& out, const std::string& op, const std::string& args) {
  return R"({"out": ")" + out + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
}

TEST(FoldConstants, ComputesWhatHasOnlyConstantOperands) {
  const std::vector<testing::PassExample> examples = {
      {"a chain",
       call("a", "neg.default", R"("%k")") + "," + call("t", "t.default", R"("%a")") + "," +
           call("b", "exp.default", R"("%t")") + "," + call("c", "add.Tensor", R"("%y", "%b")"),
       R"("%c")", "t add"},
      {"what is returned is made anew in each run", call("a", "neg.default", R"("%k")"), R"("%a")", "neg"},
      {"what has no operands",
       call("a", "full.default", "[2, 3], 1.0") + "," + call("b", "add.Tensor", R"("%x", "%a")"), R"("%b")",
       "full add"},
      {"what raises is left to the run",
       call("a", "index_select.default", R"("%k", 0, "%far")") + "," + call("b", "add.Tensor", R"("%x", "%a")"),
       R"("%b")", "index_select add"},
      {"an input is no constant", call("a", "add.Tensor", R"("%x", "%k")") + "," + call("b", "neg.default", R"("%a")"),
       R"("%b")", "add neg"},
  };
  testing::expect_ops(fold_constants, {runtime::evaluate}, sources, feed, examples);
}

TEST(FoldConstants, NeedsSomebodyWhoComputes) {
  const Case test =
      testing::case_of(std::string("{") + sources + R"(, "nodes": [)" + call("a", "neg.default", R"("%k")") + "," +
                           call("b", "exp.default", R"("%a")") + R"(], "outputs": ["%b"]})",
                       feed);
  EXPECT_EQ(testing::ops_of(fold_constants(test.graph, {}).value()), "neg exp");
  const Graph folded = fold_constants(test.graph, {runtime::evaluate}).value();
  EXPECT_EQ(testing::ops_of(folded), "exp");
  const Source& constant = folded.sources.back();
  EXPECT_EQ(folded.name(constant.value), "a");
  EXPECT_EQ(constant.data.get_double(5), -6);
}

TEST(LayOutRegions, CopiesWhatEntersAndWhatLeaves) {
  const std::string pictures = R"("inputs": {"p": {"type": "f32[1,2,3,3]"}, "w": {"type": "f32[2,2,2,2]"},
      "last": {"type": "f32[1,2,3,3]", "strides": [18, 1, 6, 2]}})";
  const std::string values =
      R"({"p": {"random": {"seed": 1, "low": -2, "high": 2}}, "w": {"random": {"seed": 2, "low": -2, "high": 2}}, "last": {"random": {"seed": 3, "low": -2, "high": 2}}})";
  const std::string convolution =
      call("c", "convolution.default", R"("%p", "%w", null, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)");
  const std::vector<testing::PassExample> examples = {
      {"one call", convolution, R"("%c")", "clone convolution clone"},
      {"calls between them join in",
       call("a", "relu.default", R"("%p")") + "," +
           call("c", "convolution.default", R"("%a", "%w", null, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)") + "," +
           call("b", "exp.default", R"("%c")") + "," + call("m", "avg_pool2d.default", R"("%b", [2, 2])"),
       R"("%m")", "clone relu convolution exp avg_pool2d clone"},
      {"nothing is gained by what is element-wise alone",
       call("a", "relu.default", R"("%p")") + "," + call("b", "exp.default", R"("%a")"), R"("%b")", "relu exp"},
      {"a reader outside sees the strides of before",
       convolution + "," + call("r", "relu.default", R"("%c")") + "," + call("s", "sum.dim_IntList", R"("%c", [1])"),
       R"("%r", "%s")", "clone convolution clone relu clone sum"},
      {"what lies so already is left alone", call("a", "avg_pool2d.default", R"("%last", [2, 2])"), R"("%a")",
       "avg_pool2d"},
      {"memory that is written is left alone", convolution + "," + call("i", "relu_.default", R"("%c")"), R"("%i")",
       "convolution relu_"},
  };
  testing::expect_ops(by_graph<lay_out_regions>, {}, pictures, values, examples);
}

TEST(MergeCommonCalls, MakesACallOnce) {
  const std::vector<testing::PassExample> examples = {
      {"the second is a copy", call("a", "exp.default", R"("%x")") + "," + call("b", "exp.default", R"("%x")"),
       R"("%a", "%b")", "exp clone"},
      {"views are one", call("a", "t.default", R"("%x")") + "," + call("b", "t.default", R"("%x")"), R"("%a", "%b")",
       "t"},
      {"and what is made of them",
       call("a", "t.default", R"("%x")") + "," + call("b", "t.default", R"("%x")") + "," +
           call("c", "neg.default", R"("%a")") + "," + call("d", "neg.default", R"("%b")"),
       R"("%c", "%d")", "t neg clone"},
      {"other numbers", call("a", "mul.Scalar", R"("%x", 0.0)") + "," + call("b", "mul.Scalar", R"("%x", -0.0)"),
       R"("%a", "%b")", "mul mul"},
      {"other operands", call("a", "sub.Tensor", R"("%x", "%k")") + "," + call("b", "sub.Tensor", R"("%k", "%x")"),
       R"("%a", "%b")", "sub sub"},
      {"an operand written in between",
       call("a", "exp.default", R"("%x")") + "," + call("w", "neg_.default", R"("%x")") + "," +
           call("b", "exp.default", R"("%x")"),
       R"("%a", "%b")", "exp neg_ exp"},
      {"the first written in between",
       call("a", "exp.default", R"("%x")") + "," + call("w", "neg_.default", R"("%a")") + "," +
           call("b", "exp.default", R"("%x")"),
       R"("%a", "%b")", "exp neg_ exp"},
      {"new tensors", call("a", "zeros_like.default", R"("%x")") + "," + call("b", "zeros_like.default", R"("%x")"),
       R"("%a", "%b")", "zeros_like zeros_like"},
  };
  testing::expect_ops(by_graph<merge_common_calls>, {}, sources, feed, examples);
}

TEST(SinkPermutes, MovesPermutationsDownUntilTheyCancel) {
  const std::vector<testing::PassExample> examples = {
      {"past one operand", call("a", "permute.default", R"("%x", [1, 0])") + "," + call("b", "neg.default", R"("%a")"),
       R"("%b")", "permute neg permute"},
      {"past two that are permuted alike",
       call("a", "permute.default", R"("%x", [1, 0])") + "," + call("b", "permute.default", R"("%k", [1, 0])") + "," +
           call("c", "add.Tensor", R"("%a", "%b")"),
       R"("%c")", "permute permute add permute"},
      {"not past two of which one is not",
       call("a", "permute.default", R"("%x", [1, 0])") + "," + call("c", "add.Tensor", R"("%a", "%y")"), R"("%c")",
       "permute add"},
      {"until it meets its inverse",
       call("a", "permute.default", R"("%x", [1, 0])") + "," + call("b", "neg.default", R"("%a")") + "," +
           call("c", "permute.default", R"("%b", [1, 0])"),
       R"("%c")", "permute neg permute alias"},
      {"past a sum",
       call("a", "permute.default", R"("%x", [1, 0])") + "," + call("b", "sum.dim_IntList", R"("%a", [0])"), R"("%b")",
       "permute sum"},
      {"not where the result would lie otherwise",
       call("a", "permute.default", R"("%x", [1, 0])") + "," +
           R"({"out": "b", "op": "aten._to_copy.default", "args": ["%a"], "kwargs": {"memory_format": "contiguous_format"}})",
       R"("%b")", "permute _to_copy"},
  };
  testing::expect_ops(by_graph<sink_permutes>, {}, sources, feed, examples);
}

TEST(SinkPermutes, RenumbersTheDimsOfASum) {
  const Case test = testing::case_of(std::string("{") + sources + R"(, "nodes": [)" +
                                         call("a", "permute.default", R"("%x", [1, 0])") + "," +
                                         call("b", "sum.dim_IntList", R"("%a", [-2])") + R"(], "outputs": ["%b"]})",
                                     feed);
  const Graph sunk = sink_permutes(test.graph).value();
  EXPECT_EQ(sunk.name(std::get<ValueId>(sunk.nodes[1].arguments[0])), "x");
  EXPECT_EQ(std::get<IntList>(sunk.nodes[1].arguments[1]), IntList{1});
}

TEST(PassSelection, TakesNamesInOrder) {
  const auto names = [](const PassSelection& selection) {
    std::string text;
    const std::vector<Pass> passes = selection.from(standard_passes).value();
    for (const Pass& pass : passes) text += std::string(pass.name) + " ";
    return text;
  };
  EXPECT_EQ(names({{"simplify", "functionalize"}, ""}), "simplify functionalize ");
  EXPECT_EQ(names({{}, "functionalize"}), "return_writes decompose_writes functionalize ");
  const auto unknown = PassSelection{{"fuse"}, ""}.from(standard_passes);
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().reason.starts_with(
      "no pass is called 'fuse'; they are return_writes, decompose_writes, functionalize"))
      << unknown.error().reason;
  EXPECT_FALSE((PassSelection{{"simplify"}, "functionalize"}.from(standard_passes)));
}

TEST(Passes, LeaveAGraphAsItIsWhereTheyDoNotApply) {
  // But for the numbers of its values, and for dead nodes, which some leave out.
  const auto tidy = [](const Graph& graph) { return renumbered(drop_dead_nodes(graph).value()).value(); };
  std::map<std::string_view, int> left;
  for (uint64_t stream = 0; stream < 400; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 72, stream " << stream);
    Choices choices(72, stream);
    Graph graph = generate(choices, testing::portable_options()).graph;
    for (const Pass& pass : standard_passes) {
      Result<Graph> made = pass.run(graph, {runtime::evaluate});
      ASSERT_TRUE(made) << pass.name << ": " << made.error().text();
      if (pass.applies && !pass.applies(graph)) {
        ++left[pass.name];
        EXPECT_TRUE(same_graph(tidy(graph), tidy(*made))) << pass.name;
      }
      graph = *std::move(made);
    }
  }
  for (const Pass& pass : standard_passes) {
    EXPECT_TRUE(!pass.applies || left[pass.name] > 0) << pass.name;
  }
}

}  // namespace
}  // namespace parallax
