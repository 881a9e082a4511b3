// Runs of a case on several instances of its program: each has state of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "oracle/record.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A counter that is asked on instances 0, 1, 0, 1, 2 and 0.
const std::string counter = R"({"parallax": 1, "name": "counter", "requires": ["runs", "instances"],
    "graph": {"inputs": {}, "buffers": {"n": {"type": "i64[]", "data": [10]}},
              "nodes": [{"out": "a", "op": "aten.add_.Scalar", "args": ["%n", 1]},
                        {"out": "b", "op": "aten.clone.default", "args": ["%a"]}],
              "outputs": ["%b"]},
    "runs": [{"feed": {}}, {"instance": 1, "feed": {}}, {"feed": {}}, {"instance": 1, "feed": {}},
             {"instance": 2, "feed": {}}, {"feed": {}}]})";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Instances, HaveStateOfTheirOwn) {
  const Case test = parse_case(counter).value();
  const auto expected = expected_runs(*find_profile("portable"), test);
  ASSERT_TRUE(expected) << expected.error().text();
  std::vector<int64_t> counts;
  for (const Expected& run : expected->later) counts.push_back(run.outputs.front().integers.front().value);
  EXPECT_THAT(counts, ElementsAre(11, 12, 12, 11, 13));
  const auto target = make_compiled_target("portable", {}).value();
  EXPECT_EQ(examine(*target, test).judgement.verdict, Verdict::Match);
}

TEST(Instances, AreReadAndWrittenAsTheCaseHasThem) {
  const Case test = parse_case(counter).value();
  EXPECT_EQ(to_json(parse_case(to_json(test)).value()), to_json(test));
  EXPECT_THAT(to_json(test), HasSubstr(R"({"instance":2,"feed":{}})"));
}

TEST(Instances, AreRefusedByPlaceAndReason) {
  const auto refusal = [](const std::string& text) {
    const auto read = parse_case(text, "c.json");
    return read ? "no error" : read.error().text();
  };
  EXPECT_THAT(refusal(with(counter, R"("instance": 2)", R"("instance": 64)")),
              HasSubstr("/runs/4/instance: instance 64 is none of 0 to 63"));
  EXPECT_THAT(refusal(with(counter, R"("instance": 2)", R"("instance": -1)")), HasSubstr("/runs/4/instance"));
  EXPECT_THAT(refusal(with(counter, R"("instance": 2)", R"("instance": "x")")), HasSubstr("/runs/4/instance"));
  EXPECT_THAT(refusal(with(counter, R"(["runs", "instances"])", R"(["runs"])")),
              HasSubstr("must name 'instances' in \"requires\""));
  EXPECT_THAT(refusal(with(counter, R"([{"feed": {}})", R"([{"instance": 0, "feed": {}})")),
              HasSubstr("the first run is on instance 0"));
}

TEST(Instances, BecomeOneWhereThatShowsTheSame) {
  const Case test = parse_case(counter).value();
  bool found = false;
  for (const Edit& edit : run_candidates(test, record_values)) {
    if (edit.what != "all runs on one instance") continue;
    found = true;
    EXPECT_EQ(edit.result.later.size(), 5U);
    EXPECT_TRUE(std::ranges::all_of(edit.result.later, [](const LaterRun& run) { return run.instance == 0; }));
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace parallax
