#include "reports/found_bug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/bug_text.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;

TEST(FoundBugTest, EachFieldIsRead) {
  const auto bug =
      parse_bug("a", bug_text({{"title", "\"a view: lost\""},
                               {"fixed_in", "1.3"},
                               {"differs_in", "sizes"},
                               {"aliasing", "[views, in-place]"},
                               {"found_by", "parallax fuzz --target example"},
                               {"found_after", "12"},
                               {"found_note", "as a crash"},
                               {"upstream", "[https://github.com/o/r/issues/7 (open), https://x.org/y]"}}));
  ASSERT_TRUE(bug) << bug.error().text();
  EXPECT_EQ(bug->name, "a");
  EXPECT_EQ(bug->title, "a view: lost");
  EXPECT_EQ(bug->fixed_in, "1.3");
  EXPECT_EQ(bug->verdict_text(), "mismatch of sizes, silent");
  EXPECT_THAT(bug->aliasing, ElementsAre("views", "in-place"));
  EXPECT_EQ(bug->calls, 2);
  EXPECT_EQ(bug->found_after, 12);
  ASSERT_EQ(bug->upstream.size(), 2U);
  EXPECT_EQ(bug->upstream[0].label(), "o/r#7");
  EXPECT_EQ(bug->upstream[0].remark, "open");
  EXPECT_EQ(bug->upstream[1].label(), "https://x.org/y");
  EXPECT_EQ(bug->script, "bugs/a.py");
  EXPECT_EQ(bug->text, "\nWhy it is wrong.\n");
  const Json json = bug_json(*bug);
  EXPECT_EQ(json["upstream"][0]["url"], "https://github.com/o/r/issues/7");
  EXPECT_EQ(json["verdict"], "mismatch");
  EXPECT_EQ(json["found_after"], 12);
}

TEST(FoundBugTest, TheOldestReleaseThatHasItIsReadOffItsReleases) {
  const auto since = [](const char* releases) {
    const auto bug = parse_bug("a", bug_text({{"releases", releases}}));
    return bug ? bug->since() : bug.error().reason;
  };
  EXPECT_EQ(since("[1.0 match, 1.1 mismatch, 1.2 mismatch]"), "1.1");
  EXPECT_EQ(since("[1.0 mismatch, 1.2 mismatch]"), "1.0 or before");
  EXPECT_EQ(since("[1.2 mismatch]"), "");
}

TEST(FoundBugTest, WhatIsNotKnownIsNull) {
  const auto bug = parse_bug("a", bug_text());
  ASSERT_TRUE(bug) << bug.error().text();
  EXPECT_TRUE(bug_json(*bug)["found_after"].is_null());
  EXPECT_TRUE(bug->upstream.empty());
}

TEST(FoundBugTest, ASystemsNameIsPartOfAFilesName) {
  EXPECT_EQ(system_slug("onnx (reference evaluator)"), "onnx-reference-evaluator");
  EXPECT_EQ(system_slug("torch.compile"), "torch-compile");
  EXPECT_EQ(system_slug("Core ML Tools"), "core-ml-tools");
}

struct Broken {
  const char* field;
  const char* value;
  const char* reason;
};

class BrokenBug : public testing::TestWithParam<Broken> {};

TEST_P(BrokenBug, IsNamedByItsField) {
  const auto bug = parse_bug("a", bug_text({{GetParam().field, GetParam().value}}));
  ASSERT_FALSE(bug);
  EXPECT_EQ(bug.error().reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BrokenBug,
    testing::Values(
        Broken{"title", "", "field 'title' is missing"}, Broken{"script", "", "field 'script' is missing"},
        Broken{"colour", "red", "field 'colour' is unknown"},
        Broken{"title", "[a]", "field 'title': a text is expected, not a list"},
        Broken{"title", "\"\"", "field 'title': the text is empty"},
        Broken{"verdict", "match", "field 'verdict': 'match' is no verdict that is a finding"},
        Broken{"verdict", "wrong", "field 'verdict': 'wrong' is no verdict that is a finding"},
        Broken{"verdict", "crash", "field 'silent': only a mismatch is silent"},
        Broken{"grade", "fair", "field 'grade': 'fair' is no grade"},
        Broken{"grade", "crash", "field 'grade': what is silent is neither refused nor a crash"},
        Broken{"packages", "torch", "field 'packages': a list of packages is expected: [torch==2.13.0]"},
        Broken{"silent", "yes", "field 'silent': 'yes' is none of false, true"},
        Broken{"differs_in", "values", "field 'differs_in': 'values' is none of sizes, dtypes"},
        Broken{"aliasing", "views", "field 'aliasing': a list is expected: [], [views]"},
        Broken{"aliasing", "[view]", "field 'aliasing': 'view' is none of views, in-place, state, shared-memory"},
        Broken{"calls", "\"-1\"", "field 'calls': '-1' is no count"},
        Broken{"found_after", "2 s", "field 'found_after': '2 s' is no count"},
        Broken{"found_how", "luck", "field 'found_how': 'luck' is none of campaign, by hand, conformance"},
        Broken{"upstream", "none", "field 'upstream': 'none known' or a list of links is expected"},
        Broken{"upstream", "[]", "field 'upstream': 'none known' or a list of links is expected"},
        Broken{"upstream", "[o/r#7]", "field 'upstream': 'o/r#7' begins with no https:// link"},
        Broken{"upstream", "[https://x.org open]", "field 'upstream': what follows a link is a remark in parentheses"},
        Broken{"releases", "1.2", "field 'releases': a list is expected: [1.17.0 match, 1.20.1 mismatch]"},
        Broken{"releases", "[1.2]",
               "field 'releases': '1.2' is no release with a verdict that decides: '1.17.0 match'"},
        Broken{"releases", "[1.2 undecided]",
               "field 'releases': '1.2 undecided' is no release with a verdict that decides: '1.17.0 match'"},
        Broken{"releases", "[1.2 mismatch, 1.0 match]", "field 'releases': releases go from old to new"},
        Broken{"releases", "[1.0 mismatch, 1.3 mismatch]",
               "field 'releases': 1.2 is to be among them, with a verdict that is a finding"},
        Broken{"searched", "maybe", "field 'searched': 'maybe' is none of yes, no, unknown"},
        Broken{"counted", "false", "field 'counted': false needs 'same_cause_as' or 'fixed_in'"},
        Broken{"same_cause_as", "b", "field 'same_cause_as': a bug that is counted has a cause of its own"}));

}  // namespace
}  // namespace parallax
