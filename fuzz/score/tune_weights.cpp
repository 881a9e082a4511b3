#include "fuzz/score/tune_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace parallax {
namespace {

// How far candidates lie from the centre, in natural logarithms of weights and of the odds of percentages; it shrinks
// from round to round.
constexpr double first_spread = 0.5;
constexpr double shrinking = 0.85;

struct PercentageRow {
  std::string_view name;
  int GenerateWeights::* field;
};
constexpr std::array percentages = {PercentageRow{"other_main_dtype", &GenerateWeights::other_main_dtype},
                                    PercentageRow{"other_dtype", &GenerateWeights::other_dtype},
                                    PercentageRow{"second_class", &GenerateWeights::second_class},
                                    PercentageRow{"other_class", &GenerateWeights::other_class},
                                    PercentageRow{"reshaped", &GenerateWeights::reshaped},
                                    PercentageRow{"empty", &GenerateWeights::empty},
                                    PercentageRow{"odd_strides", &GenerateWeights::odd_strides},
                                    PercentageRow{"shared_storage", &GenerateWeights::shared_storage},
                                    PercentageRow{"buffers", &GenerateWeights::buffers},
                                    PercentageRow{"constants", &GenerateWeights::constants},
                                    PercentageRow{"drop_unread", &GenerateWeights::drop_unread},
                                    PercentageRow{"op_first", &GenerateWeights::op_first},
                                    PercentageRow{"symbols", &GenerateWeights::symbols}};

// Calls `visit(array)` for each of the lists of weights.
template <class Weights, class Visit>
void for_each_list(Weights& weights, Visit&& visit) {
  visit(weights.groups);
  visit(weights.dtypes);
  visit(weights.fills);
  visit(weights.motifs);
}

// Numbers without bounds, in which a step means as much anywhere.
using Point = std::vector<double>;

Point point_of(const GenerateWeights& weights) {
  Point point;
  for_each_list(weights, [&](const auto& list) {
    for (const uint32_t weight : list) point.push_back(std::log(static_cast<double>(std::max(weight, 1u))));
  });
  for (const PercentageRow& row : percentages) {
    const double share = std::clamp(weights.*row.field, 1, 99) / 100.0;
    point.push_back(std::log(share / (1 - share)));
  }
  return point;
}

// Weights of a list that come to what they came to in `list`; each that was there stays there.
template <std::size_t n>
void set_list(std::array<uint32_t, n>& list, const double* logarithms) {
  const auto sum = static_cast<double>(std::accumulate(list.begin(), list.end(), 0u));
  double drawn = 0;
  for (std::size_t i = 0; i < n; ++i) drawn += list[i] > 0 ? std::exp(logarithms[i]) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (list[i] > 0) list[i] = static_cast<uint32_t>(std::max(std::lround(std::exp(logarithms[i]) * sum / drawn), 1L));
  }
}

// `base` at a point.
GenerateWeights weights_at(GenerateWeights base, const Point& point) {
  const double* at = point.data();
  for_each_list(base, [&](auto& list) {
    set_list(list, at);
    at += list.size();
  });
  for (const PercentageRow& row : percentages) {
    const double share = 1 / (1 + std::exp(-*at++));
    int& percentage = base.*row.field;
    if (percentage > 0) percentage = std::clamp(static_cast<int>(std::lround(100 * share)), 1, 99);
  }
  return base;
}

Point mean_of(std::span<const Point> points, std::span<const std::size_t> chosen) {
  Point mean(points.front().size(), 0);
  for (const std::size_t i : chosen) {
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += points[i][d] / static_cast<double>(chosen.size());
  }
  return mean;
}

}  // namespace

Result<GenerateWeights> tune(const GenerateWeights& start, const TuneOptions& options, const CostsOf& costs_of,
                             const TellRound& tell) {
  std::mt19937_64 engine(options.seed);
  Point centre = point_of(start);
  double spread = first_spread;
  for (int round = 0; round < options.rounds; ++round, spread *= shrinking) {
    std::normal_distribution<double> step(0, spread);
    std::vector<Point> points(static_cast<std::size_t>(options.candidates), centre);
    for (std::size_t i = 1; i < points.size(); ++i) {
      for (double& number : points[i]) number += step(engine);
    }
    std::vector<GenerateWeights> candidates;
    for (const Point& point : points) candidates.push_back(weights_at(start, point));
    TRY(const std::vector<double> costs, costs_of(candidates, round));
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return costs[i]; });
    tell(round, costs.front(), costs[order.front()]);
    order.resize(std::max<std::size_t>(order.size() / 4, 1));
    centre = mean_of(points, order);
  }
  return weights_at(start, centre);
}

std::string text_of(const GenerateWeights& weights) {
  std::string text = fmt::format("  .groups = {{{}}},\n  .dtypes = {{{}}},\n  .fills = {{{}}},\n  .motifs = {{{}}},\n",
                                 fmt::join(weights.groups, ", "), fmt::join(weights.dtypes, ", "),
                                 fmt::join(weights.fills, ", "), fmt::join(weights.motifs, ", "));
  for (const PercentageRow& row : percentages) text += fmt::format("  .{} = {},\n", row.name, weights.*row.field);
  return text;
}

}  // namespace parallax
