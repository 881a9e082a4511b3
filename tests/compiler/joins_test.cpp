// Joins: operands of a concatenation that are made in their places, and what keeps them out of it.
#include "planner/joins.h"

#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

Program joined(const Case& test, const std::vector<std::string>& faults = {}) {
  CompileOptions options;
  options.faults = FaultSet::of(faults).value();
  options.reuse_in_place = true;
  options.join_kernels = [](const Op& op) { return op.name == "aten.cat.default"; };
  return compile(test.graph, options).value();
}

Case case_with(const std::string& nodes, const std::string& outputs) {
  return testing::case_of(
      R"({"inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[1,2]"}, "h": {"type": "f16[2]"}}, "nodes": [)" +
          nodes + R"(], "outputs": [)" + outputs + "]}",
      R"({"x": [1, 2], "y": [3, 4], "h": [5, 6]})");
}

const std::string sine = R"({"out": "a", "op": "aten.sin.default", "args": ["%x"]},)";
const std::string cosine = R"({"out": "b", "op": "aten.cos.default", "args": ["%x"]},)";

TEST(Joins, PartsLieWhereTheyAreToStand) {
  const Case test = case_with(sine + cosine + R"(
    {"out": "c", "op": "aten.cat.default", "args": [["%a", "%b"]]},
    {"out": "d", "op": "aten.exp.default", "args": ["%c"]})",
                              R"("%d")");
  const Program program = joined(test);
  ASSERT_EQ(program.joins.size(), 2U);
  const auto slot = [&](std::string_view name) {
    return program.plan.placement(program.graph.meta(testing::value_named(program.graph, name)).storage).slot;
  };
  EXPECT_EQ(slot("c").size, 16);
  EXPECT_EQ(slot("a").offset, slot("c").offset);
  EXPECT_EQ(slot("b").offset, slot("c").offset + 8);
  EXPECT_TRUE(check_plan(schedule_of(program), program.plan).empty());
}

TEST(Joins, EachConditionIsNeeded) {
  struct Example {
    std::string name;
    std::string nodes;
    std::string outputs;
    std::size_t joins;
  };
  const std::vector<Example> examples = {
      {"one part is an input", sine + R"({"out": "c", "op": "aten.cat.default", "args": [["%a", "%x"]]})", R"("%c")",
       1},
      {"a part is returned", sine + R"({"out": "c", "op": "aten.cat.default", "args": [["%a", "%x"]]})",
       R"("%c", "%a")", 0},
      {"a part is read later", sine + R"({"out": "c", "op": "aten.cat.default", "args": [["%a", "%x"]]},
                 {"out": "d", "op": "aten.exp.default", "args": ["%a"]})",
       R"("%c", "%d")", 0},
      {"a part stands in the list twice", sine + R"({"out": "c", "op": "aten.cat.default", "args": [["%a", "%a"]]})",
       R"("%c")", 0},
      {"another dtype",
       R"({"out": "a", "op": "aten.sin.default", "args": ["%h"]},
          {"out": "c", "op": "aten.cat.default", "args": [["%a", "%x"]]})",
       R"("%c")", 0},
      {"parts that interleave",
       R"({"out": "a", "op": "aten.sin.default", "args": ["%y"]},
          {"out": "b", "op": "aten.cat.default", "args": [["%y", "%y"], 0]},
          {"out": "e", "op": "aten.exp.default", "args": ["%b"]},
          {"out": "c", "op": "aten.cat.default", "args": [["%e", "%b"], 1]})",
       R"("%c", "%a")", 0},
      {"a place that is not aligned", sine + R"({"out": "c", "op": "aten.cat.default", "args": [["%x", "%a"]]})",
       R"("%c")", 0},
      {"a part of a whole", sine + cosine + R"({"out": "c", "op": "aten.cat.default", "args": [["%a", "%b"]]},
                          {"out": "d", "op": "aten.cat.default", "args": [["%c", "%x"]]})",
       R"("%d")", 2},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);
    const Program program = joined(case_with(example.nodes, example.outputs));
    EXPECT_EQ(program.joins.size(), example.joins);
    for (const PlanFailure& failure : check_plan(schedule_of(program), program.plan)) {
      ADD_FAILURE() << describe(program.graph, failure);
    }
  }
}

// a lies in the concatenation's slot from the first step on; under the fault something else may lie there until then.
TEST(Joins, F17LetsOthersOverwriteAPart) {
  const Case test = case_with(sine + R"(
    {"out": "p", "op": "aten.cos.default", "args": ["%x"]},
    {"out": "q", "op": "aten.exp.default", "args": ["%p"]},
    {"out": "b", "op": "aten.tanh.default", "args": ["%q"]},
    {"out": "c", "op": "aten.cat.default", "args": [["%a", "%b"]]},
    {"out": "d", "op": "aten.neg.default", "args": ["%c"]})",
                              R"("%d")");
  const Program sound = joined(test);
  EXPECT_TRUE(check_plan(schedule_of(sound), sound.plan).empty());
  const Program faulty = joined(test, {"F17"});
  EXPECT_FALSE(check_plan(schedule_of(faulty), faulty.plan).empty());
}

}  // namespace
}  // namespace parallax
