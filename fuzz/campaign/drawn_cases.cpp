#include "fuzz/campaign/drawn_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/generate/draw_data.h"
#include "fuzz/generate/draw_gradient.h"
#include "graph/runs.h"

namespace parallax {
namespace {

// Which graph case k has, and which of its feeds. The graphs of a pack come together, and again with each next feed, so
// that a target which keeps its last program lowers it once.
struct FedGraph {
  uint64_t graph = 0;
  uint64_t feed = 0;
};
constexpr uint64_t graphs_together = 8;

FedGraph fed_graph(uint64_t k, uint64_t feeds) {
  const uint64_t in_block = k % (graphs_together * feeds);
  return {k / (graphs_together * feeds) * graphs_together + in_block % graphs_together, in_block / graphs_together};
}

// Apart from those that other feeds are drawn from.
constexpr uint64_t gradient_stream = uint64_t{1} << 32;

// One graph in that many still holds calls that are known to be wrong on every target, so that it shows when they are
// mended.
constexpr uint64_t graphs_a_known = 8;

// What the other graphs are drawn from, where there are such calls.
std::optional<Vocabulary> words_for_news(const std::vector<const Target*>& targets, const KnownFindings& known) {
  if (std::ranges::all_of(known.entries(), [](const KnownFinding& entry) { return entry.avoid.empty(); })) {
    return std::nullopt;
  }
  return Vocabulary::taken_by(targets, [&](const Op& op, DType dtype) {
    return !std::ranges::all_of(
        targets, [&](const Target* target) { return known.avoids(op, dtype, target->name(), target->versions()); });
  });
}

}  // namespace

DrawnCases::DrawnCases(uint64_t seed, const DrawOptions& options) : seed_(seed), options_(options) {}

void DrawnCases::draw_for(const std::vector<const Target*>& targets, const KnownFindings& known) {
  words_ = Vocabulary::taken_by(targets);
  news_ = words_for_news(targets, known);
}

std::optional<Case> DrawnCases::at(uint64_t k) const {
  if (options_.graphs && k >= *options_.graphs) return std::nullopt;
  const FedGraph place = fed_graph(k, options_.feeds);
  GenerateOptions drawn_from{options_.profile, options_.min_nodes, options_.max_nodes};
  drawn_from.around = options_.around ? &*options_.around : nullptr;
  drawn_from.words = words_ ? &*words_ : nullptr;
  if (news_ && place.graph % graphs_a_known != 0) drawn_from.words = &*news_;
  Choices choices(seed_, place.graph);
  Case test = generate(choices, drawn_from);
  test.name = fmt::format("seed {} case {}", seed_, place.graph);
  if (place.feed > 0) {
    Choices others(mix(seed_, place.feed), place.graph);
    redraw_feed(others, weights_of(options_.profile), test);
    test.name += fmt::format(" feed {}", place.feed);
  }
  if (options_.gradients && !has_several_runs(test)) {
    Choices drawn(mix(seed_, gradient_stream), k);
    draw_gradient(drawn, test);
  }
  return test;
}

std::size_t DrawnCases::cases_a_turn() const { return options_.feeds > 1 ? graphs_together * options_.feeds : 1; }

}  // namespace parallax
