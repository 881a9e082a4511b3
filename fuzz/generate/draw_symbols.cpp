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
  // Of two sizes there is little to see.
  std::vector<Place> long_places;
  std::ranges::copy_if(places, std::back_inserter(long_places), [&](const Place& place) {
    return graph.meta(graph.sources[place.source].value).layout.sizes[place.dim] > 2;
  });
  Place first = choices.pick(!long_places.empty() && choices.chance(85) ? long_places : places);
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
  static constexpr std::array<uint32_t, 3> low_weights = {12, 64, 24};
  const auto low = static_cast<int64_t>(choices.weighted(low_weights));
  symbols.list.push_back({std::move(name), std::min(low, high - 1), high});
  symbols.dims.push_back({first.source, first.dim, {symbol}});
  for (const auto& [source, dim] : places) {
    const bool alike = source != first.source && dim == first.dim && sizes(source) == sizes(first.source);
    if (alike && (beside ? has_symbols(source) : choices.chance(85))) symbols.dims.push_back({source, dim, {symbol}});
  }
}

// Factors and offsets of the relations that dims of other sizes may have to a symbol.
constexpr int64_t most_factor = 3;
constexpr int64_t most_offset = 3;

// Dims of other sizes that hang on the first symbol: twice as long, one longer, and the like.
void add_related(Choices& choices, const Graph& graph, Symbols& symbols) {
  const Symbol& symbol = symbols.list.front();
  for (const auto& [source, dim] : possible_places(graph, symbols)) {
    const int64_t size = graph.meta(graph.sources[source].value).layout.sizes[dim];
    const Relation of{0, std::clamp<int64_t>(size / symbol.high, 1, most_factor)};
    const int64_t offset = size - of.at(symbol.high);
    const bool fits = std::abs(offset) <= most_offset && of.at(symbol.low) + offset >= 0;
    const bool itself = of.factor == 1 && offset == 0;
    if (itself || !fits || !choices.chance(70)) continue;
    symbols.dims.push_back({source, dim, {0, of.factor, offset}});
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

bool same_but_for_sizes(const std::vector<ResultMeta>& a, const std::vector<ResultMeta>& b) {
  return std::ranges::equal(a, b, [](const ResultMeta& x, const ResultMeta& y) {
    const bool same_rank = x.layout.rank() == y.layout.rank();
    return same_rank && x.dtype == y.dtype && x.alias == y.alias && x.same_object == y.same_object;
  });
}

// Sizes at which a call may turn out to be another one: the least of all, and each symbol alone at its least and at
// 0, 1 and 2, which are special to broadcasts, views and reductions.
std::vector<SymbolSizes> special_sizes(const Symbols& symbols) {
  std::vector<SymbolSizes> special = {least_sizes(symbols)};
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    for (int64_t size = 0; size <= 2; ++size) {
      SymbolSizes& sizes = special.emplace_back(symbols.bound());
      sizes[s] = std::clamp(size, symbols.list[s].low, symbols.list[s].high);
    }
  }
  return special;
}

// These sizes, or others that no run has yet, where there are any: one symbol is another size.
SymbolSizes unseen(const Symbols& symbols, const std::vector<SymbolSizes>& runs, SymbolSizes sizes) {
  const auto is_seen = [&](const SymbolSizes& some) { return std::ranges::find(runs, some) != runs.end(); };
  for (std::size_t s = 0; s < sizes.size() && is_seen(sizes); ++s) {
    const int64_t own = sizes[s];
    for (int64_t size = symbols.list[s].low; size <= symbols.list[s].high && is_seen(sizes); ++size) sizes[s] = size;
    if (is_seen(sizes)) sizes[s] = own;
  }
  return sizes;
}

}  // namespace

Symbols draw_symbols(Choices& choices, const Graph& graph) {
  const Choices::Scope scope(choices, "symbols");
  Symbols symbols;
  add_symbol(choices, graph, "B", symbols);
  if (!symbols.empty() && choices.chance(50)) add_symbol(choices, graph, "S", symbols);
  if (!symbols.empty() && choices.chance(60)) add_related(choices, graph, symbols);
  return symbols;
}

SymbolSizes least_sizes(const Symbols& symbols) {
  SymbolSizes sizes;
  for (const Symbol& symbol : symbols.list) sizes.push_back(symbol.low);
  return sizes;
}

std::size_t draw_run_count(Choices& choices) {
  static constexpr std::array<uint32_t, 7> weights = {3, 33, 28, 16, 10, 5, 5};
  return 2 + choices.weighted(weights);
}

std::vector<SymbolSizes> draw_run_sizes(Choices& choices, const Symbols& symbols, std::size_t count) {
  const Choices::Scope scope(choices, "runs");
  enum Kind { Below, Bound, Low, One, Alike, Earlier };
  static constexpr std::array<uint32_t, 6> weights = {44, 20, 12, 8, 8, 8};
  std::vector<SymbolSizes> runs;
  if (choices.chance(60)) {
    if (auto sizes = draw_exchangeable(choices, symbols)) runs = {*sizes, {sizes->rbegin(), sizes->rend()}};
  }
  while (runs.size() < count) {
    const auto kind = static_cast<Kind>(choices.weighted(weights));
    SymbolSizes sizes;
    const auto into = [](int64_t size, const Symbol& symbol) { return std::clamp(size, symbol.low, symbol.high); };
    for (const Symbol& symbol : symbols.list) {
      const auto& [name, low, high] = symbol;
      switch (kind) {
        case Bound:
          sizes.push_back(high);
          break;
        case Low:
          sizes.push_back(low);
          break;
        case One:
          sizes.push_back(into(1, symbol));
          break;
        case Alike:
          sizes.push_back(sizes.empty() ? choices.between(low, high) : into(sizes.front(), symbol));
          break;
        default:
          sizes.push_back(choices.between(low, std::max(low, high - 1)));
          break;
      }
    }
    if (kind == Earlier && runs.size() > 2) sizes = choices.pick(runs);
    // A second run at the sizes of the first shows nothing that B of a plain case does not.
    if (runs.size() == 1 && sizes == runs.front())
      sizes = sizes == symbols.bound() ? least_sizes(symbols) : symbols.bound();
    if (runs.size() == 2) sizes = unseen(symbols, runs, std::move(sizes));
    runs.push_back(std::move(sizes));
  }
  return runs;
}

SizesAhead::SizesAhead(const Symbols& symbols, const std::vector<SymbolSizes>& runs, const Graph& sources)
    : symbols_(&symbols), sizes_(runs) {
  for (SymbolSizes& sizes : special_sizes(symbols)) {
    if (std::ranges::find(sizes_, sizes) == sizes_.end()) sizes_.push_back(std::move(sizes));
  }
  for (const SymbolSizes& sizes : sizes_) {
    std::vector<TensorMeta>& metas = metas_.emplace_back(sources.metas);
    for (const SymbolicDim& symbolic : symbols.dims) {
      Layout& layout = metas[sources.sources[symbolic.source].value.index].layout;
      layout.sizes[symbolic.dim] = symbolic.of.at(sizes[symbolic.of.symbol]);
      layout.strides = contiguous_strides(layout.sizes);
    }
  }
}

bool SizesAhead::take(const Op& op, std::span<const Argument> arguments, const Graph& graph,
                      const std::vector<NumberInCall>& numbers) {
  results_.clear();
  if (metas_.empty()) return true;
  const auto at_bound = op.infer(Call(op, arguments, graph.metas));
  if (!at_bound) return false;
  std::vector<Argument> there(arguments.begin(), arguments.end());
  for (std::size_t k = 0; k < metas_.size(); ++k) {
    for (const NumberInCall& number : numbers) {
      *integer_in(there[number.argument], number.place) = number.of.at(sizes_[k][number.of.symbol]);
    }
    auto results = op.infer(Call(op, there, metas_[k]));
    if (!results || !same_but_for_sizes(*at_bound, *results)) return false;
    results_.push_back(*std::move(results));
  }
  return true;
}

std::optional<std::vector<NumberInCall>> SizesAhead::follow(Choices& choices, const Op& op,
                                                            std::vector<Argument>& arguments, const Graph& graph) {
  // What may follow a symbol: integers as large as it is at its bound, or in a plain relation to it.
  std::vector<NumberInCall> found;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const auto* list = std::get_if<IntList>(&arguments[a]);
    for (std::size_t place = 0; place < (list ? list->size() : 1); ++place) {
      const int64_t* integer = integer_in(arguments[a], place);
      if (!integer || *integer < 1) continue;
      for (std::size_t s = 0; s < symbols_->list.size(); ++s) {
        const int64_t high = symbols_->list[s].high;
        const int64_t factor = *integer / high;
        if (factor < 1 || *integer - factor * high > most_offset) continue;
        found.push_back({a, place, {s, factor, *integer - factor * high}});
        break;
      }
    }
  }
  if (found.empty()) return std::nullopt;
  const NumberInCall& one = choices.pick(found);
  if (choices.chance(40) && std::holds_alternative<IntList>(arguments[one.argument])) {
    std::vector<Argument> open = arguments;
    *integer_in(open[one.argument], one.place) = -1;
    if (take(op, open, graph)) {
      arguments = std::move(open);
      return std::vector<NumberInCall>{};
    }
  }
  for (const std::vector<NumberInCall>& some : {std::vector<NumberInCall>{one}, found}) {
    if (take(op, arguments, graph, some)) return some;
  }
  return std::nullopt;
}

void SizesAhead::add_source(const TensorMeta& meta) {
  for (std::vector<TensorMeta>& metas : metas_) metas.push_back(meta);
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
