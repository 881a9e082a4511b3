#include "reports/coverage_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

void write_op(Html& html, const CoverageRow& row, std::size_t all_relations) {
  const auto line = html.in("tr");
  html.element("th", row.op, {{"scope", "row"}});
  for (std::size_t d = 0; d < dtype_count; ++d) {
    const CoverageCell& cell = row.cells[d];
    if (cell.nodes > 0) {
      html.element("td", short_count(cell.nodes), {{"class", shade(cell.nodes)}});
    } else {
      html.element("td", cell.possible ? "0" : "", {{"class", cell.possible ? "hole" : "none"}});
    }
  }
  const auto last = html.in("td", {{"class", "relations"}});
  const auto relations = relations_of(row);
  if (relations.empty()) return;
  const auto details = html.in("details");
  html.element("summary", fmt::format("{} of {}", relations.size(), all_relations));
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
  }
  write_relations(html, coverage);
  html.element("p",
               "What sources, outputs or a missing reader bring about is no op's: such a relation has graphs only.",
               {{"class", "note"}});
  const auto details = html.in("details");
  html.element("summary", fmt::format("Op × dtype × alias relation: {} ops", coverage.rows.size()));
  html.element("p", "Nodes by op and dtype; the last column opens to the alias relations of the op",
               {{"class", "caption"}});
  const auto box = scroll_box(html, "Ops by dtype", "scroll tall");
  const auto table = html.in("table", {{"class", "map"}});
  write_head(html, "op", "alias relations");
  const auto body = html.in("tbody");
  for (const CoverageRow& row : coverage.rows) write_op(html, row, coverage.relations.size());
}

}  // namespace parallax
