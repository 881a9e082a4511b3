// Of a configuration's switches, those that a divergence needs.
#include "fuzz/findings/fewest_switches.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

using Switches = std::vector<std::string>;

TEST(FewestSwitches, AreThoseBehindTheDefaults) {
  EXPECT_EQ(switches_beyond("t?a=1&b=2", "t"), (Switches{"a=1", "b=2"}));
  EXPECT_EQ(switches_beyond("t?a=1&b=2", "t?a=1"), Switches{"b=2"});
  EXPECT_EQ(switches_beyond("t", "t"), Switches{});
  EXPECT_EQ(switches_beyond("t2?a=1", "t"), Switches{});
  EXPECT_EQ(switches_beyond("t?a=12", "t?a=1"), Switches{});
  EXPECT_EQ(switches_beyond("t?a=1", ""), Switches{});
}

std::string least(const std::string& target, const std::string& needed) {
  const auto left = with_fewest_switches(target, "portable", {},
                                         [&](Target& with_fewer) { return with_fewer.name().contains(needed); });
  return left ? left->name() : "";
}

TEST(FewestSwitches, AreLeftOutOneAfterTheOther) {
  EXPECT_EQ(least("portable?order=random&memory=zeros", "memory"), "portable?memory=zeros");
  EXPECT_EQ(least("portable?order=random&memory=zeros", "order"), "portable?order=random");
  // One is left in any case: without any it is the default, which is right.
  EXPECT_EQ(least("portable?order=random&memory=zeros", ""), "portable?order=random");
  EXPECT_EQ(least("portable?order=random&memory=zeros", "order=random&memory"), "");
  EXPECT_EQ(least("portable?memory=zeros", "memory"), "");
}

}  // namespace
}  // namespace parallax
