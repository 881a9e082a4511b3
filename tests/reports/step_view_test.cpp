// The step view and the pages' tables: what the script marks together is there in the markup, and reads without it.
#include "reports/step_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "reports/check_page.h"
#include "reports/error_map.h"
#include "tests/reports/well_formed.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::xml_error;

Case two_steps() {
  return *parse_case(R"({"parallax": 1, "name": "two", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "b", "op": "aten.exp.default", "args": ["%a"]}],
      "outputs": ["%b"]}, "feed": {"x": [1, 2]}})");
}

ValueErrors errors_of_two() {
  ValueErrors errors;
  errors.eager_from = "pytorch-eager";
  errors.rows = {{.node = NodeId(0),
                  .name = "a",
                  .type = "f32[2]",
                  .target = 0.0,
                  .eager = 0.0,
                  .place = "[0]",
                  .wanted = "-1",
                  .got = "-1",
                  .held = "[-1, -2]"},
                 {.node = NodeId(1),
                  .name = "b",
                  .type = "f32[2]",
                  .target = 4e6,
                  .eager = 0.25,
                  .place = "[1]",
                  .wanted = "0.135335283",
                  .got = "0.5",
                  .held = "[0.3, 0.5]"}};
  return errors;
}

FindingReport report_of_two() {
  FindingReport report;
  report.finding.target = "portable";
  report.finding.reduced = report.finding.original = two_steps();
  report.after.svg = "<svg class=\"graph\"></svg>";
  report.rerun.emplace().errors = errors_of_two();
  return report;
}

std::string written(const FindingReport& report) {
  Html html;
  write_step_view(html, report);
  return html.take();
}

TEST(StepView, AStepIsANodeAndAValue) {
  const std::string view = written(report_of_two());
  EXPECT_EQ(xml_error("<div>" + view + "</div>"), "");
  EXPECT_THAT(view, HasSubstr("<li data-step=\"0\" data-node=\"0\"><code>a = neg(x)"));
  EXPECT_THAT(view, HasSubstr("b holds [0.3, 0.5], 4e+06 ulp off at [1]: 0.135335283 in double"));
  EXPECT_THAT(view, HasSubstr("data-until=\"1\""));  // the first value that is off where eager's is not
}

TEST(StepView, StepsOfTheArenaNameTheirSlots) {
  FindingReport report = report_of_two();
  ArenaStory& story = report.rerun->arena.emplace();
  story.steps = {"a = neg(x)", "a_copy = clone(a)", "b = exp(a_copy)"};
  story.nodes = {0, 0, 1};
  story.blocks = {{"a", 0, 8, 0, 2}, {"b", 0, 8, 1, 3}};
  story.clashes = {{.block = 0, .written_by = 0, .overwritten_by = 1, .read_by = 2}};
  const std::string view = written(report);
  EXPECT_EQ(xml_error("<div>" + view + "</div>"), "");
  EXPECT_THAT(view, HasSubstr("data-until=\"1\""));
  EXPECT_THAT(view, HasSubstr("data-first=\"0\" data-last=\"2\""));
  EXPECT_THAT(view, HasSubstr("data-at=\"1\""));
  EXPECT_THAT(view, HasSubstr("<li data-step=\"1\" data-node=\"0\">"));
}

TEST(StepView, TheLegendHasWhatThePictureHas) {
  FindingReport report = report_of_two();
  report.after.svg = "<svg class=\"graph\"><g class=\"node write n0\"></g></svg>";
  EXPECT_THAT(written(report), HasSubstr("<span class=\"write\">writes in place</span>"));
  EXPECT_THAT(written(report), Not(HasSubstr("shares memory")));
}

// Of a system that tells nothing of its steps the page has the graph, and no empty step view.
TEST(StepView, IsAbsentWhereNothingIsKnownOfTheSteps) {
  FindingReport report = report_of_two();
  const auto page = [&] {
    Html html;
    write_finding(html, report);
    return html.take();
  };
  EXPECT_THAT(page(), HasSubstr("Step by step"));
  report.rerun.reset();
  EXPECT_THAT(page(), Not(HasSubstr("Step by step")));
  EXPECT_THAT(page(), Not(HasSubstr("The steps, and what each makes")));
  EXPECT_THAT(page(), HasSubstr("<h3>Graph</h3>"));
}

TEST(ErrorMap, HasTheNumbersInATableAndTheWorstInWords) {
  Html html;
  write_error_table(html, errors_of_two());
  const std::string table = html.take();
  EXPECT_THAT(table, HasSubstr("<tr data-node=\"1\">"));
  EXPECT_THAT(table, HasSubstr("<td class=\"number e4\">4e+06 ulp</td>"));
  EXPECT_THAT(table, HasSubstr("<td class=\"number e0\">0.25 ulp</td>"));
  EXPECT_THAT(table, HasSubstr("eager: pytorch-eager"));
  EXPECT_EQ(error_words(errors_of_two()), "Coloured by error: the farthest is b, 4e+06 ulp where eager has 0.25 ulp.");
  EXPECT_EQ(error_words({}), "");
}

TEST(CheckPage, ShowsEachTargetsGraphByError) {
  CheckReport report{"two <b>", "today", "0", "graph", {}};
  report.targets.push_back({"portable",
                            Verdict::Mismatch,
                            "b is wrong",
                            "more",
                            errors_of_two(),
                            "The graph, 2 nodes",
                            {"<svg class=\"graph\"></svg>", ""}});
  report.targets.push_back({"xnnpack", Verdict::Match, "", "", std::nullopt, "", {}});
  const std::string page = check_page(report);
  EXPECT_EQ(xml_error(page), "");
  EXPECT_THAT(page, HasSubstr("Check of two &lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("<span class=\"e4\">more</span>"));  // the legend
  EXPECT_THAT(page, HasSubstr("4e+06 ulp"));
  EXPECT_THAT(page, HasSubstr("The graph is not coloured by error"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
}

}  // namespace
}  // namespace parallax
