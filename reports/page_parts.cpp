#include "reports/page_parts.h"

#include <fmt/format.h>

namespace parallax {

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void write_top(Html& html, std::string_view heading, std::string_view line) {
  html.element("p", "Parallax", {{"class", "brand"}});
  html.element("h1", heading);
  html.element("p", line, {{"class", "quiet"}});
}

Html::Scope scroll_box(Html& html, std::string_view label, std::string_view kind) {
  return html.in("div", {{"class", kind}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}});
}

void write_columns(Html& html, std::initializer_list<std::string_view> columns) {
  const auto head = html.in("thead");
  const auto row = html.in("tr");
  for (const std::string_view column : columns) html.element("th", column, {{"scope", "col"}});
}

void write_number(Html& html, std::string_view number, std::string_view what) {
  const auto box = html.in("div");
  html.element("dt", what);
  html.element("dd", number);
}

void write_badge(Html& html, std::string_view text, std::string_view kind) {
  html.element("span", text, {{"class", "badge " + std::string(kind)}});
}

void write_standing(Html& html, Standing standing) {
  if (standing == Standing::Unknown) return;
  write_badge(html, name(standing),
              standing == Standing::New          ? "new"
              : standing == Standing::NewlyFlaky ? "flaky"
              : standing == Standing::Gone       ? "gone"
                                                 : "neutral");
}

}  // namespace parallax
