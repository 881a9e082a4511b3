// parallax bugs: its filters, and the exit codes of check and write.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/bug_text.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

class BugsCommand : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    std::filesystem::create_directories(folder_ / "bugs");
    std::filesystem::create_directories(folder_ / "corpus/cases/found");
    for (const char* file : {"corpus/cases/found/a.json", "corpus/cases/found/a-control.json", "bugs/a.py",
                             "bugs/false-alarms.jsonl", "bugs/rediscovery.jsonl", "bugs/rates.jsonl"}) {
      write(file, "");
    }
    write("bugs/a.md", bug_text());
    write(
        "bugs/b.md",
        bug_text(
            {{"system", "Other"}, {"verdict", "crash"}, {"grade", "crash"}, {"silent", "false"}, {"aliasing", "[]"}}));
  }
};

TEST_F(BugsCommand, FiltersWhatItLists) {
  EXPECT_EQ(run("bugs --bugs bugs --silent").out,
            "a  Example Compiler 1.2  gross, mismatch, silent, views\n    a view is left out\n");
  EXPECT_EQ(run("bugs --bugs bugs --aliasing").out, run("bugs --bugs bugs --silent").out);
  EXPECT_EQ(run("bugs --bugs bugs --verdict crash").out, "b  Other 1.2  crash, crash\n    a view is left out\n");
  EXPECT_EQ(run("bugs --bugs bugs --grade crash").out, run("bugs --bugs bugs --verdict crash").out);
  const Ran json = run("bugs --bugs bugs --system example-compiler --json");
  const auto rows = nlohmann::json::parse(json.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["name"], "a");
}

TEST_F(BugsCommand, RefusesWhatNoBugHas) {
  const Ran system = run("bugs --bugs bugs --system example");
  EXPECT_EQ(system.code, 2);
  EXPECT_EQ(system.err,
            "parallax: --system example: no bug is of this system; there are example-compiler, other; did you mean "
            "'example-compiler'?\n");
  EXPECT_EQ(run("bugs --bugs bugs --verdict match").code, 2);
}

TEST_F(BugsCommand, ChecksWhatItWrites) {
  const Ran stale = run("bugs check --bugs bugs");
  EXPECT_EQ(stale.code, 2);
  EXPECT_THAT(stale.err,
              HasSubstr("parallax: bugs/README.md: the generated page is missing; run parallax bugs write\n"));
  EXPECT_EQ(run("bugs write --bugs bugs").code, 0);
  EXPECT_EQ(run("bugs check --bugs bugs").out, "2 bugs, 5 generated pages: all right\n");
  write("bugs/b.md", "no front matter\n");
  const Ran broken = run("bugs check --bugs bugs");
  EXPECT_EQ(broken.code, 2);
  EXPECT_EQ(broken.err, "parallax: bugs/b.md: line 1: front matter is missing: '---' is expected\n");
  EXPECT_EQ(run("bugs write --bugs bugs").code, 2);
  EXPECT_EQ(run("bugs --bugs bugs").code, 2);
}

// A system without an emitter of scripts has the one of the bug's page.
TEST_F(BugsCommand, TheIssueOfASavedBugHasItsScript) {
  const Ran ran = run("export corpus/cases/found/tract-celu-leaves-out-alpha.json --to issue");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::StartsWith("# `tract`: "));
  EXPECT_THAT(ran.out, HasSubstr("\n## Why\n"));
  EXPECT_THAT(ran.out, HasSubstr("Exit code 1 where it shows.\n\n```python\n"));
  EXPECT_THAT(ran.out, HasSubstr("import tract"));
}

// In place of the harness that is emitted for any case of PyTorch's family.
TEST_F(BugsCommand, TheIssueOfASavedBugHasItsSuggestedFix) {
  const Ran ran = run("export corpus/cases/found/thunder-copy-of-fewer-elements.json --to issue");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n## Suggested fix\n\n`_copy_`"));
  EXPECT_THAT(ran.out, HasSubstr("sys.exit(2 if control else 1 if bug else 0)"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("**")));
}

}  // namespace
}  // namespace parallax
