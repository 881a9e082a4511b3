#include "reports/error_map.h"

#include <fmt/format.h>

#include "reports/page_parts.h"

namespace parallax {
namespace {

std::string class_of(const std::optional<double>& ulps) {
  return ulps ? fmt::format("number e{}", error_class(*ulps)) : "number";
}

}  // namespace

void write_error_legend(Html& html) {
  const auto legend = html.in("p", {{"class", "legend"}});
  html.text("error of the result: ");
  for (int at = 0; at < error_class_count; ++at) {
    html.element("span", error_class_text(at), {{"class", fmt::format("e{}", at)}});
  }
}

void write_error_table(Html& html, const ValueErrors& errors) {
  {
    const auto caption = html.in("p", {{"class", "caption"}});
    html.element("strong", "Errors by node");
    html.text(" · each value's worst element against the program in double, in units in the last place · eager: " +
              errors.eager_from);
  }
  if (errors.vanished) {
    html.element("p",
                 "Where every value is also an output, the program is right. The values are those of that program.",
                 {{"class", "note"}});
  }
  const auto box = scroll_box(html, "Errors by node", "scroll tall");
  const auto table = html.in("table", {{"class", "elements errors"}});
  write_columns(html, {"node", "value", "type", "target", "eager", "farthest at", "in double", "target's"});
  const auto body = html.in("tbody");
  for (const ValueError& error : errors.rows) {
    const std::string node = fmt::format("{}", error.node.index);
    const auto row = html.in("tr", {{"data-node", node}});
    html.element("td", "#" + node);
    html.element("th", error.name, {{"scope", "row"}});
    html.element("td", error.type);
    html.element("td", ulps_text(error.target), {{"class", class_of(error.target)}});
    html.element("td", ulps_text(error.eager), {{"class", class_of(error.eager)}});
    html.element("td", error.place);
    html.element("td", error.wanted);
    html.element("td", error.got);
  }
}

std::string error_words(const ValueErrors& errors) {
  const ValueError* worst = nullptr;
  for (const ValueError& row : errors.rows) {
    if (row.target && (worst == nullptr || *row.target > *worst->target)) worst = &row;
  }
  if (worst == nullptr) return "";
  return fmt::format("Coloured by error: the farthest is {}, {} where eager has {}.", worst->name,
                     ulps_text(worst->target), ulps_text(worst->eager));
}

}  // namespace parallax
