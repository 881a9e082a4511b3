// Targets of a campaign are started side by side, and one that does not start in time takes no time from the others.
#include "fuzz/campaign/opening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "fuzz/campaign/campaign.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Lt;

Error no_target(const std::string& name) { return {ErrorKind::NoTarget, name, "", "is not here"}; }

TEST(Opening, TwoAreStartedAtOnceAndComeInTheOrderGiven) {
  std::mutex mutex;
  std::condition_variable both;
  int started = 0;
  const auto open = [&](const std::string& name) -> Result<Instance> {
    std::unique_lock lock(mutex);
    ++started;
    both.notify_all();
    EXPECT_TRUE(both.wait_for(lock, std::chrono::seconds(30), [&] { return started >= 2; })) << name;
    return std::unexpected(no_target(name));
  };
  std::vector<std::string> told;
  const auto opened = open_side_by_side({"one", "two", "three"}, 1, open,
                                        [&](const std::vector<std::string>& now) { told.push_back(now.back()); });
  ASSERT_EQ(opened.size(), 3U);
  EXPECT_EQ(opened[0].name, "one");
  EXPECT_EQ(opened[2].instance.error().text(), "three: is not here");
  EXPECT_THAT(told, ElementsAre("one", "two", "three"));
}

CampaignOptions campaign_of_any_length() {
  CampaignOptions options;
  options.source = [](uint64_t k) -> std::optional<Case> {
    Choices choices(7, k);
    return generate(choices, testing::portable_options());
  };
  return options;
}

TEST(Opening, WhatDoesNotStartInTimeIsNamedAndTheOthersHaveTheRest) {
  CampaignOptions options = campaign_of_any_length();
  options.targets = {"cmd:sleep 60", "portable", "cmd:sleep 61"};
  options.seconds = 2;
  std::vector<std::string> said;
  options.callbacks.on_missing = [&](const Error& reason) { said.push_back(reason.text()); };
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run_campaign(options);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(std::chrono::steady_clock::now() - begin, Lt(std::chrono::seconds(5)));
  EXPECT_THAT(result->missing, ElementsAre(::testing::Field(&MissingTarget::name, "cmd:sleep 60"),
                                           ::testing::Field(&MissingTarget::name, "cmd:sleep 61")));
  EXPECT_THAT(said, ElementsAre("cmd:sleep 60, cmd:sleep 61: did not start within 1 s; give more time with --seconds"));
  EXPECT_GT(result->tallies.at("portable").cases, 0);
}

TEST(Opening, AWrongNameEndsTheWaitForTheOthers) {
  CampaignOptions options = campaign_of_any_length();
  options.targets = {"cmd:sleep 60", "portable?colour=red"};
  const auto result = run_campaign(options);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(), HasSubstr("no option 'colour'"));
}

}  // namespace
}  // namespace parallax
