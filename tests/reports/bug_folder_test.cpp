// The folder of bugs: each fault that a check names, and that writing mends what is stale.
#include "reports/bug_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "graph/text_file.h"
#include "tests/support/bug_text.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BugFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    for (const char* file : {"corpus/cases/found/a.json", "corpus/cases/found/a-control.json", "bugs/a.py",
                             "bugs/false-alarms.jsonl", "bugs/rediscovery.jsonl", "bugs/rates.jsonl"}) {
      write(file, "");
    }
    write("bugs/a.md", bug_text());
    ASSERT_TRUE(write_bug_pages(read()));
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    ASSERT_TRUE(write_text_file(root_ / file, text));
  }
  BugFolder read() const {
    auto folder = read_bug_folder(root_ / "bugs");
    EXPECT_TRUE(folder) << folder.error().text();
    return folder ? *std::move(folder) : BugFolder();
  }
  std::vector<std::string> faults() const {
    std::vector<std::string> lines;
    for (const Error& error : check_bug_folder(read())) lines.push_back(error.text());
    return lines;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("parallax_bug_folder_" + std::to_string(::getpid()));
};

TEST_F(BugFolderTest, HasNoFaultOnceItsPagesAreWritten) { EXPECT_THAT(faults(), IsEmpty()); }

TEST_F(BugFolderTest, AFileWithoutFrontMatterIsNamed) {
  write("bugs/b.md", "# A bug\n");
  EXPECT_THAT(faults(), ElementsAre("bugs/b.md: line 1: front matter is missing: '---' is expected"));
  EXPECT_FALSE(write_bug_pages(read()));
}

TEST_F(BugFolderTest, AMissingOrUnknownFieldIsNamed) {
  write("bugs/a.md", bug_text({{"system", ""}}));
  write("bugs/b.md", bug_text({{"colour", "red"}}));
  EXPECT_THAT(faults(),
              ElementsAre("bugs/a.md: field 'system' is missing", "bugs/b.md: line 18: field 'colour' is unknown"));
}

TEST_F(BugFolderTest, AStalePageIsNamedAndMended) {
  write("bugs/README.md", "old\n");
  fs::remove(root_ / "bugs/by-system/example-compiler.md");
  write("bugs/by-system/gone.md", "<!-- Generated from bugs/*.md by `parallax bugs write`; do not edit. -->\n");
  EXPECT_THAT(faults(),
              ElementsAre("bugs/README.md: the generated page is stale; run parallax bugs write",
                          "bugs/by-system/example-compiler.md: the generated page is missing; run parallax bugs write",
                          "bugs/by-system/gone.md: no system has this page; run parallax bugs write"));
  EXPECT_TRUE(write_bug_pages(read()));
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(BugFolderTest, APageOfAPersonIsNotRemoved) {
  write("bugs/by-system/notes.md", "mine\n");
  EXPECT_FALSE(write_bug_pages(read()));
  EXPECT_TRUE(fs::exists(root_ / "bugs/by-system/notes.md"));
}

TEST_F(BugFolderTest, WhatABugNamesMustExist) {
  write("bugs/a.md",
        bug_text({{"case", "corpus/x.json"}, {"script", "bugs/x.py"}}) + "[b](b.md) `x`\n```\n[c](c.md)\n```\n");
  EXPECT_THAT(faults(), ElementsAre("bugs/a.md: field 'case': there is no file corpus/x.json",
                                    "bugs/a.md: field 'script': there is no file bugs/x.py",
                                    "bugs/a.md: the link b.md leads nowhere",
                                    "corpus/cases/found/a.json: no bug names this case or control"));
}

TEST_F(BugFolderTest, ACauseIsACountedBug) {
  write("bugs/b.md", bug_text({{"counted", "false"}, {"same_cause_as", "c"}}));
  ASSERT_TRUE(write_bug_pages(read()));
  EXPECT_THAT(faults(), ElementsAre("bugs/b.md: field 'same_cause_as': there is no counted bug 'c'"));
}

TEST_F(BugFolderTest, ABrokenLineOfDataIsNamed) {
  write("bugs/rates.jsonl", "{\"speed\": 1}\n");
  EXPECT_THAT(faults(), ElementsAre("bugs/rates.jsonl:1: /speed: 'speed' is no member of a measurement"));
}

TEST_F(BugFolderTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_FALSE(read_bug_folder(root_ / "nothing"));
  EXPECT_TRUE(read_bug_folder((root_ / "bugs/").string()));
}

}  // namespace
}  // namespace parallax
