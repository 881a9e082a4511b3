// The line that keeps services from merging unlike findings.
#include "fuzz/findings/fuzzer_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace parallax {
namespace {

using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(FuzzerHash, IsLettersAlone) {
  for (const char* signature : {"", "mismatch | portable | values | clone exp neg*2", "crash | x | 0x1234"}) {
    EXPECT_THAT(fuzzer_letters(signature), MatchesRegex("[a-z]+")) << signature;
  }
}

// Services take numbers and template arguments out of an assertion's text before they compare; letters stay.
TEST(FuzzerHash, TellsApartWhatDiffersInADigit) {
  const std::string base = "mismatch | portable | values | neg*2; view~clone";
  EXPECT_EQ(fuzzer_letters(base), fuzzer_letters(std::string(base)));
  std::set<std::string> letters;
  int signatures = 0;
  for (const char* target : {"portable", "xnnpack"}) {
    for (int times = 0; times < 500; ++times) {
      letters.insert(fuzzer_letters(std::string("mismatch | ") + target + " | neg*" + std::to_string(times)));
      ++signatures;
    }
  }
  EXPECT_EQ(letters.size(), static_cast<std::size_t>(signatures));
}

// The letters of a signature are in the reports of years: they must not change with a compiler or a release.
TEST(FuzzerHash, IsTheSameOnEveryMachine) { EXPECT_EQ(fuzzer_letters("mismatch | portable"), "xdgqzfmzwazhcd"); }

TEST(FuzzerHash, IsOneLine) {
  const std::string line = fuzzer_hash_line("crash | portable\n | exp");
  EXPECT_THAT(line,
              StartsWith("ASSERTION FAILED: FuzzerHash=" + fuzzer_letters("crash | portable\n | exp") + " crash"));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(FuzzerHashDeathTest, StopsWithTheTextAndTheLine) {
  EXPECT_EXIT(stop_with("mismatch | portable", "the story"), ::testing::KilledBySignal(SIGABRT),
              "the story\nASSERTION FAILED: FuzzerHash=[a-z]+ mismatch . portable\n");
}

}  // namespace
}  // namespace parallax
