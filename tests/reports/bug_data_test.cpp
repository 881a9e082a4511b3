// The data beside the bugs: campaigns without false alarms, and measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/false_alarms.h"
#include "reports/measurements.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

constexpr const char* three_campaigns =
    R"({"date": "2026-01-01", "targets": {"a": {"seconds": 100}, "b": {"seconds": 100}}, "graphs": 9, "findings": 2, "ours": 1, "ours_on": ["a"]}
{"date": "2026-01-02", "targets": {"a": {"seconds": 60, "graphs": 5}, "b": {"seconds": 90, "graphs": 6}}, "ours": 0}

{"date": "2026-01-03", "seed": 7, "targets": {"a": {"seconds": 30}}, "graphs": 4, "findings": 0, "ours": 0, "note": "a | b"}
)";

TEST(FalseAlarms, ARunCountsSinceTheLastOne) {
  const auto campaigns = parse_examined("f", three_campaigns);
  ASSERT_TRUE(campaigns) << campaigns.error().text();
  const auto runs = clean_runs(*campaigns);
  EXPECT_EQ(runs.at("a").campaigns, 2);
  EXPECT_EQ(runs.at("a").seconds, 90);
  EXPECT_EQ(runs.at("a").graphs, 9);  // the total of a campaign with one target is that target's
  EXPECT_FALSE(runs.at("a").graphs_missing);
  EXPECT_EQ(runs.at("a").last_alarm, "2026-01-01");
  EXPECT_EQ(runs.at("b").seconds, 190);
  EXPECT_EQ(runs.at("b").graphs, 6);
  EXPECT_TRUE(runs.at("b").graphs_missing);
  EXPECT_EQ(runs.at("b").last_alarm, "");
}

TEST(FalseAlarms, ACampaignThatNobodyLookedAtMayHideOne) {
  const auto campaigns = parse_examined("f", R"({"targets": {"a": {"seconds": 60}}, "ours": 0}
{"targets": {"a": {"seconds": 60}}, "unexamined_on": ["a"]}
{"targets": {"a": {"seconds": 30}}, "ours": 0})");
  ASSERT_TRUE(campaigns) << campaigns.error().text();
  EXPECT_EQ(clean_runs(*campaigns).at("a").seconds, 30);
}

TEST(FalseAlarms, ThePageHasBothTables) {
  const GeneratedPage page = false_alarm_page(*parse_examined("f", three_campaigns));
  EXPECT_THAT(page.text, HasSubstr("| `b` | 2 | 3 | at least 6 |  |"));
  EXPECT_THAT(page.text, HasSubstr("| 2026-01-02 |  |  | 2 | 60 to 90 |  |  | 0 |  |  |  |"));
  EXPECT_THAT(page.text, HasSubstr("| 2026-01-03 |  | 7 | a | 30 | 4 | 0 | 0 |  |  | a \\| b |"));
}

TEST(Examined, ABrokenLineCostsThatLine) {
  std::vector<Error> broken;
  const auto campaigns =
      parse_examined("f", "{\"targets\": {\"a\": {}}}\nnonsense\n{\"targets\": {\"b\": {}}}\n", &broken);
  ASSERT_TRUE(campaigns);
  EXPECT_EQ(campaigns->size(), 2U);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].file, "f:2");
}

struct Broken {
  const char* line;
  const char* error;
};

class BrokenExamined : public testing::TestWithParam<Broken> {};

TEST_P(BrokenExamined, IsNamedByFileAndLine) {
  const auto campaigns = parse_examined("bugs/false-alarms.jsonl", GetParam().line);
  ASSERT_FALSE(campaigns);
  EXPECT_EQ(campaigns.error().text(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BrokenExamined,
    testing::Values(Broken{"[]", "bugs/false-alarms.jsonl:1: must be an object"},
                    Broken{"{}", "bugs/false-alarms.jsonl:1: 'targets' is missing or empty"},
                    Broken{"\n{\"targets\": {}}", "bugs/false-alarms.jsonl:2: 'targets' is missing or empty"},
                    Broken{R"({"target": "a"})",
                           "bugs/false-alarms.jsonl:1: /target: 'target' is no member of an examined campaign"},
                    Broken{R"({"targets": {"a": {"hours": 1}}})",
                           "bugs/false-alarms.jsonl:1: /targets/a/hours: 'hours' is no member of a target"},
                    Broken{R"({"targets": {"a": {}}, "graphs": -1})",
                           "bugs/false-alarms.jsonl:1: /graphs: a count is not below 0"},
                    Broken{R"({"targets": {"a": {}}, "ours": 1})", "bugs/false-alarms.jsonl:1: 'ours_on' is missing"},
                    Broken{R"({"targets": {"a": {}}, "ours": 0, "ours_on": ["a"]})",
                           "bugs/false-alarms.jsonl:1: 'ours' is less than the number of targets in 'ours_on'"},
                    Broken{R"({"targets": {"a": {}}, "ours": 1, "ours_on": ["b"]})",
                           "bugs/false-alarms.jsonl:1: 'ours_on' names 'b', which is none of 'targets'"}));

TEST(Measurements, EachLineIsARow) {
  const auto page = measurement_page(
      R"({"date": "2026-01-01", "bug": "S1", "target": "a", "seed": 12, "found_after": 37})",
      R"({"date": "2026-01-01", "target": "a", "known_calls": "avoided", "new_per_hour": 5, "silent_per_hour": 0})"
      "\n"
      R"({"date": "2026-01-02", "commit": "0123abcd", "target": "a", "profile": "alias", "known_calls": "avoided", )"
      R"("new_per_hour": 6, "silent_per_hour": 1})");
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_THAT(page->text, HasSubstr("| 2026-01-01 | S1 | a |  | 12 | 37 |  |  |  |  |"));
  EXPECT_THAT(page->text, HasSubstr("| 2026-01-01 |  | a |  |  |  | avoided |  | 5 | 0 |"));
  EXPECT_THAT(page->text, HasSubstr("| 2026-01-02 | 0123abcd | a | alias |  |  | avoided |  | 6 | 1 |"));
}

TEST(Measurements, ABrokenLineIsNamed) {
  EXPECT_EQ(measurement_page(R"({"speed": 1})", "").error().text(),
            "rediscovery.jsonl:1: /speed: 'speed' is no member of a measurement");
  EXPECT_EQ(measurement_page("", R"({"date": "d", "target": "a"})").error().file, "rates.jsonl:1");
}

}  // namespace
}  // namespace parallax
