#include "graph/symbols_json.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/tensor.h"
#include "graph/builder.h"
#include "graph/counts.h"

namespace parallax {
namespace {

Result<Symbol> read_symbol(const std::string& name, const Field& range) {
  if (!is_identifier(name)) return range.fail("'{}' is not a name ([A-Za-z_][A-Za-z0-9_]*)", name);
  TRY_VOID(range.expect_array());
  if (range.json().size() != 2) return range.fail("{}: must be [low, high]", name);
  TRY(const int64_t low, range.element(0).integer());
  TRY(const int64_t high, range.element(1).integer());
  if (low > high) return range.fail("{}: [{}, {}] has no members", name, low, high);
  if (low < 0 || high > max_tensor_elements) return range.fail("{}: [{}, {}] is no range of sizes", name, low, high);
  return Symbol{name, low, high};
}

Result<TensorType> parse_type_at(const Field& entry, const NamedSize& named) {
  TRY(const Field field, entry.need("type"));
  TRY(const std::string text, field.text());
  auto type = parse_type(text, named);
  if (!type) return at(field.pointer(), std::move(type).error());
  return type;
}

// "s", "8*s", "2*s+1": a size that hangs on a symbol.
struct RelationText {
  int64_t factor = 1;
  std::string_view name;
  int64_t offset = 0;
};

constexpr int64_t most_in_relation = 1 << 20;

std::optional<int64_t> small_number(std::string_view digits) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || error != std::errc() || stop != end || number < 0 || number > most_in_relation)
    return std::nullopt;
  return number;
}

Result<RelationText> parse_relation(std::string_view text) {
  RelationText relation;
  const auto refused = [&] { return fail("'{}' is no size that hangs on a symbol, as s, 8*s or 2*s+1", text); };
  std::string_view rest = text;
  if (const std::size_t star = rest.find('*'); star != std::string_view::npos) {
    const std::optional<int64_t> factor = small_number(rest.substr(0, star));
    if (factor.value_or(0) < 1) return refused();
    relation.factor = *factor;
    rest.remove_prefix(star + 1);
  }
  if (const std::size_t sign = rest.find_first_of("+-"); sign != std::string_view::npos) {
    const std::optional<int64_t> offset = small_number(rest.substr(sign + 1));
    if (!offset) return refused();
    relation.offset = rest[sign] == '-' ? -*offset : *offset;
    rest = rest.substr(0, sign);
  }
  if (!is_identifier(rest)) return refused();
  relation.name = rest;
  return relation;
}

}  // namespace

Result<Relation> read_relation(std::string_view text, const Symbols& symbols) {
  TRY(const RelationText relation, parse_relation(text));
  const auto found = std::ranges::find(symbols.list, relation.name, &Symbol::name);
  if (found == symbols.list.end()) return fail("no symbol is named '{}'", relation.name);
  return Relation{static_cast<std::size_t>(found - symbols.list.begin()), relation.factor, relation.offset};
}

namespace {

// The dims of one input that are symbols.
Result<void> read_dims(const Field& entry, std::size_t source, Symbols& symbols) {
  const std::size_t before = symbols.dims.size();
  TRY([[maybe_unused]] const TensorType type,
      parse_type_at(entry, [&](std::string_view name, int dim) -> Result<int64_t> {
        TRY(const Relation of, read_relation(name, symbols));
        const auto& [symbol, low, high] = symbols.list[of.symbol];
        if (of.at(low) < 0) return fail("{} is {} where {} is {}", name, of.at(low), symbol, low);
        symbols.dims.push_back({source, dim, of});
        return of.at(high);
      }));
  if (symbols.dims.size() == before) return {};
  for (const char* placed : {"strides", "storage"}) {
    if (const auto field = entry.find(placed))
      return field->unsupported("an input with symbols is row-major in memory of its own");
  }
  return {};
}

}  // namespace

namespace {

// The symbols that nodes have for their "count".
Result<std::set<std::string>> read_count_names(const Field& graph) {
  std::set<std::string> names;
  const auto nodes = graph.find("nodes");
  if (!nodes || !nodes->json().is_array()) return names;
  for (std::size_t i = 0; i < nodes->json().size(); ++i) {
    const Field node = nodes->element(i);
    const auto count = node.json().is_object() ? node.find("count") : std::nullopt;
    if (!count || !count->json().is_string()) continue;
    TRY(std::string name, count->text());
    if (!is_identifier(name)) return count->fail("'{}' is no symbol, which a count is", name);
    names.insert(std::move(name));
  }
  return names;
}

}  // namespace

Result<Symbols> read_symbols(const Field& field, const Field& graph) {
  Symbols symbols;
  TRY_VOID(field.expect_object());
  TRY_VOID(for_each_member(field, [&](const std::string& name, const Field& range) -> Result<void> {
    TRY(Symbol symbol, read_symbol(name, range));
    symbols.list.push_back(std::move(symbol));
    return {};
  }));
  TRY_VOID(graph.expect_object());
  if (const auto inputs = graph.find("inputs")) {
    TRY_VOID(inputs->expect_object());
    std::size_t source = 0;
    const auto read_input = [&](const std::string&, const Field& entry) -> Result<void> {
      TRY_VOID(entry.expect_object());
      return read_dims(entry, source++, symbols);
    };
    TRY_VOID(for_each_member(*inputs, read_input));
  }
  TRY(const std::set<std::string> counts, read_count_names(graph));
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    const std::string& name = symbols.list[s].name;
    if (is_count(symbols, s) && !counts.contains(name)) return field.fail("no input's type has '{}'", name);
    if (!is_count(symbols, s) && counts.contains(name))
      return field.fail("'{}' is a size of an input, and so no count", name);
  }
  return symbols;
}

Json symbols_json(const Symbols& symbols) {
  Json json = Json::object();
  for (const auto& [name, low, high] : symbols.list) json[name] = {low, high};
  return json;
}

namespace {

// What the "counts" of a run say of the symbols that no input has.
Result<void> read_counts(const Symbols& symbols, const Field& run, std::vector<std::optional<int64_t>>& known) {
  if (const auto counts = run.find("counts")) {
    TRY_VOID(counts->expect_object());
    TRY_VOID(for_each_member(*counts, [&](const std::string& name, const Field& count) -> Result<void> {
      const auto found = std::ranges::find(symbols.list, name, &Symbol::name);
      const auto s = static_cast<std::size_t>(found - symbols.list.begin());
      if (found == symbols.list.end() || !is_count(symbols, s)) return count.fail("'{}' is no symbol of a count", name);
      TRY(known[s], count.integer());
      if (*known[s] < found->low || *known[s] > found->high)
        return count.fail("{} is {}, outside [{}, {}]", name, *known[s], found->low, found->high);
      return {};
    }));
  }
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    if (!known[s]) return run.fail("\"counts\" does not say what {} is", symbols.list[s].name);
  }
  return {};
}

}  // namespace

Json counts_json(const Symbols& symbols, const SymbolSizes& sizes) {
  Json json = Json::object();
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (is_count(symbols, s)) json[symbols.list[s].name] = sizes[s];
  }
  return json;
}

Result<SymbolSizes> read_symbol_sizes(const Symbols& symbols, const Field& graph, const Field& run) {
  std::vector<std::optional<int64_t>> known(symbols.list.size());
  TRY(const Field feed, run.need("feed"));
  TRY_VOID(feed.expect_object());
  TRY(const Field inputs, graph.need("inputs"));
  std::size_t source = 0;
  TRY_VOID(for_each_member(inputs, [&](const std::string& name, const Field&) -> Result<void> {
    const std::size_t place = source++;
    if (std::ranges::find(symbols.dims, place, &SymbolicDim::source) == symbols.dims.end()) return {};
    TRY(const Field entry, feed.need(name));
    if (!entry.json().is_object() || !entry.find("type"))
      return entry.fail("'{}' has symbols: its entry must carry a \"type\"", name);
    TRY(const TensorType type, parse_type_at(entry, nullptr));
    const Field text = *entry.find("type");
    for (const SymbolicDim& symbolic : symbols.dims) {
      if (symbolic.source != place) continue;
      const auto& [symbol, low, high] = symbols.list[symbolic.of.symbol];
      if (symbolic.dim >= type.sizes.size())
        return text.fail("'{}' has {} dims and '{}' is dim {}", name, type.sizes.size(), symbol, symbolic.dim);
      const int64_t elements = type.sizes[symbolic.dim];
      const std::optional<int64_t> size = symbolic.of.symbol_size(elements);
      if (!size) return text.fail("{} is {} for no size of {}", symbols.text(symbolic.of), elements, symbol);
      if (*size < low || *size > high) return text.fail("{} is {}, outside [{}, {}]", symbol, *size, low, high);
      std::optional<int64_t>& before = known[symbolic.of.symbol];
      if (before.value_or(*size) != *size) return text.fail("{} is {} here and {} before", symbol, *size, *before);
      before = size;
    }
    return {};
  }));
  TRY_VOID(read_counts(symbols, run, known));
  SymbolSizes sizes;
  for (const std::optional<int64_t>& size : known) sizes.push_back(size.value());
  return sizes;
}

NamedSize named_sizes(const Symbols& symbols, const SymbolSizes& sizes) {
  return [&symbols, sizes](std::string_view name, int) -> Result<int64_t> {
    TRY(const Relation of, read_relation(name, symbols));
    return of.at(sizes[of.symbol]);
  };
}

std::string symbolic_type_text(const Graph& graph, std::size_t source, const Symbols& symbols) {
  const TensorMeta& meta = graph.meta(graph.sources[source].value);
  std::string sizes;
  for (int dim = 0; dim < meta.layout.rank(); ++dim) {
    const SymbolicDim* symbolic = symbols.at(source, dim);
    sizes += (dim > 0 ? "," : "") + (symbolic ? symbols.text(symbolic->of) : std::to_string(meta.layout.sizes[dim]));
  }
  return fmt::format("{}[{}]", name(meta.dtype), sizes);
}

}  // namespace parallax
