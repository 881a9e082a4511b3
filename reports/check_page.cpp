#include "reports/check_page.h"

#include <fmt/format.h>

#include "reports/error_map.h"
#include "reports/page.h"
#include "reports/page_parts.h"

namespace parallax {
namespace {

void write_target(Html& html, const CheckedTarget& checked) {
  const auto section = html.in("section");
  html.element("h2", checked.target);
  {
    const auto badges = html.in("p", {{"class", "badges"}});
    write_badge(html, name(checked.verdict), name(checked.verdict));
  }
  if (!checked.reason.empty()) html.element("p", checked.reason, {{"class", "reason"}});
  if (!checked.more.empty()) {
    html.element("pre", checked.more, {{"tabindex", "0"}, {"aria-label", "The explanation"}});
  }
  if (!checked.errors) {
    html.element("p",
                 "The graph is not coloured by error: the target handed no value out from between its inputs and "
                 "outputs.",
                 {{"class", "note"}});
    return;
  }
  html.element("h3", "Graph, coloured by error");
  write_error_legend(html);
  {
    const auto figure = html.in("figure");
    html.element("figcaption", checked.drawn);
    if (checked.picture.svg.empty()) {
      html.element("p", "No picture: " + checked.picture.missing + ".", {{"class", "note"}});
    } else {
      const auto box = scroll_box(html, checked.drawn, "scroll picture");
      html.markup(checked.picture.svg);
    }
  }
  write_error_table(html, *checked.errors);
}

}  // namespace

std::string check_page(const CheckReport& report) {
  Html html;
  {
    const auto header = html.in("header", {{"class", "top"}});
    write_top(html, "Check of " + report.name, fmt::format("Made {} by parallax {}", report.made, report.version));
  }
  {
    const auto main = html.in("main");
    for (const CheckedTarget& checked : report.targets) write_target(html, checked);
    const auto section = html.in("section");
    html.element("h2", "The graph as text");
    html.element("pre", report.graph, {{"tabindex", "0"}, {"aria-label", "The graph as text"}});
  }
  return html_page("Parallax: check of " + report.name, html.take());
}

}  // namespace parallax
