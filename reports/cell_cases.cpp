#include "reports/cell_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace parallax {
namespace {

// An op's name in an address.
std::string slug(std::string_view op) {
  std::string text;
  for (const char c : op) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return text;
}

std::string anchor(std::string_view op, DType dtype) { return fmt::format("c-{}-{}", slug(op), name(dtype)); }

void write_case(Html& html, std::string_view op, DType dtype, const CellCase& one) {
  const auto section = html.in("section", {{"id", anchor(op, dtype)}, {"tabindex", "-1"}});
  html.element("h3", name(dtype));
  html.element("p", one.said);
  // There are thousands of them: no more markup than it takes.
  html.element("pre", one.program);
  html.element("p", one.command, {{"class", "signature"}});
  if (one.json.empty()) return;
  const auto details = html.in("details");
  html.element("summary", "The case file");
  html.element("pre", one.json, {{"data-copy", "case"}, {"tabindex", "0"}, {"aria-label", "The case file"}});
}

}  // namespace

void write_map_cell(Html& html, std::string_view op, DType dtype, std::string_view text, std::string_view kind,
                    bool opens) {
  const auto cell = html.in("td", {{"class", kind}});
  if (opens && !text.empty()) {
    html.element("a", text, {{"href", "#" + anchor(op, dtype)}});
  } else {
    html.text(text);
  }
}

void write_cell_pages(Html& html, const std::vector<OpCells>& ops, std::string_view back) {
  for (const OpCells& op : ops) {
    if (std::ranges::none_of(op.cells, [](const auto& cell) { return cell.has_value(); })) continue;
    const auto article = html.in("article", {{"class", "finding cells"}});
    {
      const auto link = html.in("p", {{"class", "back"}});
      html.element("a", "← The table", {{"href", back}});
    }
    html.element("h2", op.op);
    for (std::size_t d = 0; d < dtype_count; ++d) {
      if (op.cells[d]) write_case(html, op.op, static_cast<DType>(d), *op.cells[d]);
    }
  }
}

bool has_case(const std::vector<OpCells>& ops, std::string_view op, DType dtype) {
  const auto found = std::ranges::lower_bound(ops, op, {}, &OpCells::op);
  return found != ops.end() && found->op == op && found->cells[static_cast<std::size_t>(dtype)].has_value();
}

}  // namespace parallax
