#include "fuzz/generate/guided_tapes.h"

#include <algorithm>

#include "fuzz/generate/semantic_coverage.h"
#include "fuzz/generate/tape_mutator.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr int anew = 50;       // percentage of the graphs
constexpr int crossings = 20;  // percentage of the others
constexpr int most_edits = 4;  // one on top of the other
constexpr int looks = 4;       // kept tapes of which the one with the rarest feature is edited
constexpr std::size_t most_bytes = 1 << 14;

uint64_t number_of(const Op& op) { return static_cast<uint64_t>(&op - all_ops().data()); }

// Which op reads a result of which.
void add_readings(const Graph& graph, std::vector<uint64_t>& features) {
  std::vector<const Op*> makers(graph.metas.size(), nullptr);  // by value
  for (const Node& node : graph.nodes) {
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        const Op* maker = makers[value.index];
        if (maker) features.push_back(mix(number_of(*maker), number_of(*node.op)));
      });
    }
    for (ValueId result : node.results) makers[result.index] = node.op;
  }
}

}  // namespace

Case GuidedTapes::next() {
  const uint64_t k = graphs_++;
  if (kept_.empty() || draws_.chance(anew)) {
    Choices choices(seed_, k);
    Case test = draw_(choices);
    keep_if_new(test, choices.tape());
    return test;
  }
  const std::vector<uint8_t> tape = edited_tape();
  Choices choices(tape);
  Case test = draw_(choices);
  keep_if_new(test, choices.tape());
  return test;
}

std::vector<uint8_t> GuidedTapes::edited_tape() {
  const ReadTape read = [&](Choices& choices) { draw_(choices); };
  std::vector<uint8_t> tape = pick().tape;
  if (draws_.chance(crossings)) return crossed(tape, pick().tape, most_bytes, read, draws_.below(1U << 31));
  const uint64_t edits = 1 + draws_.below(most_edits);
  for (uint64_t i = 0; i < edits; ++i) tape = mutated(tape, most_bytes, read, nullptr, draws_.below(1U << 31));
  return tape;
}

const GuidedTapes::Kept& GuidedTapes::pick() {
  const Kept* best = &draws_.pick(kept_);
  for (int i = 1; i < looks; ++i) {
    const Kept& other = draws_.pick(kept_);
    if (rarest(other) < rarest(*best)) best = &other;
  }
  return *best;
}

uint64_t GuidedTapes::rarest(const Kept& kept) const {
  uint64_t least = UINT64_MAX;
  for (uint64_t feature : kept.features) least = std::min(least, seen_.at(feature));
  return least;
}

void GuidedTapes::keep_if_new(const Case& test, const std::vector<uint8_t>& tape) {
  std::vector<uint64_t> features = graph_features(test.graph);
  add_readings(test.graph, features);
  std::ranges::sort(features);
  const auto repeats = std::ranges::unique(features);
  features.erase(repeats.begin(), repeats.end());
  bool is_new = false;
  for (uint64_t feature : features) is_new = ++seen_[feature] == 1 || is_new;
  if (is_new) kept_.push_back({tape, std::move(features)});
}

}  // namespace parallax
