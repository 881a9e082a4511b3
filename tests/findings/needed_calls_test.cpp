// At which call a divergence shows, and which earlier ones it needs.
#include "fuzz/findings/needed_calls.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/findings/make_finding.h"
#include "graph/case_json.h"
#include "tests/support/portable_ops.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

Judgement wrong_in(RunKind kind, int number) {
  Judgement judgement;
  judgement.verdict = Verdict::Mismatch;
  judgement.divergence.emplace();
  judgement.divergence->run = {kind, number};
  return judgement;
}

// A case of five calls, each fed its number.
Case five_calls() {
  Case test = testing::counting_case();
  const LaterRun run = test.later.front();
  test.later.clear();
  test.feed[0].set_double(0, 1);
  for (int call = 2; call <= 5; ++call) {
    test.later.push_back(run);
    test.later.back().feed[0].set_double(0, call);
  }
  return test;
}

bool calls(const Case& test, double number) {
  if (test.feed[0].get_double(0) == number) return true;
  return std::ranges::any_of(test.later, [&](const LaterRun& run) { return run.feed[0].get_double(0) == number; });
}

TEST(NeededCalls, AreThoseWithoutWhichItDoesNotShow) {
  const auto shows = [](const Case& test) { return calls(test, 1) && calls(test, 3); };
  const auto found = needed_calls(five_calls(), wrong_in(RunKind::Later, 4), shows);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->call, 4);
  EXPECT_EQ(found->needs, (std::vector<int>{1, 3}));
  EXPECT_EQ(describe(*found), "wrong at call 4; needs calls 1, 3");
}

// Of two calls either of which is enough, one is named.
TEST(NeededCalls, AreAsFewAsAreEnough) {
  const auto shows = [](const Case& test) { return calls(test, 1) || calls(test, 2); };
  const auto found = needed_calls(five_calls(), wrong_in(RunKind::LaterOnFreshInstance, 3), shows);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->needs, (std::vector<int>{1}));
  EXPECT_EQ(describe(*found), "wrong at call 3; needs call 1");
}

TEST(NeededCalls, AreNoneForTheFirstCall) {
  const auto found = needed_calls(five_calls(), wrong_in(RunKind::A, 0), [](const Case&) { return true; });
  ASSERT_TRUE(found);
  EXPECT_EQ(describe(*found), "wrong at call 1");
}

// What was returned and is read again hangs on the calls after it.
TEST(NeededCalls, OfAResultThatIsReadAgainAreTheLaterOnes) {
  const auto shows = [](const Case& test) { return calls(test, 4); };
  const auto found = needed_calls(five_calls(), wrong_in(RunKind::AKeptAfterTheLast, 0), shows);
  ASSERT_TRUE(found);
  EXPECT_EQ(describe(*found), "what call 1 returned is wrong after the last call; needs call 4");
}

// The call itself is not asked about.
TEST(NeededCalls, OfALaterResultThatIsReadAgainAreThoseOnBothSides) {
  const auto shows = [](const Case& test) { return calls(test, 1) && calls(test, 3) && calls(test, 4); };
  const auto found = needed_calls(five_calls(), wrong_in(RunKind::LaterKept, 3), shows);
  ASSERT_TRUE(found);
  EXPECT_EQ(describe(*found), "what call 3 returned is wrong after the last call; needs calls 1, 4");
}

TEST(NeededCalls, OfOneRunAreThoseOfItsSecondCall) {
  Case one = five_calls();
  one.later.clear();
  EXPECT_FALSE(needed_calls(one, wrong_in(RunKind::A, 0), [](const Case&) { return true; }));
  const auto second = needed_calls(one, wrong_in(RunKind::B, 0), [](const Case&) { return false; });
  EXPECT_EQ(second, (WrongCall{.call = 2, .needs = {1}}));
  EXPECT_EQ(needed_calls(one, wrong_in(RunKind::B, 0), [](const Case&) { return true; }),
            (WrongCall{.call = 2, .needs = {}}));
}

// F47 takes the position that the program was built with in every call.
Case advancing() {
  return parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs"],
    "graph": {"inputs": {"x": {"type": "f32[4]"}}, "buffers": {"at": {"type": "i64[1]", "data": [0]}},
      "nodes": [{"out": "a", "op": "aten.index_select.default", "args": ["%x", 0, "%at"]},
                {"out": "b", "op": "aten.add_.Scalar", "args": ["%at", 1]}],
      "outputs": ["%a"]},
    "runs": [{"feed": {"x": [1, 2, 3, 4]}}, {"feed": {"x": [1, 2, 3, 4]}}, {"feed": {"x": [5, 6, 7, 8]}}]})")
      .value();
}

TEST(NeededCalls, AreInTheFindingAndItsText) {
  const Case test = advancing();
  const FindingOptions options{.target_options = {.faults = {"F47"}}};
  const auto target = open_target("portable", options.target_options).value();
  const Examination seen = examine(*target, test);
  ASSERT_EQ(seen.judgement.verdict, Verdict::Mismatch) << seen.judgement.reason;
  const Finding finding = make_finding(*target, test, seen, options).finding;
  EXPECT_EQ(finding.wrong_call, (WrongCall{.call = 2, .needs = {1}}));
  EXPECT_NE(finding.explanation.find("wrong at call 2; needs call 1"), std::string::npos) << finding.explanation;
  EXPECT_EQ(parse_finding(finding_json(finding)).value().wrong_call, finding.wrong_call);
}

// Without a reduction too: the calls that it does not need are told apart.
TEST(NeededCalls, OfACaseAsItWasFoundAreFew) {
  const Case test = advancing();
  const auto target = open_target("portable", {.faults = {"F47"}}).value();
  Judgement judgement = examine(*target, test).judgement;
  ASSERT_TRUE(judgement.divergence);
  judgement.divergence->run = {RunKind::Later, 3};
  const auto found = needed_calls(
      test, judgement, [&](const Case& fewer) { return is_finding(examine(*target, fewer).judgement.verdict); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->call, 3);
  EXPECT_LE(found->needs.size(), 1U);
}

}  // namespace
}  // namespace parallax
