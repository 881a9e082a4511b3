// Branches and loops on the target "portable": they agree with the oracle, and each fault in them is found and blamed.
#include "backends/runtime/control_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "compiler/compiled_control.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "tests/support/control_case.h"
#include "tests/support/custom_case.h"

namespace parallax {
namespace {

std::unique_ptr<Target> planted(const std::vector<std::string>& faults = {}) {
  CompiledTargetOptions options;
  options.faults = FaultSet::of(faults).value();
  return make_compiled_target("portable", options).value();
}

Case drawn(uint64_t k) {
  Choices choices(1, k);
  return generate(choices, {.profile = GenerateProfile::Control});
}

TEST(ControlStep, TheSampleCasesMatch) {
  const auto target = planted();
  for (const std::string_view text : {testing::branch_case, testing::loop_case, testing::counting_condition_case,
                                      testing::scan_case, testing::map_case, testing::custom_case}) {
    const Case test = parse_case(text, "case.json").value();
    const Examination examination = examine(*target, test);
    EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << test.name << ": " << examination.judgement.reason;
  }
}

TEST(ControlStep, DrawnProgramsAgreeWithTheOracle) {
  const auto target = planted();
  int judged = 0;
  int with_control = 0;
  int with_custom = 0;
  for (uint64_t k = 0; k < 400; ++k) {
    const Case test = drawn(k);
    with_control += find_control(test.graph) != nullptr;
    with_custom += find_custom(test.graph) != nullptr;
    const Examination examination = examine(*target, test);
    ASSERT_FALSE(is_finding(examination.judgement.verdict)) << k << ": " << examination.judgement.reason;
    judged += examination.judgement.verdict == Verdict::Match;
  }
  EXPECT_GT(with_control, 250);
  EXPECT_GT(with_custom, 80);
  EXPECT_GT(judged, 250);
}

// The second carry is handed on as the first, and the first is read to make the second: neither lies in place.
TEST(ControlStep, ACarryIsInPlaceWhereNobodyReadsItAnyMore) {
  const Case test = parse_case(testing::loop_case, "case.json").value();
  CompileOptions options;
  options.reuse_in_place = true;
  const Program program = compile(test.graph, options).value();
  const auto node =
      std::ranges::find_if(program.graph.nodes, [](const Node& n) { return as_compiled(*n.op) != nullptr; });
  ASSERT_NE(node, program.graph.nodes.end());
  const CompiledControlOp& op = *as_compiled(*node->op);
  EXPECT_EQ(op.in_place, (std::vector<bool>{false, false, false}));
  options.faults = FaultSet::of(std::vector<std::string>{"F50"}).value();
  const Program faulty = compile(test.graph, options).value();
  const auto found =
      std::ranges::find_if(faulty.graph.nodes, [](const Node& n) { return as_compiled(*n.op) != nullptr; });
  EXPECT_TRUE(as_compiled(*found->op)->in_place[0]);
}

class ControlFault : public ::testing::TestWithParam<std::string> {};

TEST_P(ControlFault, IsFoundAndBlamed) {
  const FaultSet faults = FaultSet::of(std::vector{GetParam()}).value();
  const auto target = planted({GetParam()});
  for (uint64_t k = 0; k < 20000; ++k) {
    const Case test = drawn(k);
    const Examination examination = examine(*target, test);
    if (!is_finding(examination.judgement.verdict)) continue;
    const std::vector<Diagnosis> diagnoses = target->explain(test);
    const auto blaming = std::ranges::find_if(diagnoses, [](const Diagnosis& d) { return !d.blame.empty(); });
    ASSERT_NE(blaming, diagnoses.end()) << k;
    EXPECT_TRUE(std::ranges::count(faults.broken_parts(), blaming->blame) > 0)
        << k << ": " << blaming->blame << ": " << blaming->summary;
    return;
  }
  FAIL() << "not found";
}

INSTANTIATE_TEST_SUITE_P(OfControlFlow, ControlFault,
                         ::testing::Values("F49", "F50", "F51", "F52", "F53", "F54", "F55"));

}  // namespace
}  // namespace parallax
