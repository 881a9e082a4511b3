// The page of a findings folder: whole, whatever it is made of, and a text never more than a text.
#include "reports/campaign_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "reports/first_screen.h"
#include "tests/reports/well_formed.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::xml_error;

constexpr const char* hostile = R"("><script>alert(1)</script><!-- ]]> ' & \)";

Case hostile_case() {
  Case test = *parse_case(
      R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[1]"}}, "nodes": [
        {"out": "a", "op": "aten.div.Tensor_mode", "args": ["%x", "%x"], "kwargs": {"rounding_mode": "floor"}}],
        "outputs": ["%a"]}, "feed": {"x": [1]}})");
  test.name = hostile;
  return test;
}

FindingReport hostile_finding() {
  FindingReport report;
  Finding& finding = report.finding;
  finding.id = finding.target = finding.signature = finding.reason = finding.explanation = hostile;
  finding.stage = finding.blame = hostile;
  finding.planted = {hostile};
  report.issue = hostile;
  report.relations = {hostile};
  finding.versions = {{hostile, hostile}};
  finding.controls = {{hostile, Verdict::Match}};
  finding.original = finding.reduced = hostile_case();
  report.script = report.command = report.found_at = hostile;
  report.before.missing = report.after.missing = hostile;
  Rerun& rerun = report.rerun.emplace();
  rerun.verdict = Verdict::Mismatch;
  rerun.reason = rerun.detail = hostile;
  rerun.stages = {{hostile, hostile, true, {hostile}}};
  rerun.tensors = {{.run = {},
                    .place = {PlaceKind::Output, 0, hostile},
                    .type = hostile,
                    .total = 1,
                    .outside = 1,
                    .undecided = 0,
                    .other = "",
                    .rows = {{hostile, hostile, hostile, hostile, hostile, ElementState::Outside}}},
                   {.run = {}, .place = {PlaceKind::Input, 0, hostile}, .type = hostile, .other = hostile, .rows = {}}};
  rerun.arena =
      ArenaStory{hostile, {hostile, hostile}, {0, -1}, {{hostile, 0, 8, 0, 1}, {"b", 0, 4, 1, 1}}, {{0, 0, 1, 2}}, 8};
  return report;
}

FolderReport hostile_folder() {
  FolderReport report;
  report.folder = report.since = report.made = report.version = hostile;
  CampaignReport campaign;
  campaign.begun = campaign.profile = hostile;
  campaign.planted = {hostile};
  campaign.lanes = {{hostile, 10, 9, 0.5, {9, 1}, {0, 7}}};
  report.campaigns = {campaign};
  CoverageRow row{hostile, {}};
  row.cells[0] = {true, 1200, 3, {hostile}};
  row.cells[1].possible = true;
  OpCells cells{hostile, {}};
  cells.cells[0] = CellCase{hostile, hostile, hostile, hostile};
  report.coverage = CoverageReport{10, {{hostile, 3}}, {row}, {cells}};
  report.findings = {hostile_finding()};
  report.gone = {hostile_finding().finding};
  report.broken = {Error{ErrorKind::Invalid, hostile, "", hostile}};
  return report;
}

TEST(CampaignReportTest, HostileTextsStayTexts) {
  FolderReport report = hostile_folder();
  set_anchors(report.findings);
  const std::string page = campaign_page(report);
  EXPECT_EQ(xml_error(page), "");
  EXPECT_FALSE(page.contains("<script>alert")) << "the page holds " << "<script>alert";
  EXPECT_TRUE(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
  // The one script that the policy names.
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>"));
  EXPECT_TRUE(page.contains("script-src &#39;sha256-"));
}

TEST(CampaignReportTest, WhatIsNotKnownIsSaid) {
  FolderReport report;
  report.folder = "empty";
  std::string page = campaign_page(report);
  EXPECT_EQ(xml_error(page), "");
  EXPECT_TRUE(page.contains("None: nothing diverged."));
  EXPECT_TRUE(page.contains("is not recorded in this folder"));
  FindingReport& finding = report.findings.emplace_back();
  finding.finding.id = "AB";
  finding.not_rerun = "it is elsewhere";
  page = campaign_page(report);
  EXPECT_EQ(xml_error(page), "");
  EXPECT_TRUE(page.contains("Elements, memory and stages are not shown, since it is elsewhere."));
  for (const char* heading : {"Expected, got and bound", "Memory", "Stages and detectors", "Controls", "Jury"}) {
    EXPECT_FALSE(page.contains(std::string("<h3>") + heading)) << heading << " without data";
  }
}

TEST(CampaignReportTest, NothingIsAskedOfANetwork) {
  const std::string page = campaign_page(hostile_folder());
  for (const char* part : {" src=", "<link", "@import", "url("})
    EXPECT_FALSE(page.contains(part)) << "the page holds " << part;
}

Finding wrong_finding(const std::string& id, const std::string& target) {
  Finding finding;
  finding.id = id;
  finding.target = target;
  finding.signature = "mismatch | " + target + " | planner | alias overwritten";
  finding.reason = "A: out[0] a element 0: expected 1 got 2";
  finding.reduced = finding.original = hostile_case();
  return finding;
}

// Two targets that show one cause are one card; another cause is another.
TEST(CampaignReportTest, ACauseIsOneCard) {
  FolderReport report;
  for (const auto& [id, target] : {std::pair("A1", "portable"), std::pair("B2", "xnnpack")}) {
    report.findings.emplace_back().finding = wrong_finding(id, target);
  }
  report.findings.emplace_back().finding = wrong_finding("C3", "portable");
  report.findings.back().finding.signature = "crash | portable | abort";
  set_anchors(report.findings);
  const std::string page = campaign_page(report);
  EXPECT_EQ(xml_error(page), "");
  const auto count = [&](const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = page.find(part, at)) != std::string::npos; ++at) ++times;
    return times;
  };
  EXPECT_EQ(count("<li data-target="), 2U);
  EXPECT_EQ(count("1 more with this cause"), 1U);
  EXPECT_TRUE(page.contains("data-target=\"portable|xnnpack\""));
  EXPECT_TRUE(page.contains("data-op=\"aten.div.Tensor_mode\""));
}

TEST(CampaignReportTest, AFindingBeginsWithASentence) {
  FindingReport report;
  report.finding = wrong_finding("A1", "portable");
  EXPECT_EQ(wrong_sentence(report), "Gives wrong values: A: out[0] a element 0: expected 1 got 2");
  report.rerun.emplace().tensors = {{.run = {},
                                     .place = {PlaceKind::Output, 0, "a"},
                                     .type = "f32[2]",
                                     .total = 2,
                                     .outside = 1,
                                     .undecided = 0,
                                     .other = "",
                                     .rows = {{"[0]", "1", "", "2", "8.4e+06", ElementState::Outside}}}};
  EXPECT_EQ(wrong_sentence(report), "out[0] a, element [0], is 2 and should be 1. 1 of 2 elements is wrong.");
  report.finding.verdict = Verdict::Hang;
  report.rerun.reset();
  report.finding.reason = "";
  EXPECT_EQ(wrong_sentence(report), "Does not end");
}

TEST(CampaignReportTest, AnchorsAreOneOfAKind) {
  std::vector<FindingReport> findings(3);
  findings[0].finding.id = findings[1].finding.id = "7KQ2";
  findings[2].finding.id = "a\"b";
  set_anchors(findings);
  EXPECT_EQ(findings[0].anchor, "f-7KQ2");
  EXPECT_EQ(findings[1].anchor, "f-7KQ2-2");
  EXPECT_EQ(findings[2].anchor, "f-a-b");
}

TEST(CampaignReportTest, CoverageBeginsWithWhatWasNeverDrawnAndOpensCases) {
  FolderReport report;
  CoverageRow full{"a.full", {}}, open{"b.open", {}}, hole{"c.hole", {}};
  full.cells[0] = {true, 50, 0, {}};
  open.cells[0] = {true, 50, 4, {}};
  hole.cells[0] = {true, 50, 0, {}};
  hole.cells[1].possible = true;
  OpCells cells{"c.hole", {}};
  cells.cells[1] = CellCase{"Never drawn.", "a = hole(x)", "", "parallax gen --op c.hole"};
  report.coverage = CoverageReport{10, {}, {full, open, hole}, {cells}};
  const std::string page = campaign_page(report);
  EXPECT_EQ(xml_error(page), "");
  const auto row = [&](const char* op) { return page.find(std::string("<th scope=\"row\">") + op); };
  EXPECT_LT(row("c.hole"), row("b.open"));
  EXPECT_LT(row("b.open"), row("a.full"));
  EXPECT_TRUE(page.contains(">50 ?4</td>"));
  const std::string anchor = "c-c-hole-" + std::string(name(static_cast<DType>(1)));
  EXPECT_TRUE(page.contains("href=\"#" + anchor + "\""));
  EXPECT_TRUE(page.contains("<section id=\"" + anchor + "\""));
}

TEST(CampaignReportTest, AFindingThatIsNotRunAgainShowsWhatWasKept) {
  FolderReport report;
  FindingReport& entry = report.findings.emplace_back();
  entry.finding = wrong_finding("A1", "tract");
  entry.finding.releases = VersionHistory{"tract", "0.23.1", "", true, {{"0.23.1", "mismatch", true}}};
  entry.not_rerun = "it is elsewhere";
  entry.nearest = "a gather of nothing (bugs/x.md)";
  entry.nearest_url = "https://example.org/1";
  entry.rerun.emplace().verdict = Verdict::Mismatch;
  entry.rerun->detail = "thread 'main' panicked at a.rs:1:\nwhy\n";
  set_anchors(report.findings);
  const std::string page = campaign_page(report);
  EXPECT_EQ(xml_error(page), "");
  for (const char* part : {"as they were when it was found, since it is elsewhere", "wrong since 0.23.1",
                           "<h3>Releases", "a gather of nothing", "https://example.org/1", "panicked at a.rs"})
    EXPECT_TRUE(page.contains(part)) << part;
}

TEST(ArenaStoryTest, ALongProgramIsCutAroundTheClash) {
  ArenaStory story;
  for (int i = 0; i < 200; ++i) {
    story.steps.push_back("step");
    story.blocks.push_back({"v" + std::to_string(i), 8 * (i % 5), 8, i, i + 3});
  }
  story.clashes = {{150, 150, 152, 153}};
  Html html;
  draw_arena(html, story, "label");
  const std::string drawing = html.take();
  EXPECT_EQ(xml_error(drawing), "");
  EXPECT_THAT(drawing, HasSubstr("#152"));
  EXPECT_THAT(drawing, HasSubstr("slot victim"));
  EXPECT_THAT(drawing, Not(HasSubstr("#10<")));
}

}  // namespace
}  // namespace parallax
