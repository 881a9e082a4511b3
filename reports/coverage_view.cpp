#include "reports/coverage_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/page_parts.h"

namespace parallax {
namespace {

// One of six shades, by the logarithm: the first graphs of an op say more than the thousandth.
std::string shade(int64_t count) {
  if (count == 0) return "s0";
  return fmt::format("s{}", std::clamp(1 + static_cast<int>(std::log10(static_cast<double>(count)) * 1.5), 1, 6));
}

std::string short_count(int64_t count) {
  if (count < 1000) return fmt::format("{}", count);
  if (count < 1'000'000) return fmt::format("{:.3g}k", static_cast<double>(count) / 1e3);
  return fmt::format("{:.3g}M", static_cast<double>(count) / 1e6);
}

std::string_view dtype_name(std::size_t dtype) { return name(static_cast<DType>(dtype)); }

void write_head(Html& html, std::string_view first, std::string_view last) {
  const auto head = html.in("thead");
  const auto row = html.in("tr");
  html.element("th", first, {{"scope", "col"}});
  for (std::size_t d = 0; d < dtype_count; ++d) html.element("th", dtype_name(d), {{"scope", "col"}});
  html.element("th", last, {{"scope", "col"}});
}

// Which relations an op's nodes brought about, and for which dtypes.
std::map<std::string, std::vector<std::string_view>> relations_of(const CoverageRow& row) {
  std::map<std::string, std::vector<std::string_view>> relations;
  for (std::size_t d = 0; d < dtype_count; ++d) {
    for (const std::string& relation : row.cells[d].relations) relations[relation].push_back(dtype_name(d));
  }
  return relations;
}

bool is_hole(const CoverageCell& cell) { return cell.possible && cell.nodes == 0; }

// Holes first, then what ended undecided the most, then the rest by name.
std::vector<const CoverageRow*> in_reading_order(const std::vector<CoverageRow>& rows) {
  std::vector<const CoverageRow*> order;
  for (const CoverageRow& row : rows) order.push_back(&row);
  std::ranges::stable_sort(order, {}, [](const CoverageRow* row) {
    int64_t nodes = 0, undecided = 0;
    for (const CoverageCell& cell : row->cells) {
      nodes += cell.nodes;
      undecided += cell.undecided;
    }
    const double share = nodes == 0 ? 0 : static_cast<double>(undecided) / static_cast<double>(nodes);
    return std::tuple(-std::ranges::count_if(row->cells, is_hole), -share, row->op);
  });
  return order;
}

void write_op(Html& html, const CoverageRow& row, const CoverageReport& coverage) {
  const auto line = html.in("tr");
  html.element("th", row.op, {{"scope", "row"}});
  for (std::size_t d = 0; d < dtype_count; ++d) {
    const CoverageCell& cell = row.cells[d];
    const auto dtype = static_cast<DType>(d);
    std::string text = cell.nodes > 0 ? short_count(cell.nodes) : cell.possible ? "0" : "";
    if (cell.undecided > 0) text += fmt::format(" ?{}", short_count(cell.undecided));
    const std::string kind = cell.nodes > 0 ? shade(cell.nodes) : cell.possible ? "hole" : "none";
    write_map_cell(html, row.op, dtype, text, kind, has_case(coverage.cases, row.op, dtype));
  }
  const auto last = html.in("td", {{"class", "relations"}});
  const auto relations = relations_of(row);
  if (relations.empty()) return;
  const auto details = html.in("details");
  html.element("summary", fmt::format("{} of {}", relations.size(), coverage.relations.size()));
  const auto list = html.in("ul");
  for (const auto& [relation, dtypes] : relations) {
    html.element("li", fmt::format("{}: {}", relation, fmt::join(dtypes, " ")));
  }
}

void write_relations(Html& html, const CoverageReport& coverage) {
  std::map<std::string, std::array<int64_t, dtype_count>> ops;
  for (const CoverageRow& row : coverage.rows) {
    for (std::size_t d = 0; d < dtype_count; ++d) {
      for (const std::string& relation : row.cells[d].relations) ++ops[relation][d];
    }
  }
  html.element("p", "Alias relation × dtype: how many ops brought it about, and how many graphs hold it",
               {{"class", "caption"}});
  const auto box = scroll_box(html, "Alias relations by dtype", "scroll tall");
  const auto table = html.in("table", {{"class", "map"}});
  write_head(html, "alias relation", "graphs");
  const auto body = html.in("tbody");
  for (const auto& [relation, graphs] : coverage.relations) {
    const auto row = html.in("tr");
    html.element("th", relation, {{"scope", "row"}});
    for (const int64_t count : ops[relation]) {
      html.element("td", count == 0 ? "" : fmt::format("{}", count), {{"class", count == 0 ? "none" : shade(count)}});
    }
    html.element("td", short_count(graphs), {{"class", graphs == 0 ? "hole" : shade(graphs)}});
  }
}

}  // namespace

void write_coverage(Html& html, const CoverageReport& coverage) {
  int64_t possible = 0;
  int64_t drawn = 0;
  for (const CoverageRow& row : coverage.rows) {
    for (const CoverageCell& cell : row.cells) {
      possible += cell.possible || cell.nodes > 0;
      drawn += cell.nodes > 0;
    }
  }
  html.element("p", fmt::format("{} graphs hold {} of the {} pairs of op and dtype that there are.", coverage.graphs,
                                drawn, possible));
  {
    const auto legend = html.in("p", {{"class", "legend"}});
    html.element("span", "drawn: nodes of that op whose first result has that dtype", {{"class", "s4"}});
    html.element("span", "possible, not drawn", {{"class", "hole"}});
    html.element("span", "?3: of these, 3 in graphs that ended undecided");
  }
  write_relations(html, coverage);
  html.element("p",
               "What sources, outputs or a missing reader bring about is no op's: such a relation has graphs only.",
               {{"class", "note"}});
  const auto details = html.in("details", {{"open", "open"}});
  html.element("summary", fmt::format("Op × dtype × alias relation: {} ops", coverage.rows.size()));
  html.element(
      "p",
      "Nodes by op and dtype: what was never drawn first, then what ended undecided. A cell opens a case of one "
      "call; the last column opens to the alias relations of the op",
      {{"class", "caption"}});
  const auto box = scroll_box(html, "Ops by dtype", "scroll tall");
  const auto table = html.in("table", {{"class", "map"}});
  write_head(html, "op", "alias relations");
  const auto body = html.in("tbody");
  for (const CoverageRow* row : in_reading_order(coverage.rows)) write_op(html, *row, coverage);
}

}  // namespace parallax
