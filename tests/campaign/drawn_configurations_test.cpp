// Configurations that a campaign draws: the default first, each another one, what the user set kept.
#include "fuzz/campaign/drawn_configurations.h"

#include <gtest/gtest.h>

#include <set>

namespace parallax {
namespace {

const std::vector<TargetSwitch> memory_and_level = {{"arena", {"on", "off"}}, {"level", {"2", "1", "0"}}};

std::vector<std::string> drawn(const std::string& target, const std::vector<TargetSwitch>& switches, int count) {
  Choices choices(7, 0);
  return draw_configurations(target, switches, count, choices);
}

TEST(DrawnConfigurations, AreDifferentAndNeverTheDefault) {
  const std::vector<std::string> names = drawn("t", memory_and_level, 5);
  const std::set<std::string> all = {"t?arena=off", "t?level=1", "t?level=0", "t?arena=off&level=1",
                                     "t?arena=off&level=0"};
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), all);
  EXPECT_EQ(names.size(), 5u);
}

TEST(DrawnConfigurations, AreNoMoreThanThereAre) {
  EXPECT_EQ(drawn("t", memory_and_level, 100).size(), 5u);
  EXPECT_TRUE(drawn("t", {{"only", {"value"}}}, 3).empty());
  EXPECT_TRUE(drawn("t", {}, 3).empty());
}

TEST(DrawnConfigurations, LeaveWhatTheUserSet) {
  EXPECT_EQ(drawn("t?level=1", memory_and_level, 9), std::vector<std::string>{"t?level=1&arena=off"});
}

TEST(DrawnConfigurations, AreThoseOfTheSeed) {
  EXPECT_EQ(drawn("t", memory_and_level, 3), drawn("t", memory_and_level, 3));
}

TEST(DrawnConfigurations, StandBesideTargetsThatHaveNoSwitches) {
  const ConfiguredTargets configured = with_configurations({"portable", "no-such-target"}, 4, 1, {});
  EXPECT_EQ(configured.targets, (std::vector<std::string>{"portable", "no-such-target"}));
  EXPECT_TRUE(configured.defaults.empty());
}

}  // namespace
}  // namespace parallax
