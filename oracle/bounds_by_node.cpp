#include "oracle/bounds_by_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

NodeBound bound_of(NodeId node, std::span<const BallView> results) {
  NodeBound bound{.node = node};
  std::vector<double> radii;
  if (!results.empty()) bound.dtype = results.front().dtype;
  for (const BallView& result : results) {
    for_each_element(result.layout, [&](int64_t element) {
      ++bound.elements;
      const Undecided reason = result.floating() ? result.ball(element).undecided : result.integer(element).undecided;
      if (reason != Undecided::No) {
        ++bound.undecided[static_cast<std::size_t>(reason)];
      } else if (!result.floating() || result.ball(element).radius == 0) {
        ++bound.exact;
      } else {
        radii.push_back(radius_in_ulps(result.dtype, result.ball(element)));
      }
    });
  }
  if (!radii.empty()) {
    const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
    std::ranges::nth_element(radii, middle);
    bound.median_ulp = *middle;
    bound.largest_ulp = std::ranges::max(radii);
  }
  return bound;
}

}  // namespace

double radius_in_ulps(DType dtype, const Ball& ball) {
  const DTypeInfo& format = info(dtype);
  const double magnitude = std::max(std::fabs(ball.mid), format.smallest_normal);
  return ball.radius / std::ldexp(2 * format.unit_roundoff, std::ilogb(magnitude));
}

Result<std::vector<NodeBound>> bounds_by_node(const Graph& graph, const Profile& profile,
                                              std::span<const Tensor> feed) {
  std::vector<NodeBound> bounds;
  Interpreter interpreter(graph, profile);
  std::vector<BallView> results;
  const auto observe = [&](NodeId node, std::span<const BallView> values) {
    results.clear();
    for (const ValueId result : graph.node(node).results) results.push_back(values[result.index]);
    bounds.push_back(bound_of(node, results));
  };
  TRY(const Expected expected, interpreter.run(feed, observe));
  return bounds;
}

std::string describe(const NodeBound& bound) {
  int64_t undecided = 0;
  std::string reasons;
  for (std::size_t i = 1; i < bound.undecided.size(); ++i) {
    if (bound.undecided[i] == 0) continue;
    undecided += bound.undecided[i];
    reasons += fmt::format("{}{}", reasons.empty() ? "" : ", ", name(static_cast<Undecided>(i)));
  }
  std::string text;
  if (bound.exact == bound.elements) return "exact";
  if (bound.exact + undecided < bound.elements) {
    if (bound.exact > 0) text += fmt::format("exact {} of {}, the rest ", bound.exact, bound.elements);
    text += fmt::format("to {:.2g} ulp (at most {:.2g})", bound.median_ulp, bound.largest_ulp);
  } else if (bound.exact > 0) {
    text += fmt::format("exact {} of {}", bound.exact, bound.elements);
  }
  if (undecided > 0) {
    text += fmt::format("{}undecided {} of {}: {}", text.empty() ? "" : "; ", undecided, bound.elements, reasons);
  }
  return text;
}

}  // namespace parallax
