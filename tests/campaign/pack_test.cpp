// Cases run as one program are judged as they would be alone.
#include "fuzz/campaign/pack.h"

#include <gtest/gtest.h>

#include "core/profile.h"
#include "fuzz/findings/controls.h"
#include "fuzz/generate/single_op.h"
#include "graph/case_json.h"
#include "ops/registry.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

std::vector<Case> draw_cases(uint64_t first, uint64_t count) {
  std::vector<Case> tests;
  for (uint64_t k = first; k < first + count; ++k) {
    Choices choices(31, k);
    tests.push_back(generate(choices, testing::portable_options()));
    tests.back().name = "case " + std::to_string(k);
  }
  return tests;
}

// Portable, with a limit on the size of a graph and a count of what it ran.
class Limited : public Target {
 public:
  explicit Limited(std::size_t most_nodes) : portable_(*open_target("portable", {})), most_nodes_(most_nodes) {}
  const std::string& name() const override { return portable_->name(); }
  const Profile& profile() const override { return portable_->profile(); }
  bool promises_identity() const override { return portable_->promises_identity(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    ++programs;
    if (test.graph.nodes.size() <= most_nodes_) return portable_->run(test, second);
    Outcome outcome;
    outcome.status = Status::Rejected;
    outcome.message = "too large";
    return outcome;
  }

  int programs = 0;

 private:
  std::unique_ptr<Target> portable_;
  std::size_t most_nodes_;
};

TEST(Pack, EveryCaseGivesWhatItGivesAlone) {
  const auto portable = open_target("portable", {});
  for (uint64_t first = 0; first < 160; first += 8) {
    const std::vector<Case> tests = draw_cases(first, 8);
    const std::optional<Pack> whole = pack(tests);
    ASSERT_TRUE(whole) << "seed 31 from case " << first;
    const Outcome outcome = (*portable)->run(whole->test, nullptr);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const Outcome alone = (*portable)->run(tests[i], nullptr);
      if (outcome.status != Status::Ok || alone.status != Status::Ok) continue;
      const Outcome part = part_of(*whole, i, outcome);
      EXPECT_EQ(part.a->outputs, alone.a->outputs) << "seed 31 case " << first + i;
      EXPECT_EQ(part.a->inputs, alone.a->inputs) << "seed 31 case " << first + i;
      EXPECT_EQ(part.a->buffers, alone.a->buffers) << "seed 31 case " << first + i;
    }
  }
}

TEST(Pack, EveryVerdictIsThatOfTheCaseAlone) {
  Limited target(1000);
  int packed = 0;
  for (uint64_t first = 0; first < 160; first += 8) {
    const std::vector<Case> tests = draw_cases(first, 8);
    const std::vector<PackedCase> judged = examine_packed(target, tests);
    ASSERT_EQ(judged.size(), tests.size());
    for (std::size_t i = 0; i < tests.size(); ++i) {
      EXPECT_EQ(judged[i].test.name, tests[i].name);
      EXPECT_EQ(judged[i].examination.judgement.verdict, examine(target, tests[i]).judgement.verdict)
          << "seed 31 case " << first + i;
      packed += judged[i].ran_packed;
    }
  }
  EXPECT_GT(packed, 120);
}

TEST(Pack, APackThatIsRefusedIsSplitUntilItIsNot) {
  Limited target(30);
  const std::vector<Case> tests = draw_cases(0, 8);
  for (const PackedCase& judged : examine_packed(target, tests)) {
    EXPECT_NE(judged.examination.judgement.verdict, Verdict::Rejected) << judged.test.name;
  }
  EXPECT_GT(target.programs, 1);
}

TEST(Controls, ARealCopyInPlaceOfAnElidedOneIsRight) {
  TargetOptions options;
  options.faults = {"F01"};
  const auto portable = open_target("portable", options);
  const auto test = parse_case(
      R"({"parallax":1,"name":"S1","graph":{"inputs":{"x":{"type":"f32[2]"}},"nodes":[
          {"op":"aten.sigmoid.default","args":["%x"],"out":"a"},{"op":"aten.clone.default","args":["%a"],"out":"b"},
          {"op":"aten.exp.default","args":["%a"],"out":"c"},{"op":"aten.sin.default","args":["%c"],"out":"d"},
          {"op":"aten.neg.default","args":["%b"],"out":"e"},{"op":"aten.cos.default","args":["%d"],"out":"f"}],"outputs":["%e","%f"]},"feed":{"x":[1,2]}})");
  ASSERT_TRUE(test) << test.error().text();
  ASSERT_EQ(examine(**portable, *test).judgement.verdict, Verdict::Mismatch);
  const auto controls = run_controls(**portable, *test, options);
  ASSERT_EQ(controls.size(), 1u);
  EXPECT_EQ(controls[0], std::pair(std::string("copies made a real op, x + 0"), Verdict::Match));
}

TEST(SingleOp, CasesAreOfOneCallAndRun) {
  const SingleOpPool& pool = SingleOpPool::of(DType::F32);
  const auto portable = open_target("portable", {});
  int cases = 0;
  for (const char* name : {"aten.add.Tensor", "aten.exp_.default", "aten.cat.default", "aten.index_select.default"}) {
    for (uint64_t stream = 0; stream < 10; ++stream) {
      const std::optional<Case> test = pool.draw_case(op_named(name), stream);
      if (!test) continue;
      ++cases;
      ASSERT_EQ(test->graph.nodes.size(), 1u);
      EXPECT_EQ(test->graph.nodes[0].op->name, name);
      const Judgement judgement = examine(**portable, *test).judgement;
      EXPECT_FALSE(is_finding(judgement.verdict)) << test->name << ": " << judgement.reason;
      EXPECT_EQ(to_json(*pool.draw_case(op_named(name), stream)), to_json(*test));
    }
  }
  EXPECT_GE(cases, 20);
}

}  // namespace
}  // namespace parallax
