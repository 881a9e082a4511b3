#include "reports/conformance_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reports/html.h"
#include "reports/page.h"
#include "reports/page_parts.h"

namespace parallax {
namespace {

std::string_view kind_of(Conformance cell) {
  switch (cell) {
    case Conformance::Right:
      return "right";
    case Conformance::FellBack:
      return "fallback";
    case Conformance::Undecided:
      return "open";
    case Conformance::Declined:
      return "declined";
    case Conformance::Wrong:
      return "wrong";
    case Conformance::Crashed:
      return "crashed";
  }
  return "";
}

void write_cell(Html& html, const std::optional<Conformance>& cell) {
  if (cell) {
    html.element("td", name(*cell), {{"class", "c-" + std::string(kind_of(*cell))}});
  } else {
    html.element("td", "");
  }
}

// What nobody knows yet stands first, then what is wrong, then the rest by name.
std::vector<const ConformanceRow*> in_reading_order(const std::vector<ConformanceRow>& rows) {
  std::vector<const ConformanceRow*> order;
  for (const ConformanceRow& row : rows) order.push_back(&row);
  const auto count = [](const ConformanceRow& row, auto&& holds) {
    return std::ranges::count_if(row.cells, [&](const auto& cell) { return cell && holds(*cell); });
  };
  std::ranges::stable_sort(order, {}, [&](const ConformanceRow* row) {
    return std::tuple(-count(*row, [](Conformance cell) { return cell == Conformance::Undecided; }),
                      -count(*row, [](Conformance cell) { return cell >= Conformance::Wrong; }), row->op);
  });
  return order;
}

void write_row(Html& html, const ConformanceRow& row, const std::vector<OpCells>& cases) {
  const auto line = html.in("tr");
  html.element("th", row.op, {{"scope", "row"}});
  for (std::size_t d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    const auto& cell = row.cells[d];
    write_map_cell(html, row.op, dtype, cell ? name(*cell) : "", cell ? "c-" + std::string(kind_of(*cell)) : "",
                   has_case(cases, row.op, dtype));
  }
  const auto why = html.in("td", {{"class", "relations"}});
  if (row.why.empty()) return;
  const auto details = html.in("details");
  html.element("summary", "why");
  html.text(row.why);
}

void write_overview(Html& html, const ConformanceTable& table, const std::vector<OpCells>& cases) {
  {
    const auto numbers = html.in("dl", {{"class", "numbers"}});
    for (const auto& [cell, count] : table.totals()) write_number(html, fmt::format("{}", count), name(cell));
  }
  html.element("h2", fmt::format("{} ops by dtype", table.rows.size()), {{"id", "ops"}, {"tabindex", "-1"}});
  html.element("p",
               cases.empty() ? "The worst of an op's cases at each dtype"
                             : "The worst of an op's cases at each dtype, undecided ones first; a cell opens its case",
               {{"class", "caption"}});
  const auto box = scroll_box(html, "Ops by dtype");
  const auto grid = html.in("table", {{"class", "map conformance"}});
  {
    const auto head = html.in("thead");
    const auto row = html.in("tr");
    html.element("th", "op", {{"scope", "col"}});
    for (int d = 0; d < dtype_count; ++d) html.element("th", name(static_cast<DType>(d)), {{"scope", "col"}});
    html.element("th", "why", {{"scope", "col"}});
  }
  const auto body = html.in("tbody");
  for (const ConformanceRow* row : in_reading_order(table.rows)) write_row(html, *row, cases);
}

}  // namespace

std::string conformance_page(const ConformanceTable& table, const std::vector<OpCells>& cases) {
  Html html;
  {
    const auto header = html.in("header", {{"class", "top"}});
    write_top(html, "Conformance of " + table.target, table.title());
  }
  {
    const auto main = html.in("main");
    {
      const auto overview = html.in("div", {{"class", "overview"}});
      write_overview(html, table, cases);
    }
    write_cell_pages(html, cases, "#ops");
  }
  return html_page("Parallax: conformance of " + table.target, html.take());
}

std::string difference_page(const ConformanceDifference& difference) {
  Html html;
  {
    const auto header = html.in("header", {{"class", "top"}});
    write_top(html, "Conformance: what changed", "From " + difference.before + " to " + difference.after);
  }
  {
    const auto main = html.in("main");
    {
      const auto numbers = html.in("dl", {{"class", "numbers"}});
      write_number(html, fmt::format("{}", difference.changes.size()), "changed");
      write_number(html, fmt::format("{}", std::ranges::count_if(difference.changes, &ConformanceChange::is_worse)),
                   "for the worse");
      write_number(html, fmt::format("{}", difference.same), "the same");
    }
    html.element("h2", "Changes");
    if (difference.changes.empty()) html.element("p", "None.", {{"class", "note"}});
    if (!difference.changes.empty()) {
      const auto box = scroll_box(html, "Changes");
      const auto grid = html.in("table", {{"class", "map conformance"}});
      write_columns(html, {"op", "dtype", "before", "after", "change", "why"});
      const auto body = html.in("tbody");
      for (const ConformanceChange& change : difference.changes) {
        const auto row = html.in("tr");
        html.element("th", change.op, {{"scope", "row"}});
        html.element("td", name(change.dtype));
        write_cell(html, change.before);
        write_cell(html, change.after);
        html.element("td", change.is_worse() ? "worse" : change.before && change.after ? "better" : "");
        html.element("td", change.why, {{"class", "relations"}});
      }
    }
  }
  return html_page("Parallax: conformance, what changed", html.take());
}

}  // namespace parallax
