// The generated pages about bugs: their counts, and one system's page as golden text.
#include "reports/bug_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bug_text.h"
#include "tests/support/golden.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

FoundBug bug(const std::string& name, const std::map<std::string, std::string>& changes = {}) {
  auto read = parse_bug(name, bug_text(changes));
  EXPECT_TRUE(read) << read.error().text();
  return read ? *std::move(read) : FoundBug();
}

std::vector<FoundBug> some_bugs() {
  return {bug("view", {{"found_after", "28"}, {"releases", "[1.0 match, 1.1 mismatch, 1.2 mismatch]"}}),
          bug("bar", {{"title", "\"|-1| is -1\""},
                      {"aliasing", "[]"},
                      {"calls", "1"},
                      {"upstream", "[https://github.com/o/r/issues/7 (open), https://github.com/o/r/pull/8]"}}),
          bug("stop", {{"verdict", "crash"}, {"grade", "crash"}, {"silent", "false"}, {"calls", "5"}}),
          bug("old", {{"version", "0.9"}, {"fixed_in", "1.0"}, {"counted", "false"}}),
          bug("again", {{"counted", "false"}, {"same_cause_as", "view"}}),
          bug("other", {{"system", "another"}})};
}

TEST(BugPagesTest, OnlyCountedBugsAreCounted) {
  const auto bugs = some_bugs();
  const auto systems = bugs_by_system(bugs);
  ASSERT_EQ(systems.size(), 2U);
  EXPECT_EQ(systems[0].front()->system, "another");  // by name, whatever its case
  const BugCounts expected = {.causes = 3,
                              .silent = 2,
                              .aliasing = 2,
                              .with_thread = 1,
                              .median_calls = 2,
                              .by_grade = {2, 0, 0, 0, 1},
                              .fixed = 1,
                              .further = 1};
  EXPECT_EQ(count_bugs(systems[1]), expected);
  EXPECT_EQ(count_bugs({}), BugCounts());
}

TEST(BugPagesTest, TheMedianOfAnEvenNumberIsBetweenTwo) {
  const FoundBug one = bug("one", {{"calls", "1"}});
  const FoundBug two = bug("two");
  EXPECT_EQ(count_bugs({&one, &two}).median_calls, 1.5);
}

TEST(BugPagesTest, OnePageListsWhatASystemHas) {
  const auto pages = bug_pages(some_bugs());
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[2].path, "by-system/example-compiler.md");
  expect_golden(pages[2].text, "bugs_of_a_system.md");
}

TEST(BugPagesTest, TheOverviewHasTheTotals) {
  const GeneratedPage page = bug_pages(some_bugs()).front();
  EXPECT_EQ(page.path, "README.md");
  EXPECT_THAT(page.text, StartsWith("<!-- Generated from bugs/*.md by `parallax bugs write`; do not edit. -->\n"));
  EXPECT_THAT(page.text,
              HasSubstr("4 distinct causes in 2 systems. By [grade](#grades): 3 gross, 1 crash.\n3 of them"));
  EXPECT_THAT(
      page.text,
      HasSubstr("| [Example Compiler](by-system/example-compiler.md) | 3 | 2 |  |  |  | 1 | 2 | 2 | 1 | 1 | 1 |"));
  EXPECT_THAT(page.text, HasSubstr("| all | 4 | 3 |  |  |  | 1 | 3 | 2 | 1 | 1 | 1 |"));
}

}  // namespace
}  // namespace parallax
