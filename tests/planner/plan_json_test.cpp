// plan.json: what is written is read back, and what is wrong is said with its place.
#include "planner/plan_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuzz/generate/generate.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"
#include "tests/support/plans.h"

namespace parallax {
namespace {

PlannedSchedule planned(const Graph& graph) { return {schedule_of(graph), testing::sound_plan(graph)}; }

TEST(PlanJson, ReadsWhatItWrites) {
  for (uint64_t stream = 0; stream < 200; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 31, stream " << stream);
    Choices choices(31, stream);
    const PlannedSchedule written = planned(generate(choices, {}).graph);
    const Result<Json> json = parse_json(write_json(plan_json(written), 1));
    ASSERT_TRUE(json);
    const Result<PlannedSchedule> read = read_plan(*json);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, written);
    EXPECT_TRUE(check_plan(read->schedule, read->plan).empty());
  }
}

TEST(PlanJson, SaysWhereItIsWrong) {
  const Json good = plan_json(planned(testing::elided_copy_case().graph));
  const auto error = [&](auto&& change) {
    Json json = good;
    change(json);
    const Result<PlannedSchedule> read = read_plan(json);
    return read ? std::string("read") : read.error().text();
  };
  EXPECT_EQ(error([](Json&) {}), "read");
  EXPECT_EQ(error([](Json& json) { json.erase("steps"); }), "\"steps\" is missing");
  EXPECT_EQ(error([](Json& json) { json["plan"] = 2; }), "/plan: 2 is not in [1, 1]");
  EXPECT_EQ(error([](Json& json) { json["outputs"][0] = "nobody"; }), "/outputs/0: no value is called 'nobody'");
  EXPECT_EQ(error([](Json& json) { json["storages"][1]["name"] = "x"; }),
            "/storages/1/name: a second storage is called 'x'");
  EXPECT_EQ(error([](Json& json) { json["storages"][0]["arena"] = "heap"; }),
            "/storages/0/arena: no arena is called 'heap'");
  EXPECT_EQ(error([](Json& json) { json["storages"][0]["slot"] = {1}; }), "/storages/0/slot: must be [offset, size]");
  EXPECT_EQ(error([](Json& json) { json["storages"][0]["bytes"] = -1; }),
            "/storages/0/bytes: -1 is not in [0, 268435456]");
  EXPECT_EQ(error([](Json& json) { json["values"][0]["offset"] = 1; }),
            "/values/0: reaches past the 8 bytes of storage 'x'");
  EXPECT_EQ(error([](Json& json) { json["steps"][0]["makes"] = {"x"}; }), "/steps/0: makes 'x', which is given");
  EXPECT_EQ(error([](Json& json) { json["steps"][0]["elementwise"] = {"e"}; }), "/steps/0: does not read 'e'");
}

// A plan that another compiler wrote, by hand: b is an alias of a, and d takes a's slot while b is still read.
TEST(PlanJson, IsEnoughToFindWhatIsWrongWithAPlan) {
  const Json json = parse_json(R"({
    "plan": 1,
    "arenas": {"inputs": {"bytes": 8, "alignment": 1}, "backend": {"bytes": 16, "alignment": 8},
               "returned": {"bytes": 8, "alignment": 1}},
    "storages": [{"name": "x", "bytes": 8, "given": true, "arena": "inputs", "slot": [0, 8]},
                 {"name": "a", "bytes": 8, "arena": "backend", "slot": [0, 8]},
                 {"name": "c", "bytes": 8, "arena": "backend", "slot": [8, 8]},
                 {"name": "d", "bytes": 8, "arena": "backend", "slot": [0, 8]},
                 {"name": "e", "bytes": 8, "arena": "returned", "slot": [0, 8]}],
    "values": [{"name": "x", "storage": "x", "type": "f32[2]"}, {"name": "a", "storage": "a", "type": "f32[2]"},
               {"name": "b", "storage": "a", "type": "f32[2]"}, {"name": "c", "storage": "c", "type": "f32[2]"},
               {"name": "d", "storage": "d", "type": "f32[2]"}, {"name": "e", "storage": "e", "type": "f32[2]"}],
    "steps": [{"name": "a", "makes": ["a"], "reads": ["x"], "writes": ["a"]},
              {"name": "c", "makes": ["c"], "reads": ["a"], "writes": ["c"]},
              {"name": "d", "makes": ["d"], "reads": ["c"], "writes": ["d"]},
              {"name": "e", "makes": ["e"], "reads": ["d", "b"], "writes": ["e"]}],
    "outputs": ["e"]})")
                        .value();
  const Result<PlannedSchedule> read = read_plan(json);
  ASSERT_TRUE(read) << read.error().text();
  const std::vector<PlanFailure> failures = check_plan(read->schedule, read->plan);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(describe(read->schedule, failures.front()),
            "a in [0, 8), written by #0, is overwritten by #2; its alias b is still read by #3");
}

}  // namespace
}  // namespace parallax
