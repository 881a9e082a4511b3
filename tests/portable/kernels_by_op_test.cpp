// Every kernel against the oracle, family by family: calls that the ops' own samplers draw, and the same ops over
// views.
#include <gtest/gtest.h>

#include <set>

#include "backends/examine.h"
#include "backends/portable/kernel.h"
#include "backends/runtime/compiled_target.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/single_op.h"
#include "ops/registry.h"

namespace parallax {
namespace {

std::vector<const Op*> ops_with_kernels(std::string_view family) {
  std::vector<const Op*> ops;
  for (const Op& op : all_ops()) {
    if (op.family == family && op.sample != nullptr && portable::find_kernel(op.name)) ops.push_back(&op);
  }
  return ops;
}

std::set<std::string_view> families_with_kernels() {
  std::set<std::string_view> families;
  for (const Op& op : all_ops()) {
    if (!ops_with_kernels(op.family).empty()) families.insert(op.family);
  }
  return families;
}

class KernelsByOp : public ::testing::TestWithParam<std::string_view> {
 protected:
  // Whether it matches. Anything else has to have a reason that lies in the case.
  bool matches(const Case& test) {
    const Examination examination = examine(*target_, test);
    const Verdict verdict = examination.judgement.verdict;
    const std::string& reason = examination.judgement.reason;
    // Too much for the oracle, or sizes that the compiler has no one program for.
    const bool declined = verdict == Verdict::Unsupported && reason.find("no portable kernel") == std::string::npos;
    EXPECT_TRUE(verdict == Verdict::Match || verdict == Verdict::Undecided || verdict == Verdict::ReferenceRefused ||
                declined)
        << test.name << ": " << name(verdict) << ": " << reason;
    return verdict == Verdict::Match;
  }

 private:
  std::unique_ptr<Target> target_ = make_compiled_target("portable").value();
};

TEST_P(KernelsByOp, MatchTheOracleAtEveryDtype) {
  constexpr uint64_t streams = 24;
  for (const Op* op : ops_with_kernels(GetParam())) {
    int drawn = 0;
    int matching = 0;
    for (int dtype = 0; dtype < dtype_count; ++dtype) {
      const SingleOpPool& pool = SingleOpPool::of(static_cast<DType>(dtype));
      for (uint64_t stream = 0; stream < streams; ++stream) {
        const std::optional<Case> test = pool.draw_case(*op, stream);
        if (!test) continue;
        ++drawn;
        matching += matches(*test);
      }
    }
    EXPECT_GE(matching * 2, drawn) << op->name;
  }
}

TEST_P(KernelsByOp, MatchTheOracleOverViews) {
  constexpr int enough = 12;
  for (const Op* op : ops_with_kernels(GetParam())) {
    const Vocabulary words([&](const Op& word) { return word.is_view() || &word == op; });
    const GenerateOptions options{.profile = GenerateProfile::All, .min_nodes = 3, .max_nodes = 6, .words = &words};
    int drawn = 0;
    for (uint64_t stream = 0; stream < 40 && drawn < enough; ++stream) {
      Choices choices(77, stream);
      Case test = generate(choices, options);
      test.name = std::string(op->name) + ", stream " + std::to_string(stream);
      if (std::ranges::find(test.graph.nodes, op, &Node::op) == test.graph.nodes.end()) continue;
      ++drawn;
      matches(test);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, KernelsByOp, ::testing::ValuesIn(families_with_kernels()), [](const auto& family) {
  std::string name(family.param);
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace parallax
