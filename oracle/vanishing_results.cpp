#include "oracle/vanishing_results.h"

#include <array>
#include <cmath>
#include <string_view>

#include "ops/ball_math.h"

namespace parallax {
namespace {

// Units in the last place of the terms that a difference may be off by: two implementations seldom are by more.
constexpr double units = 8;

// The term of a sum or difference that no factor goes with; where they cancel, the other one is as large.
std::optional<arg> term_of(const Op& op) {
  struct Row {
    std::string_view name;
    arg term;
  };
  static constexpr std::array rows = {Row{"aten.add.Tensor", arg::self}, Row{"aten.sub.Tensor", arg::self},
                                      Row{"aten.add.Scalar", arg::self}, Row{"aten.sub.Scalar", arg::self},
                                      Row{"aten.rsub.Tensor", arg::other}};
  const std::string_view name = op.functional ? op.functional->name : op.name;
  for (const Row& row : rows) {
    if (row.name == name) return row.term;
  }
  return std::nullopt;
}

// How near to 0 each element of the result is no farther from it than `units` of that term.
std::vector<float> reaches_of(const ReferenceCall& call) {
  const std::optional<arg> term = term_of(call.op());
  if (!term || !call.is_tensor(*term) || !call.output().floating() || !call.input(*term).floating()) return {};
  const BallView& input = call.input(*term);
  const std::optional<Layout> layout = broadcast_to(input.layout, call.output().layout.sizes);
  if (!layout) return {};
  const double share = 2 * units * info(call.output().dtype).unit_roundoff;
  std::vector<float> reaches;
  reaches.reserve(static_cast<std::size_t>(layout->numel()));
  for_each_element(*layout, [&](int64_t element) {
    const double magnitude = std::fabs(input.ball(element).mid) * share;
    reaches.push_back(std::isfinite(magnitude) ? static_cast<float>(magnitude) : 0);
  });
  return reaches;
}

bool may_be_zero(const Ball& ball) { return ball.decided() && ball.radius > 0 && contains_zero(ball); }

}  // namespace

VanishingResults VanishingResults::of(const Profile& profile, const Case& test) {
  VanishingResults vanishing;
  const auto after = [&](NodeId id, std::span<const BallView> values) {
    const Node& node = test.graph.node(id);
    // A node of control flow has no visit of its own, and neither have those of its subgraphs.
    if (vanishing.visits_.empty() || vanishing.visits_.back().op != node.op) return;
    std::vector<float>& reaches = vanishing.visits_.back().reaches;
    if (reaches.empty()) return;
    const BallView& result = values[node.results[0].index];
    std::size_t at = 0;
    for_each_element(result.layout, [&](int64_t element) {
      float& reach = reaches[at++];
      if (!may_be_zero(result.ball(element))) reach = 0;
    });
  };
  const Result<ExpectedRuns> runs = expected_runs(profile, test, after, nullptr, [&](const ReferenceCall& call) {
    vanishing.visits_.push_back({&call.op(), reaches_of(call)});
    return false;
  });
  return runs ? vanishing : VanishingResults();
}

std::span<const float> VanishingResults::reaches(std::size_t visit, const Op& op) const {
  if (visit >= visits_.size() || visits_[visit].op != &op) return {};
  return visits_[visit].reaches;
}

}  // namespace parallax
