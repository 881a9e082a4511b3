// Perturbed implementations of every float family lie in the oracle's balls, and those are not needlessly wide.
#include <gtest/gtest.h>

#include <random>

#include "ops/profiles.h"
#include "tests/soundness/soundness_run.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20251003;

TEST(PerturbedImplementations, StayInTheBalls) {
  SoundnessRun run(seed, 20);
  for (const PlainOp& op : plain_ops()) {
    const int64_t before = run.checks();
    for (uint64_t stream = 0; stream < 400 && run.checks() < before + 12'000; ++stream) run.run(op, stream);
    EXPECT_GT(run.checks(), before + 1000) << op.name << " draws too little";
  }
  for (const std::string& violation : run.violations()) ADD_FAILURE() << violation;
  for (const auto& [family, figures] : run.families()) {
    EXPECT_LE(figures.undecided * 10, figures.checks) << family;
  }
}

// The radius over the largest error of many implementations, exact operands.
class Tightness : public testing::Test {
 protected:
  std::vector<double> normal_numbers(int64_t count) {
    std::normal_distribution<double> normal;
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (double& number : numbers) number = normal(random_);
    return numbers;
  }

  double median_of(std::string_view op, const std::vector<Dims>& sizes, const std::vector<Argument>& others = {}) {
    const Profile& profile = *find_profile("eager");
    SoundnessRun run(seed, 400);
    for (uint64_t stream = 0; stream < 4; ++stream) {
      std::vector<CheckedCall::Operand> operands;
      for (const Dims& dims : sizes) {
        int64_t count = 1;
        for (const int64_t size : dims) count *= size;
        operands.push_back({dims, normal_numbers(count)});
      }
      run.hold(plain_op(op), CheckedCall::build(op, DType::F32, profile, operands, others), profile, "all", stream);
    }
    EXPECT_TRUE(run.violations().empty()) << run.violations().front();
    const double median = run.families().at("all").tightness.median();
    RecordProperty(std::string(op) + " " + std::to_string(sizes[0].back()), std::to_string(median));
    return median;
  }

 private:
  std::mt19937_64 random_{seed};
};

TEST_F(Tightness, Elementwise) {
  for (const char* op :
       {"aten.exp.default", "aten.tanh.default", "aten.sigmoid.default", "aten.sin.default", "aten.square.default"}) {
    EXPECT_LE(median_of(op, {{64}}), 4) << op;
  }
  for (const char* op : {"aten.add.Tensor", "aten.mul.Tensor", "aten.div.Tensor"}) {
    EXPECT_LE(median_of(op, {{64}, {64}}), 4) << op;
  }
}

TEST_F(Tightness, ShortSums) {
  EXPECT_LE(median_of("aten.sum.dim_IntList", {{32, 8}}, {IntList{1}}), 10);
  EXPECT_LE(median_of("aten.mm.default", {{8, 8}, {8, 8}}), 10);
}

TEST_F(Tightness, DenseProducts) {
  EXPECT_LE(median_of("aten.mm.default", {{6, 64}, {64, 6}}), 60);
  EXPECT_LE(median_of("aten.mm.default", {{4, 256}, {256, 4}}), 280);
}

}  // namespace
}  // namespace parallax
