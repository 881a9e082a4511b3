// The issue text as golden Markdown, and that no text of a finding changes its structure.
#include "corpus/issue_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "tests/support/golden.h"

namespace parallax {
namespace {

Finding sample() {
  auto test = parse_case(R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, 2]},
      "expect": [{"type": "f32[2]", "data": [-1, -2]}]})");
  EXPECT_TRUE(test) << test.error().text();
  Finding finding;
  finding.target = "torch-inductor";
  finding.verdict = Verdict::Mismatch;
  finding.original = finding.reduced = *test;
  finding.reason = "out[0] a: element 0: expected -1, got 1";
  finding.stage = "after aot_eager";
  finding.controls = {{"copies made a real op, x + 0", Verdict::Match}, {"on torch-aot-eager", Verdict::Mismatch}};
  finding.versions = {{"torch", "2.13.0"}};
  return finding;
}

IssueParts with_script(const std::string& script) {
  IssueParts parts;
  parts.script = script;
  return parts;
}

TEST(IssueText, IsWhatAMaintainerActsOn) {
  IssueParts parts = with_script("import sys\n");
  parts.brief = "import torch\n";
  parts.variants = "a = neg(x): fails for abs\n";

  expect_golden(issue_text(sample(), parts), "issue.md");
}

// Of a saved bug nothing was run: its signature is all that the case says, and people have told the rest.
TEST(IssueText, ASavedBugHasWhatItsScriptPrints) {
  Finding finding = sample();
  finding.reduced.expect = {};
  finding.controls.clear();
  finding.reason = finding.signature = "mismatch: neg of bytes is an int";
  IssueParts parts = with_script("import torch\n");
  parts.printed = "```\nexpected 255, actual -1\n```\n";
  parts.edits = "What makes it go away: a Cast.\n";
  parts.fix = "Keep the operand's dtype.\n";
  parts.releases = history_of("", {{"1.0", "match", false}, {"1.2", "mismatch", true}});
  const std::string text = issue_text(finding, parts);
  EXPECT_THAT(text, testing::HasSubstr("## Expected and actual\n\n```\nexpected 255"));
  EXPECT_THAT(text, testing::HasSubstr("## Variants\n\nWhat makes it go away: a Cast."));
  EXPECT_THAT(text, testing::HasSubstr("## Suggested fix\n\nKeep the operand's dtype.\n"));
  EXPECT_THAT(text, testing::HasSubstr("- Releases: wrong since 1.2; not fixed in 1.2\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("mismatch: neg of bytes is an int")));
  finding.reason = "the worker died: SIGABRT";
  parts.frames = "thread panicked at eval.rs:12\n";
  EXPECT_THAT(issue_text(finding, parts), testing::HasSubstr("Where it happens:\n\n```\nthread panicked"));
}

TEST(IssueText, WhatIsNotKnownHasNoSection) {
  Finding finding = sample();
  finding.stage.clear();
  finding.controls.clear();
  const std::string text = issue_text(finding, with_script("import torch\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("## Diagnosis")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("## Variants")));
}

TEST(IssueText, WhatIsKnownOfVersionsAndOfBugsLikeItIsSaid) {
  Finding finding = sample();
  finding.environment = "PyTorch version: 2.13.0\n";
  finding.releases = VersionHistory{"torch", "2.9.0", "", true, {{"2.13.0", "mismatch", true}}};
  IssueParts parts = with_script("import torch\n");
  parts.nearest = "`neg of bytes`";
  parts.title = "neg of bytes is an int";
  parts.reasons = "C++ promotes it.\n";
  const std::string text = issue_text(finding, parts);
  EXPECT_THAT(text, testing::HasSubstr("Of the output of `python -m torch.utils.collect_env`:\n\n```\n"
                                       "PyTorch version: 2.13.0\n```\n"));
  EXPECT_THAT(text, testing::StartsWith("# `torch-inductor`: neg of bytes is an int\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n## Why\n\nC++ promotes it.\n"));
  EXPECT_THAT(text, testing::HasSubstr("- Releases: wrong since 2.9.0; not fixed in 2.13.0\n"));
  EXPECT_THAT(text, testing::HasSubstr("another bug than the nearest one that is known, `neg of bytes`.\n"));
}

TEST(IssueText, ACauseIsInTheTitle) {
  Finding finding = sample();
  finding.cause = "alias overwritten";
  finding.blame = "planner";
  EXPECT_THAT(issue_text(finding, {}),
              testing::StartsWith("# `torch-inductor` gives wrong values for `neg`: alias overwritten (planner)\n"));
  finding.cause = "";
  finding.controls.clear();
  finding.verdict = Verdict::InternalError;
  finding.reason = "IndexError: out of range\nmore";
  EXPECT_THAT(
      issue_text(finding, {}),
      testing::StartsWith("# `torch-inductor` gives an internal error for `neg`: `IndexError: out of range`\n"));
}

TEST(IssueText, WithoutAScriptItHasTheProgramAndItsInputs) {
  IssueParts parts;
  parts.how = "Run it.";
  const std::string text = issue_text(sample(), parts);
  EXPECT_THAT(text, testing::HasSubstr("## Reproducer\n\nRun it.\n"));
  EXPECT_THAT(text, testing::HasSubstr("x: f32[2] [1, 2]\n"));
}

TEST(IssueText, NothingBreaksOutOfItsCode) {
  EXPECT_EQ(markdown_block("a\n````\n# b", "python"), "`````python\na\n````\n# b\n`````\n");
  EXPECT_EQ(markdown_code("a`b``c"), "```a`b``c```");
  EXPECT_EQ(markdown_code("`"), "`` ` ``");
  Finding finding = sample();
  finding.target = "x`\n# y";
  finding.reason = "```\n@everyone";
  finding.stage = "`<script>";
  const std::string text = issue_text(finding, with_script("'''```'''"));
  EXPECT_THAT(text, testing::StartsWith("# ``x` # y`` gives wrong values for `neg`, and right ones with"));
  EXPECT_THAT(text, testing::HasSubstr("````\n```\n@everyone\n"));
  EXPECT_THAT(text, testing::HasSubstr("The first stage that differs: `` `<script> ``"));
  EXPECT_THAT(text, testing::HasSubstr("````python\n'''```'''\n````\n"));
}

}  // namespace
}  // namespace parallax
