#include "graph/name_set.h"

#include <gtest/gtest.h>

#include <string>

namespace parallax {
namespace {

std::string numbered(int i) { return "value" + std::to_string(i); }

TEST(NameSet, KnowsEveryNameThatItWasGiven) {
  NameSet names;
  EXPECT_TRUE(names.empty());
  EXPECT_FALSE(names.contains("value0"));
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(names.insert(numbered(i))) << i;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(names.insert(numbered(i))) << i;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(names.contains(numbered(i))) << i;
  EXPECT_FALSE(names.contains(numbered(1000)));
  EXPECT_FALSE(names.contains("value"));
  EXPECT_FALSE(names.contains(""));
}

TEST(NameSet, TakesBackTheNewest) {
  NameSet names;
  for (int i = 0; i < 100; ++i) names.insert(numbered(i));
  names.drop_newest(60);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(names.contains(numbered(i)), i < 40) << i;
  for (int i = 40; i < 100; ++i) EXPECT_TRUE(names.insert(numbered(i))) << i;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(names.contains(numbered(i))) << i;
}

TEST(NameSet, KeepsItsNamesWhenRoomIsMade) {
  NameSet names;
  names.insert("a");
  names.reserve(500);
  EXPECT_TRUE(names.contains("a"));
  EXPECT_FALSE(names.insert("a"));
  EXPECT_TRUE(names.insert("b"));
}

}  // namespace
}  // namespace parallax
