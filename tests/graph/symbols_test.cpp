// Cases with several runs and with sizes that change between them: what is read, written and refused, and graphs at
// other sizes.
#include "graph/symbols.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case_json.h"
#include "graph/print.h"
#include "graph/runs.h"
#include "graph/sketch.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;
using testing::mean_case;
using testing::value_named;

TEST(Symbols, ACaseIsThatOfItsFirstRun) {
  const Case test = mean_case();
  EXPECT_EQ(test.symbols.list, (std::vector<Symbol>{{"B", 1, 4}}));
  EXPECT_EQ(test.symbols.dims, (std::vector<SymbolicDim>{{0, 0, 0}}));
  EXPECT_EQ(test.graph.meta(value_named(test.graph, "x")).layout.sizes, (Dims{4, 2}));
  ASSERT_EQ(test.later.size(), 1U);
  EXPECT_EQ(sizes_of_run(test, 0), SymbolSizes{4});
  EXPECT_EQ(sizes_of_run(test, 1), SymbolSizes{2});
  const Result<Case> second = case_of_run(test, 1);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_FALSE(has_several_runs(*second));
  EXPECT_EQ(second->graph.meta(value_named(second->graph, "e")).layout.sizes, (Dims{2, 2}));
  EXPECT_EQ(second->feed[0].sizes, (Dims{2, 2}));
}

TEST(Symbols, AreWrittenAsTheyAreRead) {
  const Case test = mean_case();
  const std::string json = to_json(test);
  const auto document = ordered_json::parse(json);
  EXPECT_EQ(document["graph"]["inputs"]["x"]["type"], "f32[B,2]");
  EXPECT_EQ(document["requires"], (ordered_json{"runs", "symbols"}));
  EXPECT_EQ(document["runs"][1]["feed"]["x"]["type"], "f32[2,2]");
  EXPECT_FALSE(document.contains("feed"));
  const Result<Case> again = parse_case(json);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_json(*again), json);
  EXPECT_EQ(again->symbols, test.symbols);
}

TEST(Symbols, ArePrintedWithTheRuns) {
  const std::string text = print(mean_case());
  EXPECT_NE(text.find("dim 0 of x is B in [1, 4]"), std::string::npos) << text;
  EXPECT_NE(text.find("run 2 at B=2"), std::string::npos) << text;
}

TEST(Symbols, SeveralRunsNeedNone) {
  const Case test = testing::counting_case();
  EXPECT_TRUE(has_several_runs(test));
  EXPECT_TRUE(test.symbols.empty());
  const Result<Case> again = parse_case(to_json(test));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_json(*again), to_json(test));
}

TEST(Symbols, AGraphAtOtherSizesKeepsItsIds) {
  const Case test = mean_case();
  const Result<Graph> smaller = at_sizes(test.graph, test.symbols, {1});
  ASSERT_TRUE(smaller) << smaller.error().text();
  EXPECT_EQ(smaller->names, test.graph.names);
  EXPECT_EQ(smaller->objects, test.graph.objects);
  for (std::size_t v = 0; v < test.graph.metas.size(); ++v)
    EXPECT_EQ(smaller->metas[v].storage, test.graph.metas[v].storage);
  EXPECT_EQ(smaller->storage(smaller->meta(value_named(*smaller, "e")).storage).elements, 2);
  const Result<Graph> back = at_sizes(*smaller, test.symbols, {4});
  ASSERT_TRUE(back) << back.error().text();
  for (std::size_t v = 0; v < test.graph.metas.size(); ++v)
    EXPECT_EQ(back->metas[v].layout, test.graph.metas[v].layout) << test.graph.names[v];
}

struct BadCase {
  std::string_view operation, path, value;  // a JSON patch of mean_case()
  std::string_view pointer, reason;
  ErrorKind kind = ErrorKind::Invalid;
};

TEST(Symbols, WhatIsRefused) {
  const BadCase rows[] = {
      {"replace", "/symbols/B", "[8, 1]", "/symbols/B", "B: [8, 1] has no members"},
      {"replace", "/symbols/B", "[-1, 4]", "/symbols/B", "B: [-1, 4] is no range of sizes"},
      {"replace", "/symbols/B", "[1, 2, 3]", "/symbols/B", "B: must be [low, high]"},
      {"replace", "/graph/inputs/x/type", "\"f32[B-2,2]\"", "/graph/inputs/x/type", "B-2 is -1 where B is 1"},
      {"replace", "/graph/inputs/x/type", "\"f32[0*B,2]\"", "/graph/inputs/x/type",
       "'0*B' is no size that hangs on a symbol, as s, 8*s or 2*s+1"},
      {"replace", "/graph/inputs/x/type", "\"f32[B*2,2]\"", "/graph/inputs/x/type",
       "'B*2' is no size that hangs on a symbol, as s, 8*s or 2*s+1"},
      {"replace", "/graph/inputs/x/type", "\"f32[3*B,2]\"", "/runs/0/feed/x/type", "3*B is 4 for no size of B"},
      {"replace", "/graph/inputs/x/type", "\"f32[B,B+1]\"", "/runs/0/feed/x/type", "B is 1 here and 4 before"},
      {"replace", "/graph/inputs/x/type", "\"f32[2*B+1,B]\"", "/runs/0/feed/x/type", "2*B+1 is 4 for no size of B"},
      {"replace", "/graph/nodes/0/args/1/0", "\"$C\"", "/graph/nodes/0/args/1/0", "no symbol is named 'C'"},
      {"replace", "/graph/nodes/0/args/2", "\"$B\"", "/graph/nodes/0/args/2",
       "'$B' stands for an integer or in a list of integers"},
      {"replace", "/symbols/B", "4", "/symbols/B", "must be a list"},
      {"add", "/symbols/S", "[1, 2]", "/symbols", "no input's type has 'S'"},
      {"add", "/symbols/2", "[1, 2]", "/symbols/2", "'2' is not a name ([A-Za-z_][A-Za-z0-9_]*)"},
      {"replace", "/graph/inputs/x/type", "\"f32[C,2]\"", "/graph/inputs/x/type", "no symbol is named 'C'"},
      {"replace", "/graph/constants/w/type", "\"f32[B]\"", "/graph/constants/w/type",
       "'B': only an input's type may have symbols"},
      {"add", "/graph/inputs/x/strides", "[2, 1]", "/graph/inputs/x/strides",
       "an input with symbols is row-major in memory of its own", ErrorKind::Unsupported},
      {"replace", "/runs/0/feed/x", "[1, 2]", "/runs/0/feed/x", "'x' has symbols: its entry must carry a \"type\""},
      {"remove", "/runs/0/feed/x", "", "/runs/0/feed", "\"x\" is missing"},
      {"replace", "/runs/1/feed/x/type", "\"f32[9,2]\"", "/runs/1/feed/x/type", "B is 9, outside [1, 4]"},
      {"replace", "/runs/1/feed/x/type", "\"f32[2,3]\"", "/runs/1/feed/x/type", "'x' is f32[2,2]"},
      {"replace", "/runs/1/feed/x/type", "\"f32[]\"", "/runs/1/feed/x/type", "'x' has 0 dims and 'B' is dim 0"},
      {"replace", "/graph/inputs/x/type", "\"f32[B,B]\"", "/runs/0/feed/x/type", "B is 2 here and 4 before"},
      {"remove", "/runs/1/feed/x/data", "", "/runs/1/feed/x", "\"data\" is missing"},
      {"remove", "/runs", "", "/symbols", "a case with symbols states its \"runs\": their feeds fix the sizes"},
      {"add", "/feed", "{}", "/feed", "belongs into one of the \"runs\""},
      {"replace", "/requires", "[\"runs\"]", "/symbols", "a case that uses this must name 'symbols' in \"requires\""},
      {"replace", "/requires", "[\"symbols\"]", "/runs", "a case that uses this must name 'runs' in \"requires\""},
      {"add", "/requires/-", "\"grad\"", "/requires/2", "", ErrorKind::Unsupported},
  };
  for (const BadCase& row : rows) {
    SCOPED_TRACE(std::string(row.operation) + " " + std::string(row.path) + " " + std::string(row.value));
    ordered_json patch = {{{"op", row.operation}, {"path", row.path}}};
    if (!row.value.empty()) patch[0]["value"] = ordered_json::parse(row.value);
    const auto test = parse_case(ordered_json::parse(to_json(mean_case())).patch(patch).dump());
    if (row.reason.empty()) continue;  // grad may be named by a case that has none
    ASSERT_FALSE(test);
    EXPECT_EQ(test.error().pointer, row.pointer);
    EXPECT_EQ(test.error().reason, row.reason);
    EXPECT_EQ(test.error().kind, row.kind);
  }
}

// A call that spells a size out fits one size alone; the error names the run and the node.
TEST(Symbols, ANodeThatFixesASizeIsNamed) {
  const Result<Case> test = parse_case(testing::symbolic_json(
      R"({"inputs": {"x": {"type": "f32[B,2]"}},
          "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
                    {"out": "b", "op": "aten.view.default", "args": ["%a", [8]]}],
          "outputs": ["%b"]})"));
  ASSERT_FALSE(test);
  EXPECT_EQ(test.error().pointer, "/runs/1");
  EXPECT_EQ(test.error().reason.substr(0, 36), "at B=2 node 'b' (aten.view.default):");
}

constexpr std::string_view related_case = R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"],
  "symbols": {"B": [1, 4]}, "graph": {
    "inputs": {"x": {"type": "f32[B,2]"}, "y": {"type": "f32[2*B+1]"}},
    "nodes": [{"out": "a", "op": "aten.view.default", "args": ["%x", ["$2*B"]]},
              {"out": "b", "op": "aten.slice.Tensor", "args": ["%y", 0, 1, "$2*B+1"]},
              {"out": "c", "op": "aten.slice.Tensor", "args": ["%x", 0, 0, null, "$B"]},
              {"out": "d", "op": "aten.add.Tensor", "args": ["%a", "%b"]}],
    "outputs": ["%d", "%c"]},
  "runs": [{"feed": {"x": {"type": "f32[1,2]", "data": [1, 2]}, "y": {"type": "f32[3]", "data": [0, 1, 2]}}},
           {"feed": {"x": {"type": "f32[2,2]", "data": [1, 2, 3, 4]}, "y": {"type": "f32[5]", "data": [0, 1, 2, 3, 4]}}}]})";

// Sizes in a relation to a symbol, and numbers of calls; one that is the default in the first run is written too.
TEST(Symbols, RelationsHoldAtEverySize) {
  const Result<Case> test = parse_case(related_case);
  ASSERT_TRUE(test) << test.error().text();
  EXPECT_EQ(test->symbols.dims, (std::vector<SymbolicDim>{{0, 0, {0}}, {1, 0, {0, 2, 1}}}));
  EXPECT_EQ(test->symbols.numbers,
            (std::vector<SymbolicNumber>{{0, 1, 0, {0, 2, 0}}, {1, 3, 0, {0, 2, 1}}, {2, 4, 0, {0}}}));
  const Result<Case> second = case_of_run(*test, 1);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(std::get<IntList>(second->graph.nodes[0].arguments[1]), IntList{4});
  EXPECT_EQ(second->graph.meta(value_named(second->graph, "d")).layout.sizes, Dims{4});
  EXPECT_EQ(second->graph.meta(value_named(second->graph, "c")).layout.sizes, (Dims{1, 2}));
  const std::string json = to_json(*test);
  EXPECT_EQ(ordered_json::parse(json)["graph"], ordered_json::parse(related_case)["graph"]);
  const Result<Case> again = parse_case(json);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->symbols, test->symbols);
  EXPECT_NE(print(*test).find("dim 0 of y is 2*B+1, B in [1, 4]"), std::string::npos) << print(*test);
}

TEST(Symbols, ARebuiltCaseKeepsRelations) {
  const Case test = parse_case(related_case).value();
  const std::optional<Case> again = put_together(take_apart(test), test);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(test));
  Sketch sketch = take_apart(test);
  sketch.nodes[2].arguments[4] = Scalar(int64_t{2});  // a plain number
  const std::optional<Case> changed = put_together(sketch, test);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->symbols.numbers.size(), 2U);
}

TEST(Symbols, MemoryIsSharedAlikeAtEverySize) {
  // A transposed row is contiguous: reshape is a view of it at B=1 and a copy elsewhere.
  const Result<Case> test = parse_case(testing::symbolic_json(
      R"({"inputs": {"x": {"type": "f32[B,2]"}},
          "nodes": [{"out": "t", "op": "aten.t.default", "args": ["%x"]},
                    {"out": "r", "op": "aten.reshape.default", "args": ["%t", [-1]]}],
          "outputs": ["%r"]})"));
  ASSERT_TRUE(test) << test.error().text();
  const Result<Graph> row = at_sizes(test->graph, test->symbols, {1});
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().reason,
            "at B=1 node 'r' (aten.reshape.default): shares memory at some sizes and not at others");
}

}  // namespace
}  // namespace parallax
