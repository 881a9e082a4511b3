// The passes over generated cases, and the checks over passes that are wrong on purpose.
#include "backends/runtime/pass_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/rewriter.h"
#include "fuzz/generate/generate.h"
#include "ops/profiles.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

const Profile& profile() { return *find_profile("portable"); }

TEST(Passes, KeepTheMeaningAndAreIdempotentOnGeneratedCases) {
  for (uint64_t stream = 0; stream < 400; ++stream) {
    Choices choices(11, stream);
    const Case test = generate(choices, testing::portable_options());
    for (const PassFailure& failure : check_passes(test, {}, profile())) {
      ADD_FAILURE() << "seed 11, stream " << stream << ": " << failure.pass << " " << failure.what;
    }
  }
}

// No kernel is asked: what a backend does not take yet goes through the passes too.
TEST(Passes, KeepTheMeaningOfEveryOp) {
  for (uint64_t stream = 0; stream < 1000; ++stream) {
    Choices choices(12, stream);
    const Case test = generate(choices, {.profile = GenerateProfile::Topology, .max_nodes = 10});
    for (const PassFailure& failure : check_passes(test, {}, profile())) {
      ADD_FAILURE() << "seed 12, stream " << stream << ": " << failure.pass << " " << failure.what;
    }
  }
}

// Small graphs of convolutions, pools and resamplings, with element-wise calls and views between them.
TEST(Passes, LayOutRegionsKeepsTheMeaning) {
  const Vocabulary pictures([](const Op& op) {
    constexpr std::array<std::string_view, 9> parts = {
        "conv", "pool", "upsample", "relu", "aten.add.Tensor", "aten.mul.Tensor", "permute", "slice", "sum"};
    return std::ranges::any_of(parts, [&](std::string_view part) { return op.name.find(part) != std::string::npos; });
  });
  CompileOptions options;
  options.selection.passes = {"functionalize", "lay_out_regions"};
  int laid_out = 0;
  for (uint64_t stream = 0; stream < 4000; ++stream) {
    Choices choices(13, stream);
    const Case test = generate(choices, {.profile = GenerateProfile::Topology, .max_nodes = 10, .words = &pictures});
    for (const PassFailure& failure : check_passes(test, options, profile())) {
      ADD_FAILURE() << "seed 13, stream " << stream << ": " << failure.pass << " " << failure.what;
    }
    const auto before = functionalize(test.graph);
    const auto after = before ? lay_out_regions(*before) : before;
    laid_out += after && after->nodes.size() > before->nodes.size();
  }
  EXPECT_GT(laid_out, 30);
}

TEST(Passes, DropDeadNodesKeepsWritesAndWhatTheyRead) {
  const Case test = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "dead", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "a", "op": "aten.exp.default", "args": ["%x"]},
              {"out": "w", "op": "aten.copy_.default", "args": ["%x", "%a"]},
              {"out": "b", "op": "aten.sin.default", "args": ["%x"]},
              {"out": "dead2", "op": "aten.neg.default", "args": ["%b"]}],
    "outputs": ["%b"]})",
                                     R"({"x": [1, 2]})");
  EXPECT_EQ(testing::ops_of(drop_dead_nodes(test.graph).value()), "exp copy_ sin");
}

// Wrong on purpose: every neg becomes an alias; a clone is added at each run; every name of a node is changed to
// another's.
Result<Graph> lose_negations(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes) {
    if (node.op->name == "aten.neg.default") {
      rewriter.map(node.results.front(), rewriter[std::get<ValueId>(node.arguments.front())]);
    } else {
      TRY_VOID(rewriter.copy(node));
    }
  }
  return rewriter.finish();
}

Result<Graph> add_a_node(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes) TRY_VOID(rewriter.copy(node));
  TRY_VOID(
      rewriter.builder().call("aten.clone.default", {rewriter[graph.outputs.front()]}, rewriter.fresh_name("more")));
  return rewriter.finish();
}

Result<Graph> forget_metadata(const Graph& graph) {
  Graph broken = graph;
  broken.metas.back().layout.sizes = {7};
  return broken;
}

template <PassFn run>
std::vector<PassFailure> failures_of() {
  static const Fault fault = {"F00", "", "",
                              "",    "", [](CompilerParts& parts) { parts.passes.back() = {"wrong", run}; }};
  return check_passes(testing::elided_copy_case(), {FaultSet(std::vector<const Fault*>{&fault})}, profile());
}

TEST(PassChecks, NameThePassAndWhatItBreaks) {
  using ::testing::AllOf;
  using ::testing::ElementsAre;
  using ::testing::Field;
  using ::testing::HasSubstr;
  const auto wrong = [](const std::string& what) {
    return ElementsAre(AllOf(Field(&PassFailure::pass, "wrong"), Field(&PassFailure::what, HasSubstr(what))));
  };
  EXPECT_THAT(failures_of<by_graph<lose_negations>>(), wrong("changes out[0]"));
  EXPECT_THAT(failures_of<by_graph<add_a_node>>(), wrong("is not idempotent"));
  EXPECT_THAT(failures_of<by_graph<forget_metadata>>(), wrong("leaves an invalid graph"));
  EXPECT_THAT(failures_of<by_graph<drop_dead_nodes>>(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace parallax
