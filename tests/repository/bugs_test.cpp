// The repository's own bugs: all files are valid, and the generated pages are up to date.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "places.h"
#include "reports/bug_folder.h"
#include "reports/bug_pages.h"

namespace parallax {
namespace {

TEST(RepositoryBugs, AreValidAndTheirPagesFresh) {
  const auto folder = read_bug_folder(PARALLAX_SOURCE_DIR "/bugs");
  ASSERT_TRUE(folder) << folder.error().text();
  EXPECT_GT(folder->bugs.size(), 200U);
  for (const Error& error : check_bug_folder(*folder)) ADD_FAILURE() << error.text();
}

// A bug that is added raises these; nothing lowers them but a cause that turns out to be another's.
TEST(RepositoryBugs, AreAsManyAsWereFound) {
  const auto folder = read_bug_folder(PARALLAX_SOURCE_DIR "/bugs");
  ASSERT_TRUE(folder) << folder.error().text();
  std::vector<const FoundBug*> all;
  for (const FoundBug& bug : folder->bugs) all.push_back(&bug);
  const BugCounts counts = count_bugs(all);
  EXPECT_GE(counts.causes, 222);
  EXPECT_GE(counts.silent, 132);
  EXPECT_GE(counts.aliasing, 51);
  EXPECT_GE(counts.further, 15);
  EXPECT_GE(counts.fixed, 12);
  EXPECT_GE(bugs_by_system(folder->bugs).size(), 18U);
}

}  // namespace
}  // namespace parallax
