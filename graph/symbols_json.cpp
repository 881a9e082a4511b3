#include "graph/symbols_json.h"

#include <algorithm>

#include "core/tensor.h"
#include "graph/builder.h"

namespace parallax {
namespace {

Result<Symbol> read_symbol(const std::string& name, const Field& range) {
  if (!is_identifier(name)) return range.fail("'{}' is not a name ([A-Za-z_][A-Za-z0-9_]*)", name);
  TRY_VOID(range.expect_array());
  if (range.json().size() != 2) return range.fail("must be [low, high]");
  TRY(const int64_t low, range.element(0).integer());
  TRY(const int64_t high, range.element(1).integer());
  if (low < 0 || low > high || high > max_tensor_elements)
    return range.fail("[{}, {}] is no range of sizes", low, high);
  return Symbol{name, low, high};
}

Result<TensorType> parse_type_at(const Field& entry, const NamedSize& named) {
  TRY(const Field field, entry.need("type"));
  TRY(const std::string text, field.text());
  auto type = parse_type(text, named);
  if (!type) return at(field.pointer(), std::move(type).error());
  return type;
}

// The dims of one input that are symbols.
Result<void> read_dims(const Field& entry, std::size_t source, Symbols& symbols) {
  const std::size_t before = symbols.dims.size();
  TRY([[maybe_unused]] const TensorType type,
      parse_type_at(entry, [&](std::string_view name, int dim) -> Result<int64_t> {
        const auto found = std::ranges::find(symbols.list, name, &Symbol::name);
        if (found == symbols.list.end()) return fail("no symbol is named '{}'", name);
        symbols.dims.push_back({source, dim, static_cast<std::size_t>(found - symbols.list.begin())});
        return found->high;
      }));
  if (symbols.dims.size() == before) return {};
  for (const char* placed : {"strides", "storage"}) {
    if (const auto field = entry.find(placed))
      return field->unsupported("an input with symbols is row-major in memory of its own");
  }
  return {};
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
  for (std::size_t s = 0; s < symbols.list.size(); ++s) {
    if (std::ranges::find(symbols.dims, s, &SymbolicDim::symbol) == symbols.dims.end())
      return field.fail("no input's type has '{}'", symbols.list[s].name);
  }
  return symbols;
}

Json symbols_json(const Symbols& symbols) {
  Json json = Json::object();
  for (const auto& [name, low, high] : symbols.list) json[name] = {low, high};
  return json;
}

Result<SymbolSizes> read_symbol_sizes(const Symbols& symbols, const Field& graph, const Field& feed) {
  std::vector<std::optional<int64_t>> known(symbols.list.size());
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
    for (const auto& [of, dim, s] : symbols.dims) {
      if (of != place) continue;
      const auto& [symbol, low, high] = symbols.list[s];
      if (dim >= type.sizes.size())
        return text.fail("'{}' has {} dims and '{}' is dim {}", name, type.sizes.size(), symbol, dim);
      const int64_t size = type.sizes[dim];
      if (size < low || size > high) return text.fail("{} is {}, outside [{}, {}]", symbol, size, low, high);
      if (known[s].value_or(size) != size) return text.fail("{} is {} here and {} before", symbol, size, *known[s]);
      known[s] = size;
    }
    return {};
  }));
  SymbolSizes sizes;
  for (const std::optional<int64_t>& size : known) sizes.push_back(size.value());
  return sizes;
}

NamedSize named_sizes(const Symbols& symbols, const SymbolSizes& sizes) {
  return [&symbols, sizes](std::string_view name, int) -> Result<int64_t> {
    const auto found = std::ranges::find(symbols.list, name, &Symbol::name);
    if (found == symbols.list.end()) return fail("no symbol is named '{}'", name);
    return sizes[static_cast<std::size_t>(found - symbols.list.begin())];
  };
}

std::string symbolic_type_text(const Graph& graph, std::size_t source, const Symbols& symbols) {
  const TensorMeta& meta = graph.meta(graph.sources[source].value);
  std::string sizes;
  for (int dim = 0; dim < meta.layout.rank(); ++dim) {
    const Symbol* symbol = symbols.at(source, dim);
    sizes += (dim > 0 ? "," : "") + (symbol ? symbol->name : std::to_string(meta.layout.sizes[dim]));
  }
  return fmt::format("{}[{}]", name(meta.dtype), sizes);
}

}  // namespace parallax
