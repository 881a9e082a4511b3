// Partitions: nodes in runs of one backend, in an order that keeps to what they need, and boundaries by position.
#include "compiler/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "fuzz/generate/generate.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

using testing::case_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::value_named;

bool takes_sums(const Graph&, const Node& node) { return node.op->group == OpGroup::Reduction; }
bool takes_pointwise(const Graph&, const Node& node) { return node.op->group == OpGroup::Pointwise; }
bool takes_all(const Graph&, const Node&) { return true; }
constexpr std::array two_lanes = {Backend{"pointwise", takes_pointwise}, Backend{"rest", takes_all}};

std::string names_of(const Graph& graph, NodeRange nodes) {
  std::string names;
  for (std::size_t n = nodes.first; n < nodes.end; ++n) names += (names.empty() ? "" : " ") + graph.nodes[n].name;
  return names;
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (ValueId value : values) names.push_back(graph.name(value));
  return names;
}

std::vector<std::string> partitions_of(Graph& graph, const PartitionRules& rules = {}) {
  std::vector<std::string> names;
  const std::vector<Partition> partitions = partition(graph, {}, two_lanes, rules).value();
  for (const Partition& each : partitions) names.push_back(names_of(graph, each.nodes));
  return names;
}

// a → s → b with an edge from a to b beside s; c belongs to nobody's neighbour.
Case diamond() {
  return case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "s", "op": "aten.sum.default", "args": ["%a"]},
              {"out": "b", "op": "aten.add.Tensor", "args": ["%a", "%s"]},
              {"out": "c", "op": "aten.exp.default", "args": ["%x"]}],
    "outputs": ["%b", "%c"]})",
                 R"({"x": [1, 2]})");
}

TEST(Partition, GathersWhatIsReadyAndWaitsForWhatItNeeds) {
  Graph graph = diamond().graph;
  EXPECT_THAT(partitions_of(graph), ElementsAre("a c", "s", "b")) << "b needs s, so it cannot join a";
}

TEST(Partition, F12MergesOverTheMiddle) {
  Graph graph = diamond().graph;
  const std::vector<std::string> ids = {"F12"};
  EXPECT_THAT(partitions_of(graph, FaultSet::of(ids).value().parts().partition), ElementsAre("a c b", "s"));
}

TEST(Partition, AWriteStaysBehindTheReadersOfWhatWasThere) {
  const Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}},
    "nodes": [{"out": "s", "op": "aten.sum.default", "args": ["%x"]},
              {"out": "a", "op": "aten.neg.default", "args": ["%s"]},
              {"out": "r", "op": "aten.add.Tensor", "args": ["%a", "%x"]},
              {"out": "w", "op": "aten.copy_.default", "args": ["%x", "%y"]}],
    "outputs": ["%r"]})",
                            R"({"x": [1, 2], "y": [3, 4]})");
  Graph graph = test.graph;
  EXPECT_THAT(partitions_of(graph), ElementsAre("s", "a r", "w"));
  Graph faulty = test.graph;
  PartitionRules rules;
  rules.dependencies = value_dependencies;
  EXPECT_THAT(partitions_of(faulty, rules), ElementsAre("s w", "a r"));
}

TEST(Partition, BindsWhatPassesThroughAndWhatComesOutTwice) {
  Graph graph = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "v", "op": "aten.view.default", "args": ["%x", [1, 2]]},
              {"out": "z", "op": "aten.zeros_like.default", "args": ["%x"]},
              {"out": "u", "op": "aten.alias.default", "args": ["%v"]}],
    "outputs": ["%v", "%u", "%z", "%v"]})",
                        R"({"x": [1, 2]})")
                    .graph;
  std::vector<Partition> partitions = partition(graph, {}, two_lanes, {}).value();
  bind_boundaries(graph, partitions, {});
  ASSERT_EQ(partitions.size(), 1U);
  EXPECT_THAT(names_of(graph, partitions[0].inputs), ElementsAre("x"));
  EXPECT_THAT(names_of(graph, partitions[0].outputs), ElementsAre("v", "z", "u"));
  EXPECT_THAT(partitions[0].passed, ElementsAre(0, -1, 0));
  EXPECT_EQ(partitions[0].arguments, partitions[0].inputs);
  EXPECT_EQ(partitions[0].results, partitions[0].outputs);
}

TEST(Partition, RefusesANodeThatNoBackendTakes) {
  Graph graph = diamond().graph;
  constexpr std::array only_sums = {Backend{"sums", takes_sums}};
  const Result<std::vector<Partition>> refused = partition(graph, {}, only_sums, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
  EXPECT_THAT(refused.error().text(), HasSubstr("no backend takes node 'a' (aten.neg.default)"));
}

TEST(Partition, OrdersOfGeneratedGraphsKeepToEveryDependency) {
  std::size_t partitions_seen = 0;
  for (uint64_t stream = 0; stream < 500; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 71, stream " << stream);
    Choices choices(71, stream);
    CompileOptions options;
    options.backends.assign(two_lanes.begin(), two_lanes.end());
    const Result<Program> program = compile(generate(choices, testing::portable_options()).graph, options);
    ASSERT_TRUE(program) << program.error().text();
    partitions_seen += program->partitions.size();
    std::size_t node = 0;
    for (const Partition& partition : program->partitions) {
      EXPECT_EQ(partition.nodes.first, node);
      node = partition.nodes.end;
    }
    EXPECT_EQ(node, program->graph.nodes.size());
    for (const PlanFailure& failure : check_plan(schedule_of(*program), program->plan)) {
      ADD_FAILURE() << describe(program->graph, failure);
    }
  }
  EXPECT_GT(partitions_seen, 1500U);
}

}  // namespace
}  // namespace parallax
