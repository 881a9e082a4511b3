// Branches, loops and custom operations made smaller.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "graph/case_json.h"
#include "graph/inline_custom.h"
#include "reducers/reduce.h"
#include "reducers/reduction_passes.h"
#include "tests/reducers/generated_cases.h"
#include "tests/support/control_case.h"
#include "tests/support/custom_case.h"

namespace parallax {
namespace {

using testing::record_ones;

// The calls of an operation in place of it, without None, without a call, and what is not read.
TEST(Subgraphs, OfCustomOperationsGo) {
  const Case test = parse_case(testing::custom_case).value();
  std::set<std::string> offered;
  for (const Edit& edit : subgraph_candidates(test, {})) offered.insert(edit.what);
  EXPECT_TRUE(offered.contains("'step' in place of r"));
  EXPECT_TRUE(offered.contains("r without None"));
  EXPECT_TRUE(offered.contains("'step' without d"));
  const Interesting writes_to_x = [](const Case& tried) {
    const Graph& graph = tried.graph;
    const auto is_input = [&](const Source& source) {
      return source.kind == SourceKind::Input && written_storages(graph)[graph.meta(source.value).storage.index];
    };
    return find_custom(graph) && std::ranges::any_of(graph.sources, is_input);
  };
  const Case reduced = reduce(test, writes_to_x, record_ones).reduced;
  EXPECT_EQ(reduced.graph.nodes.size(), 1u) << to_json(reduced);
  const Interesting multiplies = [](const Case& tried) {
    const InlinedGraph inlined = inline_custom(tried.graph);
    return std::ranges::any_of(inlined.graph.nodes,
                               [](const Node& node) { return node.op->name == "aten.mul.Tensor"; });
  };
  EXPECT_FALSE(find_custom(reduce(test, multiplies, record_ones).reduced.graph));
}

// A loop whose condition stops it before, and a scan of fewer slices.
TEST(Subgraphs, TakeFewerSteps) {
  nlohmann::ordered_json counted = nlohmann::ordered_json::parse(testing::loop_case);
  counted["graph"]["subgraphs"]["condition"]["nodes"] =
      nlohmann::ordered_json::parse(R"([{"out": "c", "op": "aten.lt.Scalar", "args": ["%i", 4]}])");
  const auto limit = [](const Case& test) {
    const ControlOp* op = as_control(*find_control(test.graph)->op);
    return std::get<int64_t>(std::get<Scalar>(op->subgraph(0).nodes[0].arguments[1]));
  };
  const Interesting loops = [](const Case& test) {
    const Node* node = find_control(test.graph);
    return node && as_control(*node->op)->kind() == ControlKind::WhileLoop;
  };
  EXPECT_EQ(limit(reduce(parse_case(counted.dump()).value(), loops, record_ones).reduced), 1);
  const Interesting scans = [](const Case& test) { return find_control(test.graph) != nullptr; };
  const Case scan = reduce(parse_case(testing::map_case).value(), scans, record_ones).reduced;
  EXPECT_EQ(scan.graph.meta(scan.graph.sources[0].value).layout.sizes[0], 1);
}

// A call on what a loop does not change stands before it then, in the branch that is not taken, too.
TEST(Subgraphs, HaveCallsTakenOut) {
  const Case test = parse_case(R"json({
    "parallax": 1, "name": "outlined", "requires": ["subgraphs"],
    "graph": {
      "inputs": {"p": {"type": "bool[]"}, "x": {"type": "f32[2]"}},
      "nodes": [{"out": "c", "op": "cond", "args": ["%p", {"graph": "yes"}, {"graph": "no"}, ["%x"]]},
                {"out": "c0", "op": "getitem", "args": ["%c", 0]}],
      "outputs": ["%c0"],
      "subgraphs": {
        "yes": {"inputs": {"v": {"type": "f32[2]"}},
                "nodes": [{"out": "s", "op": "aten.sin.default", "args": ["%v"]},
                          {"out": "t", "op": "aten.mul.Tensor", "args": ["%s", "%v"]}],
                "outputs": ["%t"]},
        "no": {"inputs": {"v": {"type": "f32[2]"}},
               "nodes": [{"out": "u", "op": "aten.neg.default", "args": ["%v"]}],
               "outputs": ["%u"]}
      }
    },
    "feed": {"p": [true], "x": [1, 2]}
  })json")
                        .value();
  std::set<std::string> offered;
  for (const Edit& edit : subgraph_candidates(test, {})) offered.insert(edit.what);
  EXPECT_TRUE(offered.contains("s of 'yes' before c"));
  EXPECT_TRUE(offered.contains("u of 'no' before c"));
  EXPECT_FALSE(offered.contains("t of 'yes' before c"));  // of what the branch made
  const Interesting branches_and_sines = [](const Case& tried) {
    const std::string text = to_json(tried);
    return find_control(tried.graph) && text.contains("aten.sin") && text.contains("aten.mul");
  };
  const Case reduced = reduce(test, branches_and_sines, record_ones).reduced;
  EXPECT_EQ(reduced.graph.nodes.front().op->name, "aten.sin.default") << to_json(reduced);
}

}  // namespace
}  // namespace parallax
