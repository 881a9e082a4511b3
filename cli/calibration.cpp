#include "cli/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/runs.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {

Result<Calibration> Calibration::of(const Case& test) {
  const Graph& graph = test.graph;
  Calibration calibration;
  calibration.seen_.resize(graph.metas.size());
  for (std::size_t v = 0; v < graph.metas.size(); ++v) calibration.leaders_.push_back(v);
  const auto look = [&](ValueId value, std::span<const BallView> views) {
    const BallView& view = views[value.index];
    if (!view.floating()) return;
    for_each_element(view.layout, [&](int64_t element) { calibration.see(value, view.ball(element).mid); });
  };
  const auto observe = [&](NodeId node, std::span<const BallView> views) {
    const Node& call = graph.node(node);
    if (!call.op->writes()) {
      for (const Argument& argument : call.arguments)
        for_each_value(argument, [&](ValueId value) { look(value, views); });
    }
    for (const ValueId result : call.results) look(result, views);
  };
  std::map<int, Interpreter> instances;
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    const int instance = run == 0 ? 0 : test.later[run - 1].instance;
    Interpreter& interpreter = instances.try_emplace(instance, graph, *find_profile("eager")).first->second;
    TRY_VOID(interpreter.run(run == 0 ? test.feed : test.later[run - 1].feed, observe));
  }
  return calibration;
}

void Calibration::see(ValueId value, double x) {
  Seen& seen = seen_[value.index];
  if (!std::isfinite(x)) {
    seen.finite = false;
    return;
  }
  seen.range.low = seen.any ? std::min(seen.range.low, x) : x;
  seen.range.high = seen.any ? std::max(seen.range.high, x) : x;
  seen.any = true;
}

std::size_t Calibration::leader(ValueId value) const {
  std::size_t at = value.index;
  while (leaders_[at] != at) at = leaders_[at];
  return at;
}

std::optional<ValueRange> Calibration::range(ValueId value) const {
  const Seen& seen = seen_[leader(value)];
  return seen.any && seen.finite ? std::optional(seen.range) : std::nullopt;
}

void Calibration::share(std::span<const ValueId> values) {
  const std::size_t first = leader(values.front());
  for (const ValueId value : values) {
    const std::size_t other = leader(value);
    if (other == first) continue;
    const Seen from = seen_[other];
    Seen& to = seen_[first];
    to.finite = to.finite && from.finite;
    if (from.any) {
      to.range.low = to.any ? std::min(to.range.low, from.range.low) : from.range.low;
      to.range.high = to.any ? std::max(to.range.high, from.range.high) : from.range.high;
      to.any = true;
    }
    leaders_[other] = first;
  }
}

}  // namespace parallax
