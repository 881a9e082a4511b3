#include "oracle/noted_errors.h"

#include <algorithm>
#include <limits>

namespace parallax {
namespace {

// Nothing where the element may be anything but a number near its centre, or its error is no normal float.
std::optional<NotedError> error_of(const Ball& ball, double plain) {
  if (!ball.decided() || ball.may_nan || ball.may_inf || !std::isfinite(ball.mid)) return std::nullopt;
  // The centre of what several forms give lies beside what the plain one does.
  const double error = drawn_error(ball) + std::fabs(ball.mid - plain);
  const bool is_float = error >= static_cast<double>(std::numeric_limits<float>::min()) &&
                        error <= static_cast<double>(std::numeric_limits<float>::max());
  if (error != 0 && !is_float) return std::nullopt;
  return NotedError(error, ball.radius > 0 && std::fabs(ball.mid) <= ball.radius);
}

}  // namespace

double drawn_error(const Ball& ball) {
  if (ball.deviation <= 0) return ball.radius;
  return std::min(ball.radius, std::sqrt(3.0) * static_cast<double>(ball.deviation));
}

std::vector<BallStorage> plain_results(const ReferenceCall& call) {
  if (!call.op().plain) return {};
  std::vector<BallStorage> results;
  std::vector<BallView> outputs;
  results.reserve(call.outputs().size());
  for (const BallView& output : call.outputs()) {
    results.emplace_back(output.dtype, output.layout.numel());
    outputs.push_back({&results.back(), output.dtype, contiguous_layout(output.layout.sizes)});
  }
  if (!call.op().plain(call.with(call, outputs))) return {};
  return results;
}

void ErrorNotes::before(const ReferenceCall& call) {
  visits_.push_back({&call.op(), {}});
  plain_ = plain_results(call);
}

void ErrorNotes::after(const Node& node, std::span<const BallView> values) {
  if (plain_.empty()) return;
  Visit& visit = visits_.back();
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    const BallView& result = values[node.results[k].index];
    std::vector<NotedError> errors;
    errors.reserve(plain_[k].balls.size());
    bool noted = result.floating();
    for_each_element(result.layout, [&](int64_t element) {
      if (!noted) return;
      const auto error = error_of(result.ball(element), plain_[k].balls[errors.size()].mid);
      noted = error.has_value();
      if (error) errors.push_back(*error);
    });
    if (!noted) {
      visit.results.clear();
      break;
    }
    visit.results.push_back(std::move(errors));
  }
  plain_.clear();
}

const std::vector<std::vector<NotedError>>* ErrorNotes::of(std::size_t visit, const ReferenceCall& call) const {
  if (visit >= visits_.size() || visits_[visit].op != &call.op() || visits_[visit].results.empty()) return nullptr;
  return &visits_[visit].results;
}

}  // namespace parallax
