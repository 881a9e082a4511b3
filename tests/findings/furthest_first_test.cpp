// Furthest first: the smallest case, then what is least like all before it.
#include "fuzz/findings/furthest_first.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Finding finding_of(Verdict verdict, const std::string& target, const std::vector<std::string>& ops) {
  Finding finding;
  finding.verdict = verdict;
  finding.target = target;
  std::string nodes;
  std::string operand = "x";
  for (const std::string& op : ops) {
    const std::string result = fmt::format("v{}", nodes.size());
    nodes += fmt::format(R"({}{{"out": "{}", "op": "aten.{}.default", "args": ["%{}"]}})", nodes.empty() ? "" : ", ",
                         result, op, operand);
    operand = result;
  }
  finding.reduced = testing::case_of(fmt::format(R"({{"inputs": {{"x": {{"type": "f32[1]"}}}}, "nodes": [{}],
      "outputs": ["%{}"]}})",
                                                 nodes, operand),
                                     R"({"x": [1]})");
  return finding;
}

TEST(FurthestFirst, TheSmallestThenWhatIsUnlikeAllBeforeIt) {
  const Finding two_ops = finding_of(Verdict::Mismatch, "portable", {"neg", "exp"});
  const Finding smallest = finding_of(Verdict::Mismatch, "portable", {"neg"});
  const Finding its_twin = finding_of(Verdict::Mismatch, "portable", {"neg"});
  const Finding crash = finding_of(Verdict::Crash, "portable", {"abs", "neg"});
  const Finding crash_elsewhere = finding_of(Verdict::Crash, "other", {"abs", "neg"});
  const std::vector<const Finding*> findings = {&two_ops, &smallest, &its_twin, &crash, &crash_elsewhere};
  EXPECT_THAT(furthest_first(findings), ElementsAre(1, 4, 3, 0, 2));
  EXPECT_THAT(furthest_first({}), IsEmpty());
}

TEST(FurthestFirst, DistanceCountsEachDifferenceOnce) {
  const Finding a = finding_of(Verdict::Mismatch, "portable", {"neg"});
  Finding b = a;
  EXPECT_EQ(distance(a, b), 0);
  b.blame = "planner";
  EXPECT_EQ(distance(a, b), 1);
  b.cause = "alias overwritten";
  EXPECT_EQ(distance(a, b), 1);
  EXPECT_EQ(distance(a, finding_of(Verdict::Mismatch, "portable", {"neg", "exp"})), 0.5);
}

}  // namespace
}  // namespace parallax
