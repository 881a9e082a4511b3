#include "fuzz/findings/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace parallax {
namespace {

using ::testing::Optional;

struct Tested {
  Bisection found;
  int probes = 0;
};

// Versions as letters: g good, b bad, u untestable.
Tested tested(std::string_view history) {
  Tested tested;
  std::vector<int> asked(history.size());
  tested.found = bisect(history.size(), [&](std::size_t version) {
    ++tested.probes;
    EXPECT_EQ(++asked[version], 1) << "version " << version << " is judged twice";
    const char letter = history[version];
    return letter == 'g' ? VersionState::Good : letter == 'b' ? VersionState::Bad : VersionState::Untestable;
  });
  return tested;
}

TEST(Bisect, FindsTheFirstBadVersion) {
  const Tested test = tested("gggggggggggbbbbb");
  EXPECT_THAT(test.found.first_bad, Optional(11U));
  EXPECT_EQ(test.found.first_fixed, std::nullopt);
  EXPECT_LE(test.probes, 6) << "two ends and four halvings";
}

TEST(Bisect, FindsTheFirstFixedVersion) {
  EXPECT_THAT(tested("bbbg").found.first_fixed, Optional(3U));
  EXPECT_THAT(tested("bg").found.first_fixed, Optional(1U));
}

TEST(Bisect, FindsABugThatCameAndWent) {
  const Tested test = tested("gggbbbbbbgg");
  EXPECT_THAT(test.found.first_bad, Optional(3U));
  EXPECT_THAT(test.found.first_fixed, Optional(9U));
}

TEST(Bisect, LeavesOutWhatCannotBeTested) {
  const Tested test = tested("ugguuubbu");
  EXPECT_THAT(test.found.first_bad, Optional(6U));
  EXPECT_THAT(tested("guuuuub").found.first_bad, Optional(6U));
}

TEST(Bisect, TellsNothingWhereNothingChanges) {
  for (const char* history : {"", "g", "b", "u", "uuu", "ggggg", "bbbbb", "ugu"}) {
    const Tested test = tested(history);
    EXPECT_EQ(test.found.first_bad, std::nullopt) << history;
    EXPECT_EQ(test.found.first_fixed, std::nullopt) << history;
  }
}

// Every history with one change, at every place.
TEST(Bisect, OneChangeIsFoundWhereverItIs) {
  for (std::size_t count = 2; count < 40; ++count) {
    for (std::size_t change = 1; change < count; ++change) {
      const std::string history = std::string(change, 'g') + std::string(count - change, 'b');
      EXPECT_THAT(tested(history).found.first_bad, Optional(change)) << history;
    }
  }
}

}  // namespace
}  // namespace parallax
