// Files that are written whole or not at all.
#include "graph/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "graph/text_file.h"

namespace parallax {
namespace {

TEST(WholeFile, HoldsItsPartsAndNothingLiesBesideIt) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / fmt::format("parallax_whole_{}", ::getpid());
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_text_file(folder / "a", "what was there before, and is longer"));
  ASSERT_TRUE(write_whole_file(folder / "a", {"one ", "two"}));
  EXPECT_EQ(read_text_file(folder / "a").value(), "one two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  const auto refused = write_whole_file(folder / "none" / "a", {"one"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), ::testing::HasSubstr("none/a: cannot be written: No such file"));
  std::filesystem::create_directories(folder / "b");
  EXPECT_FALSE(write_whole_file(folder / "b", {"one"})) << "a folder is in its place";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace parallax
