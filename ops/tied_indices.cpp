#include "ops/tied_indices.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ops/lanes.h"

namespace parallax {
namespace {

// NaN ranks last, and all NaNs are equal.
bool ranks_before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

bool is_nan(double x) { return std::isnan(x); }

// The elements of a line, where each is known exactly.
std::optional<std::vector<double>> known_line(const BallView& self, std::span<const int64_t> lane) {
  std::vector<double> line;
  for (const int64_t element : lane) {
    const bool decided = self.floating() || self.integer(element).decided();
    const Ball ball = self.as_ball(element);
    if (!decided || !ball.is_exact()) return std::nullopt;
    line.push_back(ball.mid);
  }
  return line;
}

// The places of a line whose elements are equal to `value`.
std::vector<Ball> places_of(const std::vector<double>& line, double value) {
  std::vector<Ball> places;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!ranks_before(line[i], value) && !ranks_before(value, line[i])) {
      places.push_back(Ball::exact(static_cast<double>(i)));
    }
  }
  return places;
}

bool is(const Op& op, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, op.schema.name) != names.end();
}

bool is_sort(const Op& op) { return is(op, {"sort", "argsort", "topk"}); }
bool is_statistic(const Op& op) { return is(op, {"median", "nanmedian", "kthvalue"}) && op.schema.returns.size() > 1; }

// Whether a line comes out by rank: without that, any of the elements taken may stand at any place.
bool is_in_order(const Call& call) { return !call.takes(arg::sorted) || call.boolean(arg::sorted); }

bool is_descending(const Call& call) {
  if (call.takes(arg::largest)) return call.boolean(arg::largest);
  return call.takes(arg::descending) && call.boolean(arg::descending);
}

}  // namespace

bool gives_tied_indices(const Op& op) { return is_sort(op) || is_statistic(op); }

Alternatives tied_indices(const ReferenceCall& call) {
  Alternatives alternatives;
  const Result<DimMask> dim = reduced_dims(call);
  if (!dim || !is_in_order(call)) return alternatives;
  const BallView& self = call.input(arg::self);
  const BallView& indices = call.outputs().back();
  const auto note = [&](int64_t element, const std::vector<double>& line, double value) {
    if (indices.integer(element).decided()) return;
    if (std::vector<Ball> places = places_of(line, value); !places.empty()) {
      alternatives.emplace(element, std::move(places));
    }
  };
  const Lanes lanes(self.layout, *dim);
  if (is_statistic(call.op())) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto result = static_cast<int64_t>(i);
      const Ball value = call.output().as_ball(result);
      if (const auto line = known_line(self, lanes[i]); line && value.is_exact()) note(result, *line, value.mid);
    }
    return alternatives;
  }
  const Lanes ranked(indices.layout, *dim);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto line = known_line(self, lanes[i]);
    if (!line || (call.allows(Form::UnorderedNan) && std::ranges::any_of(*line, is_nan))) continue;
    std::vector<double> order = *line;
    std::ranges::sort(order, ranks_before);
    if (is_descending(call)) std::ranges::reverse(order);
    for (std::size_t k = 0; k < ranked[i].size(); ++k) note(ranked[i][k], *line, order[k]);
  }
  return alternatives;
}

}  // namespace parallax
