#include "fuzz/generate/drawn_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fuzz/generate/draw_symbols.h"
#include "fuzz/generate/draw_values.h"
#include "graph/counts.h"
#include "graph/runs.h"

namespace parallax {
namespace {

// Draws for one more run before there is none.
constexpr int most_draws = 400;

// The tensor again and again, until it has these sizes.
Tensor repeated(const Tensor& tensor, const Dims& sizes) {
  Tensor made(tensor.dtype, sizes);
  if (tensor.numel() == 0) return made;
  const Dims strides = contiguous_strides(sizes);
  const Dims had = contiguous_strides(tensor.sizes);
  const auto element = tensor.bytes.size() / static_cast<std::size_t>(tensor.numel());
  for (int64_t i = 0; i < made.numel(); ++i) {
    int64_t from = 0;
    for (int dim = 0; dim < sizes.size(); ++dim) from += (i / strides[dim]) % sizes[dim] % tensor.sizes[dim] * had[dim];
    std::copy_n(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(from) * static_cast<std::ptrdiff_t>(element),
                element, made.bytes.begin() + static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(element));
  }
  return made;
}

}  // namespace

std::size_t draw_more_calls(Choices& choices) {
  static constexpr std::array<uint32_t, 3> lengths = {14, 5, 1};
  static constexpr std::array<std::pair<int64_t, int64_t>, 3> bounds = {{{1, 4}, {5, 15}, {16, 63}}};
  const auto [fewest, most] = bounds[choices.weighted(lengths)];
  return static_cast<std::size_t>(choices.between(fewest, most));
}

Result<Case> with_drawn_runs(const Case& test, std::size_t count, uint64_t seed) {
  if (test.symbols.empty()) return fail("the case has no symbols: it is of one size");
  for (std::size_t s = 0; s < test.symbols.list.size(); ++s) {
    if (!is_count(test.symbols, s)) continue;
    return fail("{} hangs on data: the case has the sizes of its runs alone", test.symbols.list[s].name);
  }
  Choices choices(seed, 0);
  Case drawn = test;
  drawn.later.clear();
  drawn.expect = {};
  std::vector<SymbolSizes> seen = {sizes_of_run(test, 0)};
  const GenerateWeights& weights = weights_of(GenerateProfile::Dynamic);
  for (int draw = 0; draw < most_draws && seen.size() < count; ++draw) {
    SymbolSizes sizes = draw == 0 ? test.symbols.bound() : least_sizes(test.symbols);
    if (draw > 1) {
      for (std::size_t s = 0; s < sizes.size(); ++s) {
        const auto& [name, low, high] = test.symbols.list[s];
        sizes[s] = choices.between(low, high);
      }
    }
    if (std::ranges::find(seen, sizes) != seen.end()) continue;
    const Result<Graph> there = at_sizes(test.graph, test.symbols, sizes);
    if (!there) continue;
    LaterRun run{sizes, {}, {}};
    const std::vector<FeedSlot> slots = feed_slots(*there);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Tensor tensor = is_floating(slots[i].dtype)
                                ? draw_tensor(choices, slots[i].dtype, slots[i].layout.sizes, weights)
                                : repeated(test.feed[i], slots[i].layout.sizes);
      run.feed.push_back(settled(tensor, slots[i].layout));
    }
    drawn.later.push_back(std::move(run));
    seen.push_back(std::move(sizes));
  }
  if (seen.size() < count) {
    std::string ranges;
    for (const auto& [name, low, high] : test.symbols.list)
      ranges += fmt::format("{}{} in [{}, {}]", ranges.empty() ? "" : ", ", name, low, high);
    return fail("the case has {} sizes and not {}: {}", seen.size(), count, ranges);
  }
  return drawn;
}

}  // namespace parallax
