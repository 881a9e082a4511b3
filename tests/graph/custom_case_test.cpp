// Custom operations in a case file: what is read is written again, what they write and hand on is known, and what
// breaks a rule is refused at its place.
#include "tests/support/custom_case.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case_json.h"
#include "graph/custom_op.h"
#include "graph/inline_custom.h"
#include "graph/print.h"
#include "graph/removal.h"
#include "graph/sketch.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;
using testing::custom_case;

Case read(std::string_view text) {
  Result<Case> test = parse_case(text, "case.json");
  EXPECT_TRUE(test) << test.error().text();
  return *std::move(test);
}

std::string changed(std::string_view pointer, std::string_view value) {
  ordered_json json = ordered_json::parse(custom_case);
  json[ordered_json::json_pointer(std::string(pointer))] = ordered_json::parse(value);
  return json.dump();
}

TEST(CustomCase, IsWrittenAsItWasRead) {
  const std::string written = to_json(read(custom_case));
  EXPECT_EQ(to_json(read(written)), written);
  const ordered_json graph = ordered_json::parse(written)["graph"];
  EXPECT_EQ(graph["subgraphs"]["step"]["outputs"], ordered_json::parse(R"(["%c", null, "%d", "%e"])"));
  EXPECT_EQ(graph["nodes"][3]["args"], ordered_json::parse(R"(["%r", 2])"));
  EXPECT_EQ(ordered_json::parse(written)["requires"], ordered_json::parse(R"(["subgraphs", "custom"])"));
  EXPECT_EQ(to_json(without_dead_nodes(read(custom_case))), written);  // what returns nothing writes
}

TEST(CustomCase, ResultsAreOperandsViewsOfThemOrMemoryOfTheirOwn) {
  const Graph graph = read(custom_case).graph;
  const Node& call = graph.nodes[1];
  ASSERT_EQ(call.results.size(), 3u);
  const TensorMeta& operand = graph.meta(std::get<ValueId>(call.arguments[0]));
  EXPECT_EQ(graph.meta(call.results[0]).storage, operand.storage);
  EXPECT_EQ(graph.objects[call.results[0].index], graph.objects[std::get<ValueId>(call.arguments[0]).index]);
  EXPECT_NE(graph.meta(call.results[1]).storage, operand.storage);
  EXPECT_EQ(graph.meta(call.results[2]).storage, operand.storage);
  EXPECT_EQ(graph.meta(call.results[2]).layout.offset, 2);  // behind the view's own offset
  EXPECT_TRUE(written_storages(graph)[operand.storage.index]);
  EXPECT_TRUE(graph.nodes[2].results.empty());
}

TEST(CustomCase, ASchemaSaysWhatTheReferenceShows) {
  const Graph graph = read(custom_case).graph;
  EXPECT_EQ(library_schema(as_control(*graph.nodes[1].op)->parts.subgraphs[0]),
            "(Tensor(a!) a, Tensor b) -> (Tensor(a!), Tensor?, Tensor, Tensor(a!))");
  EXPECT_EQ(library_schema(as_control(*graph.nodes[2].op)->parts.subgraphs[0]), "(Tensor(a!) t) -> ()");
}

TEST(CustomCase, IsPrintedWithNone) {
  const std::string text = print(read(custom_case).graph);
  EXPECT_NE(text.find("r = custom(step, [v, y])"), std::string::npos) << text;
  EXPECT_NE(text.find("return c, none, d, e"), std::string::npos) << text;
}

TEST(CustomCase, TheCallsInPlaceOfOneAreOnTheCallersTensors) {
  const Graph graph = read(custom_case).graph;
  const InlinedGraph inlined = inline_custom(graph);
  EXPECT_EQ(find_custom(inlined.graph), nullptr);
  ASSERT_EQ(inlined.graph.nodes.size(), 6u);
  EXPECT_EQ(inlined.origins[1].node, NodeId(1));
  EXPECT_TRUE(inlined.origins[1].inner && !inlined.origins[1].last && inlined.origins[3].last);
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    EXPECT_EQ(inlined.graph.meta(inlined.values[v]).layout, graph.metas[v].layout) << graph.names[v];
  }
  const ValueId own = graph.nodes[1].results[1];
  EXPECT_EQ(inlined.graph.name(inlined.values[own.index]), "own");
}

TEST(CustomCase, ABrokenRuleIsRefusedAtItsPlace) {
  struct Row {
    std::string_view pointer, value, at, reason;
  };
  const Row rows[] = {
      {"/requires", R"(["subgraphs"])", "/graph/nodes/1/op",
       "a case that uses this must name 'custom' in \"requires\""},
      {"/graph/nodes/1/schema", "\"(Tensor a, Tensor b) -> Tensor\"", "/graph/nodes/1/schema",
       "'step' is (Tensor(a!) a, Tensor b) -> (Tensor(a!), Tensor?, Tensor, Tensor(a!))"},
      {"/graph/nodes/2/args/1", "1", "/graph/nodes/2/args/1", "element 1 is None"},
      {"/graph/nodes/2/args/1", "4", "/graph/nodes/2/args/1", "index 4 is out of range: the list has 4 elements"},
      {"/graph/nodes/1/args", R"([{"graph": "step"}])", "/graph/nodes/1/args", "custom needs a list of operands"},
      {"/graph/nodes/1/args/1", "[\"%v\"]", "/graph/nodes/1/args/0/graph", "'step' takes 2 operands and gets 1"},
      {"/graph/nodes/1/args/1", "[\"%v\", \"%x\"]", "/graph/nodes/1/args/1/1",
       "the operand is f32[3] and 'step' takes f32[2]"},
      {"/graph/outputs", "[null]", "/graph/outputs/0", "must be a string"},
      {"/graph/subgraphs/twice/nodes", "[]", "/graph/nodes/5/args/0/graph", "'twice' calls nothing"},
      {"/graph/subgraphs/twice/nodes/0", R"({"out": "u", "op": "cond", "args": ["%t"]})",
       "/graph/subgraphs/twice/nodes/0/args", "cond needs a subgraph, written {\"graph\": \"name\"}"},
      {"/graph/subgraphs/twice/nodes/0", R"({"out": "u", "op": "aten.t_.default", "args": ["%t"]})",
       "/graph/nodes/5/args/0/graph", "'twice' changes the sizes or strides of an operand with u (aten.t_.default)"},
      {"/graph/subgraphs/step/outputs", R"(["%d", "%d"])", "/graph/nodes/1/args/0/graph",
       "'step' returns 'd', the memory of 'd'; clone it"},
      {"/graph/subgraphs/step/outputs", R"(["%e", "%e"])", "/graph/nodes/1/args/0/graph",
       "'step' returns the view 'e' twice; return an alias of it"},
      {"/graph/subgraphs/step/nodes/2", R"({"out": "e", "op": "aten.slice.Tensor", "args": ["%d", 0, 1, 2]})",
       "/graph/nodes/1/args/0/graph", "'step' returns 'e', a part of memory that it made; clone it"},
  };
  for (const Row& row : rows) {
    ordered_json json = ordered_json::parse(changed(row.pointer, row.value));
    if (row.pointer != "/graph/nodes/1/schema") json["graph"]["nodes"][1].erase("schema");
    const Result<Case> test = parse_case(json.dump(), "bad.json");
    ASSERT_FALSE(test) << row.pointer << " " << row.value;
    EXPECT_EQ(test.error().pointer, row.at) << test.error().text();
    EXPECT_EQ(test.error().reason, row.reason);
  }
}

// `a += b` of two views that overlap in part is an error in eager, whoever calls it.
TEST(CustomCase, OperandsThatOverlapAreRefusedAsItsCallsRefuseThem) {
  ordered_json json = ordered_json::parse(custom_case);
  ordered_json& nodes = json["graph"]["nodes"];
  nodes.insert(nodes.begin() + 1,
               ordered_json::parse(R"({"out": "w", "op": "aten.slice.Tensor", "args": ["%x", 0, 0, 2]})"));
  nodes[2]["args"][1] = {"%v", "%w"};
  const Result<Case> refused = parse_case(json.dump(), "bad.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().pointer, "/graph/nodes/2/args/0/graph");
  EXPECT_TRUE(refused.error().reason.starts_with("operands that share memory: ")) << refused.error().reason;
  nodes[2]["args"][1] = {"%v", "%v"};
  EXPECT_TRUE(parse_case(json.dump(), "good.json"));
}

}  // namespace
}  // namespace parallax
