// Branches and loops in a case file: what is read is written again, and what breaks a rule is refused at its place.
#include "tests/support/control_case.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "export/dot.h"
#include "graph/case_json.h"
#include "graph/control_op.h"
#include "graph/print.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;
using testing::branch_case;
using testing::loop_case;
using testing::map_case;
using testing::scan_case;

Case read(std::string_view text) {
  Result<Case> test = parse_case(text, "case.json");
  EXPECT_TRUE(test) << test.error().text();
  return *std::move(test);
}

// A case after one change of a member.
std::string changed(std::string_view text, std::string_view pointer, std::string_view value) {
  ordered_json json = ordered_json::parse(text);
  json[ordered_json::json_pointer(std::string(pointer))] = ordered_json::parse(value);
  return json.dump();
}

Error refused(const std::string& text) {
  const Result<Case> test = parse_case(text, "bad.json");
  EXPECT_FALSE(test);
  return test ? Error() : test.error();
}

TEST(ControlCase, IsWrittenAsItWasRead) {
  for (const std::string_view text : {branch_case, loop_case, scan_case, map_case}) {
    const Case test = read(text);
    const std::string written = to_json(test);
    EXPECT_EQ(to_json(read(written)), written);
    EXPECT_EQ(ordered_json::parse(written)["graph"]["subgraphs"].size(),
              ordered_json::parse(text)["graph"]["subgraphs"].size());
  }
}

TEST(ControlCase, ResultsLieInMemoryOfTheirOwn) {
  const Case test = read(scan_case);
  const Graph& graph = test.graph;
  ASSERT_EQ(graph.outputs.size(), 2u);
  EXPECT_EQ(graph.meta(graph.outputs[1]).layout.sizes, (Dims{3, 2}));
  EXPECT_TRUE(graph.nodes[0].op->writes());
  EXPECT_EQ(written_storages(graph)[graph.meta(graph.sources[2].value).storage.index], true);
  EXPECT_NE(graph.meta(graph.outputs[0]).storage, graph.meta(graph.sources[1].value).storage);
}

TEST(ControlCase, IsPrintedWithItsSubgraphs) {
  const std::string text = print(read(loop_case).graph);
  EXPECT_NE(text.find("y = while_loop(condition, body, [zero, x, w], [n], max_steps=9)"), std::string::npos) << text;
  EXPECT_NE(text.find("subgraph body"), std::string::npos) << text;
  EXPECT_NE(text.find("    return k, v, s"), std::string::npos) << text;
  EXPECT_NE(to_dot(read(loop_case).graph, "loop", {}).find("subgraph \"cluster_body\""), std::string::npos);
}

struct Refusal {
  std::string_view text, pointer, value;  // the change
  std::string_view at, reason;
};

TEST(ControlCase, ABrokenRuleIsRefusedAtItsPlace) {
  const std::string_view then = "/graph/subgraphs/then/outputs";
  const Refusal rows[] = {
      {branch_case, "/requires", "[]", "/graph/subgraphs",
       "a case that uses this must name 'subgraphs' in \"requires\""},
      {branch_case, "/graph/subgraphs/else/inputs/a/type", "\"f32[3]\"", "/graph/nodes/0/args/2/graph",
       "branches of unlike types: result 0 is f32[2] in 'then' and f32[3] in 'else'"},
      {branch_case, "/graph/nodes/0/args/1/graph", "\"other\"", "/graph/nodes/0/args/1/graph",
       "no subgraph is named 'other'"},
      {branch_case, "/graph/nodes/0/args/3", "[]", "/graph/nodes/0/args/1/graph", "'then' takes 1 operands and gets 0"},
      {branch_case, "/graph/nodes/0/args/3", "[\"%p\"]", "/graph/nodes/0/args/3/0",
       "the operand is bool[] and 'else' takes f32[2]"},
      {branch_case, "/graph/nodes/0/args", "[\"%p\", {\"graph\": \"then\"}, {\"graph\": \"else\"}]",
       "/graph/nodes/0/args", "cond needs a list of operands"},
      {branch_case, "/graph/nodes/0/args/0", "\"%x\"", "/graph/nodes/0/args/0", "the predicate must be one bool"},
      {branch_case, then, "[]", "/graph/nodes/0/args/1/graph", "'then' returns nothing"},
      {branch_case, then, "[\"%c\"]", "/graph/subgraphs/then/outputs/0", "no value is named 'c'"},
      {branch_case, "/graph/subgraphs/then/constants", "{}", "/graph/subgraphs/then/constants",
       "a subgraph has inputs only; what else it needs are operands"},
      {branch_case, "/graph/subgraphs/then/nodes/0",
       R"({"out": "b", "op": "map", "args": [{"graph": "else"}, ["%a"]]})", "/graph/subgraphs/then/nodes/0/args/1/0",
       "the operand is f32[] and 'else' takes f32[2]"},
      {branch_case, "/graph/subgraphs/else/nodes",
       R"([{"out": "q", "op": "map", "args": [{"graph": "then"}, ["%a"]]}])", "/graph/subgraphs/else/nodes/0/args/1/0",
       "the operand is f32[] and 'then' takes f32[2]"},
      {branch_case, "/graph/subgraphs/then/nodes/0",
       R"({"out": "b", "op": "map", "args": [{"graph": "then"}, ["%a"]]})",
       "/graph/subgraphs/then/nodes/0/args/0/graph", "a cycle of subgraphs: then > then"},
      {loop_case, "/graph/subgraphs/condition/nodes/0/args", R"(["%m", "%m"])", "/graph/nodes/1/args/0/graph",
       "unbounded loop: 'condition' hangs on nothing that 'body' changes"},
      {loop_case, "/graph/nodes/1/kwargs/max_steps", "100000", "/graph/nodes/1/kwargs/max_steps",
       "100000 is not in [1, 1000]"},
      {loop_case, "/graph/subgraphs/condition/outputs", R"(["%u"])", "/graph/nodes/1/args/0/graph",
       "'condition' must return one bool[]"},
      {loop_case, "/graph/subgraphs/body/outputs", R"(["%k", "%k", "%s"])", "/graph/nodes/1/args/1/graph",
       "'body' takes carry 1 as f32[2] and returns it as i64[]"},
      {loop_case, "/graph/subgraphs/body/nodes/1", R"({"out": "s", "op": "aten.add_.Tensor", "args": ["%u", "%v"]})",
       "/graph/nodes/1/args/1/graph", "'body' writes 'u', which is not allowed there in a while_loop; write a clone"},
      {map_case, "/graph/inputs/x/type", "\"f32[0,2]\"", "/graph/nodes/0/args/1/0",
       "map needs a first dim of at least 1"},
  };
  for (const Refusal& row : rows) {
    SCOPED_TRACE(std::string(row.pointer) + " " + std::string(row.value));
    const Error error = refused(changed(row.text, row.pointer, row.value));
    EXPECT_EQ(error.pointer, row.at);
    EXPECT_EQ(error.reason, row.reason);
  }
}

// In eager the carry is the closure itself, so that it is another one after the next step.
TEST(ControlCase, AClosureThatIsWrittenAndHandedOnIsRefused) {
  const std::string handed_on = changed(scan_case, "/graph/subgraphs/step/outputs", R"(["%w", "%o"])");
  Error error = refused(handed_on);
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(error.pointer, "/graph/nodes/0/args/0/graph");
  EXPECT_EQ(error.reason, "'step' hands on 'k', which is written in each step; clone it");
  ordered_json asked = ordered_json::parse(testing::counting_condition_case);
  asked["graph"]["inputs"]["x"]["type"] = "f32[1]";
  for (const std::string_view name : {"condition", "body"})
    asked["graph"]["subgraphs"][name]["inputs"]["u"]["type"] = "f32[1]";
  asked["graph"]["subgraphs"]["body"]["outputs"] = {"%j", "%k"};
  for (ordered_json& run : asked["runs"]) run["feed"]["x"] = {1};
  error = refused(asked.dump());
  EXPECT_EQ(error.pointer, "/graph/nodes/2/args/1/graph");
  EXPECT_EQ(error.reason, "'body' hands on 'k', which is written in each step; clone it");
}

// In eager the result of the branch is x.
TEST(ControlCase, AWriteThatMayReachAnOperandHandedOnIsRefused) {
  const std::string text =
      changed(branch_case, "/graph/nodes/2", R"({"out": "z", "op": "aten.add_.Tensor", "args": ["%y0", "%x"]})");
  const Error error = refused(text);
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(error.pointer, "/graph/nodes/2");
  EXPECT_EQ(error.reason, "aten.add_.Tensor writes 'y0', which a branch or loop may have handed on under another name");
}

TEST(ControlCase, SubgraphsAreNestedTenLevelsAtMost) {
  ordered_json json = ordered_json::parse(branch_case);
  for (int level = 0; level < 12; ++level) {
    ordered_json& subgraph = json["graph"]["subgraphs"][level == 0 ? "then" : "s" + std::to_string(level)];
    subgraph = json["graph"]["subgraphs"]["else"];
    subgraph["inputs"] = {{"a", {{"type", "f32[2]"}}}, {"q", {{"type", "bool[]"}}}};
    const std::string next = level == 11 ? "leaf" : "s" + std::to_string(level + 1);
    subgraph["nodes"] = {
        {{"out", "b"}, {"op", "cond"}, {"args", {"%q", {{"graph", next}}, {{"graph", next}}, {"%a", "%q"}}}}};
  }
  json["graph"]["subgraphs"]["leaf"] = json["graph"]["subgraphs"]["s1"];
  json["graph"]["subgraphs"]["leaf"]["nodes"] = ordered_json::array();
  EXPECT_EQ(refused(json.dump()).reason, "subgraphs are nested deeper than 10 levels");
}

}  // namespace
}  // namespace parallax
