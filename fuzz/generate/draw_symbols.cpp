#include "fuzz/generate/draw_symbols.h"

#include <algorithm>
#include <array>
#include <optional>

namespace parallax {
namespace {

struct Place {
  std::size_t source = 0;
  int dim = 0;
};

// The dims that can be symbols: of inputs that are row-major in memory of their own, and longer than one.
std::vector<Place> possible_places(const Graph& graph, const Symbols& taken) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < graph.sources.size(); ++i) {
    const Source& source = graph.sources[i];
    const Layout& layout = graph.meta(source.value).layout;
    if (source.kind != SourceKind::Input || source.window || layout.strides != contiguous_strides(layout.sizes))
      continue;
    for (int dim = 0; dim < layout.rank(); ++dim) {
      if (layout.sizes[dim] > 1 && layout.numel() > 0 && !taken.at(i, dim)) places.push_back({i, dim});
    }
  }
  return places;
}

void add_symbol(Choices& choices, const Graph& graph, std::string name, Symbols& symbols) {
  const std::vector<Place> places = possible_places(graph, symbols);
  if (places.empty()) return;
  Place first = choices.pick(places);
  const auto has_symbols = [&](std::size_t source) {
    return std::ranges::find(symbols.dims, source, &SymbolicDim::source) != symbols.dims.end();
  };
  // Two dims of the same inputs exchange their sizes without a change of the total, which is what careless caches go
  // by.
  bool beside = false;
  if (!symbols.empty() && choices.chance(70)) {
    const auto other_dim = std::ranges::find(places, symbols.dims.front().source, &Place::source);
    beside = other_dim != places.end();
    if (beside) first = *other_dim;
  }
  const auto sizes = [&](std::size_t source) -> const Dims& {
    return graph.meta(graph.sources[source].value).layout.sizes;
  };
  const int64_t high = sizes(first.source)[first.dim];
  const std::size_t symbol = symbols.list.size();
  symbols.list.push_back({std::move(name), choices.chance(20) ? std::min<int64_t>(2, high) : 1, high});
  symbols.dims.push_back({first.source, first.dim, symbol});
  for (const auto& [source, dim] : places) {
    const bool alike = source != first.source && dim == first.dim && sizes(source) == sizes(first.source);
    if (alike && (beside ? has_symbols(source) : choices.chance(85))) symbols.dims.push_back({source, dim, symbol});
  }
}

// Two sizes that both symbols may have, one for each, or nothing where the ranges have fewer in common.
std::optional<SymbolSizes> draw_exchangeable(Choices& choices, const Symbols& symbols) {
  if (symbols.list.size() != 2) return std::nullopt;
  const int64_t low = std::max(symbols.list[0].low, symbols.list[1].low);
  const int64_t high = std::min(symbols.list[0].high, symbols.list[1].high);
  if (low >= high) return std::nullopt;
  const int64_t first = choices.between(low, high);
  const int64_t second = choices.between(low, high - 1);
  return SymbolSizes{first, second + (second >= first)};
}

SymbolSizes lowest(const Symbols& symbols) {
  SymbolSizes sizes;
  for (const Symbol& symbol : symbols.list) sizes.push_back(symbol.low);
  return sizes;
}

bool same_but_for_sizes(const std::vector<ResultMeta>& a, const std::vector<ResultMeta>& b) {
  return std::ranges::equal(a, b, [](const ResultMeta& x, const ResultMeta& y) {
    return x.dtype == y.dtype && x.alias == y.alias && x.same_object == y.same_object;
  });
}

}  // namespace

Symbols draw_symbols(Choices& choices, const Graph& graph) {
  const Choices::Scope scope(choices, "symbols");
  Symbols symbols;
  add_symbol(choices, graph, "B", symbols);
  if (!symbols.empty() && choices.chance(50)) add_symbol(choices, graph, "S", symbols);
  return symbols;
}

std::vector<SymbolSizes> draw_run_sizes(Choices& choices, const Symbols& symbols) {
  const Choices::Scope scope(choices, "runs");
  enum Kind { Below, Bound, Low };
  static constexpr std::array<uint32_t, 3> weights = {50, 30, 20};
  std::vector<SymbolSizes> runs;
  if (choices.chance(60)) {
    if (auto sizes = draw_exchangeable(choices, symbols)) runs = {*sizes, {sizes->rbegin(), sizes->rend()}};
  }
  const std::size_t count = choices.chance(40) ? 3 : 2;
  while (runs.size() < count) {
    const auto kind = static_cast<Kind>(choices.weighted(weights));
    SymbolSizes sizes;
    for (const auto& [name, low, high] : symbols.list) {
      sizes.push_back(kind == Bound ? high : kind == Low ? low : choices.between(low, std::max(low, high - 1)));
    }
    // A second run at the sizes of the first shows nothing that B of a plain case does not.
    if (runs.size() == 1 && sizes == runs.front()) sizes = sizes == symbols.bound() ? lowest(symbols) : symbols.bound();
    runs.push_back(std::move(sizes));
  }
  return runs;
}

SizesAhead::SizesAhead(const Symbols& symbols, const std::vector<SymbolSizes>& runs, const Graph& sources) {
  for (const SymbolSizes& sizes : runs) {
    std::vector<TensorMeta>& metas = metas_.emplace_back(sources.metas);
    for (const auto& [source, dim, symbol] : symbols.dims) {
      Layout& layout = metas[sources.sources[source].value.index].layout;
      layout.sizes[dim] = sizes[symbol];
      layout.strides = contiguous_strides(layout.sizes);
    }
  }
}

bool SizesAhead::take(const Op& op, std::span<const Argument> arguments, const Graph& graph) {
  results_.clear();
  if (metas_.empty()) return true;
  const auto at_bound = op.infer(Call(op, arguments, graph.metas));
  if (!at_bound) return false;
  for (const std::vector<TensorMeta>& metas : metas_) {
    auto results = op.infer(Call(op, arguments, metas));
    if (!results || !same_but_for_sizes(*at_bound, *results)) return false;
    results_.push_back(*std::move(results));
  }
  return true;
}

void SizesAhead::add_node(const Graph& graph) {
  for (std::size_t run = 0; run < metas_.size(); ++run) {
    const std::vector<ValueId>& made = graph.nodes.back().results;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const TensorMeta& meta = graph.meta(made[k]);
      metas_[run].push_back({meta.dtype, results_[run][k].layout, meta.storage});
    }
  }
}

}  // namespace parallax
