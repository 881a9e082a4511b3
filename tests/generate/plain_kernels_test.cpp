// Plain kernels: what they compute in double lies in what the reference kernel says of the same operands.
#include <gtest/gtest.h>

#include <set>

#include "fuzz/generate/single_op.h"
#include "ops/profiles.h"
#include "ops/registry.h"
#include "oracle/expected_runs.h"
#include "oracle/noted_errors.h"

namespace parallax {
namespace {

// Every number of a plain result that a ball excludes. What was rounded in double is left out.
int64_t excluded(const BallView& said, const BallStorage& plain) {
  int64_t count = 0;
  auto next = plain.balls.begin();
  for_each_element(said.layout, [&](int64_t element) {
    const Ball& ball = said.ball(element);
    const Ball& number = *next++;
    if (!ball.decided() || !std::isfinite(ball.mid)) return;
    const double slack = 0x1p-44 * (std::fabs(ball.mid) + std::fabs(number.mid));
    const bool infinite = !std::isfinite(number.mid) && (ball.may_inf || ball.may_nan);
    if (!infinite && !(std::fabs(number.mid - ball.mid) <= ball.radius + slack)) ++count;
  });
  return count;
}

class PlainKernels : public ::testing::TestWithParam<DType> {};

TEST_P(PlainKernels, LieInTheBallsOfTheReferenceKernels) {
  const Profile& eager = *find_profile("eager");
  std::set<std::string> drawn, computed;
  for (const Op& op : all_ops()) {
    if (!op.plain || !op.sample) continue;
    for (uint64_t stream = 0; stream < 150; ++stream) {
      const std::optional<Case> test = SingleOpPool::of(GetParam()).draw_case(op, stream);
      if (!test) continue;
      drawn.insert(op.name);
      std::vector<BallStorage> plain;
      const auto compute = [&](const ReferenceCall& call) {
        plain = plain_results(call);
        return false;
      };
      const auto compare = [&](NodeId id, std::span<const BallView> values) {
        const Node& node = test->graph.node(id);
        if (!plain.empty()) computed.insert(op.name);
        for (std::size_t k = 0; k < plain.size(); ++k) {
          EXPECT_EQ(excluded(values[node.results[k].index], plain[k]), 0)
              << op.name << " at " << name(GetParam()) << ", stream " << stream << ", result " << k;
        }
        plain.clear();
      };
      static_cast<void>(expected_runs(eager, *test, compare, nullptr, compute));  // eager refuses some data
    }
  }
  EXPECT_EQ(computed, drawn);
}

INSTANTIATE_TEST_SUITE_P(DTypes, PlainKernels, ::testing::Values(DType::F16, DType::BF16, DType::F32, DType::F64),
                         [](const auto& of) { return std::string(name(of.param)); });

}  // namespace
}  // namespace parallax
