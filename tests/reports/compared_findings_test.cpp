#include "reports/compared_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;

Finding finding(const std::string& target, Verdict verdict, const std::string& op) {
  Finding finding;
  finding.target = target;
  finding.verdict = verdict;
  finding.original = finding.reduced = *parse_case(
      R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[1]"}}, "nodes": [{"out": "a", "op": ")" +
      op + R"(", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1]}})");
  finding.signature = std::string(name(verdict)) + " | " + target + " | " + op;
  return finding;
}

const Finding neg = finding("t@1.0", Verdict::Mismatch, "aten.neg.default");
const Finding exp_ = finding("t@1.0", Verdict::Mismatch, "aten.exp.default");

TEST(ComparisonTest, NewKnownAndGoneGoBySignatureWhateverTheVersion) {
  const Comparison compared =
      compare(std::vector{neg, exp_}, std::vector{finding("t@2.0", Verdict::Mismatch, "aten.neg.default"),
                                                  finding("t@2.0", Verdict::Mismatch, "aten.sin.default")});
  EXPECT_THAT(compared.now, ElementsAre(Standing::Known, Standing::New));
  EXPECT_THAT(compared.gone, ElementsAre(1));
}

TEST(ComparisonTest, WhatComesAndGoesNowAndDidNotBeforeIsNewlyFlaky) {
  const Finding flaky = finding("t@2.0", Verdict::Nondeterministic, "aten.neg.default");
  const Comparison compared = compare(std::vector{neg}, std::vector{flaky});
  EXPECT_THAT(compared.now, ElementsAre(Standing::NewlyFlaky));
  EXPECT_TRUE(compared.gone.empty());
  EXPECT_THAT(compare(std::vector{flaky}, std::vector{flaky}).now, ElementsAre(Standing::Known));
  EXPECT_THAT(compare(std::vector{exp_}, std::vector{flaky}).now, ElementsAre(Standing::New));
}

TEST(ComparisonTest, OneSignatureThatIsWrongInSomeRunsOnlyIsNewlyFlaky) {
  Finding sometimes = neg;
  sometimes.repeats = Repeats{3, 10};
  EXPECT_THAT(compare(std::vector{neg}, std::vector{sometimes}).now, ElementsAre(Standing::NewlyFlaky));
  EXPECT_THAT(compare(std::vector{sometimes}, std::vector{sometimes}).now, ElementsAre(Standing::Known));
  EXPECT_THAT(compare(std::vector{sometimes}, std::vector{neg}).now, ElementsAre(Standing::Known));
}

}  // namespace
}  // namespace parallax
