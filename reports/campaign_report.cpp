#include "reports/campaign_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/grouped_digits.h"
#include "corpus/known.h"
#include "reports/coverage_view.h"
#include "reports/finding_list.h"
#include "reports/page.h"
#include "reports/page_parts.h"

namespace parallax {
namespace {

std::string rate(const LaneReport& lane) {
  return lane.seconds > 0 ? fmt::format("{:.0f}", static_cast<double>(lane.cases) / lane.seconds) : "–";
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

void write_numbers(Html& html, const FolderReport& report) {
  int64_t cases = 0;
  int64_t judged = 0;
  double seconds = 0;
  for (const CampaignReport& campaign : report.campaigns) {
    seconds += campaign.seconds;
    for (const LaneReport& lane : campaign.lanes) {
      cases += lane.cases;
      judged += lane.judged;
    }
  }
  const auto numbers = html.in("dl", {{"class", "numbers"}});
  write_number(html, fmt::format("{}", report.findings.size()), report.findings.size() == 1 ? "finding" : "findings");
  if (!report.since.empty()) {
    std::map<Standing, int64_t> standings;
    for (const FindingReport& finding : report.findings) ++standings[finding.standing];
    write_number(html, fmt::format("{}", standings[Standing::New]), "new");
    write_number(html, fmt::format("{}", standings[Standing::NewlyFlaky]), "newly flaky");
    write_number(html, fmt::format("{}", standings[Standing::Known]), "known");
    write_number(html, fmt::format("{}", report.gone.size()), "gone");
  }
  if (report.campaigns.empty()) return;
  write_number(html, grouped_digits(cases), "cases");
  write_number(
      html, cases > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(judged) / static_cast<double>(cases)) : "–",
      "judged");
  write_number(html, duration(seconds), "of fuzzing");
}

// Verdicts as a bar of parts, each with its number in words for who cannot see the bar.
void write_verdicts(Html& html, const LaneReport& lane) {
  std::string words;
  for (std::size_t v = 0; v < verdict_count; ++v) {
    if (lane.verdicts[v] == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name(static_cast<Verdict>(v)), lane.verdicts[v]);
  }
  {
    const auto svg = html.in("svg", {{"class", "bar"},
                                     {"role", "img"},
                                     {"aria-label", words},
                                     {"width", "220"},
                                     {"height", "10"},
                                     {"viewBox", "0 0 220 10"},
                                     {"preserveAspectRatio", "none"}});
    double x = 0;
    for (std::size_t v = 0; v < verdict_count && lane.cases > 0; ++v) {
      if (lane.verdicts[v] == 0) continue;
      // What is there is seen, however rare it is.
      const double width =
          std::max(2.0, 220.0 * static_cast<double>(lane.verdicts[v]) / static_cast<double>(lane.cases));
      html.empty("rect", {{"class", name(static_cast<Verdict>(v))},
                          {"x", fmt::format("{:.1f}", x)},
                          {"y", "0"},
                          {"width", fmt::format("{:.1f}", width)},
                          {"height", "10"}});
      x += width;
    }
  }
  html.element("span", words, {{"class", "words"}});
}

void write_campaigns(Html& html, const std::vector<CampaignReport>& campaigns) {
  const auto box = scroll_box(html, "Campaigns");
  const auto table = html.in("table", {{"class", "list"}});
  write_columns(html, {"begun", "target", "cases", "graphs/s", "verdicts", "findings", "first found at graph"});
  const auto body = html.in("tbody");
  for (const CampaignReport& campaign : campaigns) {
    for (const LaneReport& lane : campaign.lanes) {
      const auto row = html.in("tr");
      {
        const auto cell = html.in("td");
        html.text(campaign.begun);
        html.empty("br");
        html.element(
            "small",
            fmt::format(
                "seed {} · {}{}{}", campaign.seed, campaign.profile, campaign.finished ? "" : " · not finished",
                campaign.planted.empty() ? "" : fmt::format(" · planted {}", fmt::join(campaign.planted, " "))));
      }
      html.element("th", lane.target, {{"scope", "row"}});
      html.element("td", fmt::format("{}", lane.cases), {{"class", "number"}});
      html.element("td", rate(lane), {{"class", "number"}});
      {
        const auto cell = html.in("td");
        write_verdicts(html, lane);
      }
      html.element("td", fmt::format("{}", lane.found_at.size()), {{"class", "number"}});
      const double pace = lane.seconds > 0 ? static_cast<double>(lane.cases) / lane.seconds : 0;
      html.element("td",
                   lane.found_at.empty() ? "–"
                   : pace > 0            ? fmt::format("{} (about {})", lane.found_at.front(),
                                                       duration(static_cast<double>(lane.found_at.front() + 1) / pace))
                                         : fmt::format("{}", lane.found_at.front()),
                   {{"class", "number"}});
    }
  }
}

constexpr double chart_left = 34;
constexpr double chart_right = 600;
constexpr double chart_top = 12;
constexpr double chart_bottom = 150;

// How many findings there were after so many graphs. Most come early: the graphs go by their logarithm.
void draw_discovery(Html& html, const CampaignReport& campaign) {
  int64_t cases = 1;
  std::size_t most = 0;
  for (const LaneReport& lane : campaign.lanes) {
    cases = std::max(cases, lane.cases);
    most = std::max(most, lane.found_at.size());
  }
  if (most == 0) return;
  const double decades = std::log10(static_cast<double>(cases) + 1);
  const auto x = [&](int64_t graph) {
    return chart_left + (chart_right - chart_left) * std::log10(static_cast<double>(graph) + 1) / decades;
  };
  const auto y = [&](std::size_t count) {
    return chart_bottom - (chart_bottom - chart_top) * static_cast<double>(count) / static_cast<double>(most);
  };
  std::string words = "Findings by the number of graphs.";
  for (const LaneReport& lane : campaign.lanes) {
    if (!lane.found_at.empty())
      words += fmt::format(" {}: {}, the first at graph {}, the last at graph {} of {}.", lane.target,
                           lane.found_at.size(), lane.found_at.front(), lane.found_at.back(), lane.cases);
  }
  const auto figure = html.in("figure");
  html.element("figcaption", "Time to find: distinct findings by the number of graphs so far");
  const auto box = scroll_box(html, "Findings by graphs");
  const auto svg = html.in("svg", {{"class", "chart"},
                                   {"role", "img"},
                                   {"aria-label", words},
                                   {"width", "640"},
                                   {"height", "190"},
                                   {"viewBox", "0 0 640 190"}});
  const auto line = [&](double x1, double y1, double x2, double y2) {
    html.empty("line", {{"class", "grid"},
                        {"x1", fmt::format("{:.1f}", x1)},
                        {"y1", fmt::format("{:.1f}", y1)},
                        {"x2", fmt::format("{:.1f}", x2)},
                        {"y2", fmt::format("{:.1f}", y2)}});
  };
  const auto label = [&](double at_x, double at_y, std::string_view kind, std::string_view text) {
    html.element("text", text,
                 {{"class", kind}, {"x", fmt::format("{:.1f}", at_x)}, {"y", fmt::format("{:.1f}", at_y)}});
  };
  const std::size_t step = std::max<std::size_t>(1, (most + 3) / 4);
  for (std::size_t count = 0; count <= most; count += step) {
    line(chart_left, y(count), chart_right, y(count));
    label(chart_left - 8, y(count) + 4, "offset", fmt::format("{}", count));
  }
  for (int64_t graph = 1; graph <= cases; graph *= 10) {
    line(x(graph), chart_top, x(graph), chart_bottom);
    label(x(graph), chart_bottom + 16, "step", fmt::format("{}", graph));
  }
  label((chart_left + chart_right) / 2, chart_bottom + 34, "step", "graphs");
  std::size_t number = 0;
  for (const LaneReport& lane : campaign.lanes) {
    if (lane.found_at.empty()) continue;
    std::string path = fmt::format("M{:.1f} {:.1f}", x(0), y(0));
    std::size_t count = 0;
    for (const int64_t graph : lane.found_at) path += fmt::format("H{:.1f}V{:.1f}", x(graph), y(++count));
    path += fmt::format("H{:.1f}", x(lane.cases));
    html.empty("path", {{"class", fmt::format("line l{}", number++ % 4)}, {"d", path}});
    label(std::min(x(lane.cases) + 4, chart_right + 4), y(count) + 4, "end", fmt::format("{}", count));
  }
}

// Which target shows which signature, where there are several targets.
void write_matrix(Html& html, const FolderReport& report) {
  std::vector<std::string> targets;
  std::map<std::string, std::map<std::string, const FindingReport*>> rows;
  for (const FindingReport& entry : report.findings) {
    const Finding& finding = entry.finding;
    if (std::ranges::find(targets, finding.target) == targets.end()) targets.push_back(finding.target);
    rows[root_cause(finding)].emplace(finding.target, &entry);
  }
  if (targets.size() < 2) return;
  html.element("h3", "By signature and target");
  const auto box = scroll_box(html, "Findings by signature and target");
  const auto table = html.in("table", {{"class", "list"}});
  {
    const auto head = html.in("thead");
    const auto row = html.in("tr");
    html.element("th", "signature", {{"scope", "col"}});
    for (const std::string& target : targets) html.element("th", target, {{"scope", "col"}});
  }
  const auto body = html.in("tbody");
  for (const auto& [signature, by_target] : rows) {
    const auto row = html.in("tr");
    html.element("th", signature, {{"scope", "row"}, {"class", "signature"}});
    for (const std::string& target : targets) {
      const auto cell = html.in("td");
      const auto found = by_target.find(target);
      if (found == by_target.end()) continue;
      html.element("a", found->second->finding.id, {{"href", "#" + found->second->anchor}, {"class", "id"}});
    }
  }
}

void write_gone(Html& html, const FolderReport& report) {
  if (report.gone.empty()) return;
  const auto section = html.in("section", {{"aria-labelledby", "gone"}});
  html.element("h2", "Gone since then", {{"id", "gone"}});
  const auto list = html.in("ul", {{"class", "cards"}});
  for (const Finding& finding : report.gone) {
    const auto item = html.in("li");
    {
      const auto head = html.in("p", {{"class", "badges"}});
      html.element("code", finding.id);
      write_standing(html, Standing::Gone);
      html.element("span", finding.target, {{"class", "target"}});
    }
    html.element("p", finding.signature, {{"class", "signature"}});
  }
}

void write_broken(Html& html, const FolderReport& report) {
  if (report.broken.empty()) return;
  const auto box = html.in("section", {{"class", "warning"}, {"aria-labelledby", "broken"}});
  html.element("h2", fmt::format("{} could not be read", report.broken.size()), {{"id", "broken"}});
  const auto list = html.in("ul");
  for (const Error& error : report.broken) html.element("li", error.text());
}

}  // namespace

std::string campaign_page(const FolderReport& report) {
  Html html;
  html.element("a", "To the findings", {{"class", "skip"}, {"href", "#findings"}});
  {
    const auto header = html.in("header", {{"class", "top"}});
    write_top(html, "Findings of " + report.folder,
              fmt::format("Made {} by parallax {}{}", report.made, report.version,
                          report.since.empty() ? "" : ", compared with " + report.since));
    const auto nav = html.in("nav", {{"class", "top"}, {"aria-label", "Parts of this page"}});
    html.element("a", "Findings", {{"href", "#findings"}});
    if (!report.campaigns.empty()) html.element("a", "Progress", {{"href", "#campaigns"}});
    html.element("a", "Coverage", {{"href", "#coverage"}});
  }
  {
    const auto main = html.in("main");
    {
      const auto overview = html.in("div", {{"class", "overview"}});
      write_numbers(html, report);
      write_broken(html, report);
      {
        const auto section = html.in("section", {{"aria-labelledby", "findings"}});
        html.element("h2", "Findings", {{"id", "findings"}, {"tabindex", "-1"}});
        write_finding_list(html, report.findings, !report.since.empty());
        write_matrix(html, report);
      }
      write_gone(html, report);
      if (!report.campaigns.empty()) {
        const auto section = html.in("section", {{"aria-labelledby", "campaigns"}});
        html.element("h2", "Progress", {{"id", "campaigns"}});
        write_campaigns(html, report.campaigns);
        draw_discovery(html, report.campaigns.front());
      }
      const auto section = html.in("section", {{"aria-labelledby", "coverage"}});
      html.element("h2", "Coverage", {{"id", "coverage"}});
      if (report.coverage) {
        write_coverage(html, *report.coverage);
      } else {
        html.element("p", "What the graphs held is not recorded in this folder.", {{"class", "note"}});
      }
    }
    for (const FindingReport& finding : report.findings) write_finding(html, finding);
    if (report.coverage) write_cell_pages(html, report.coverage->cases, "#coverage");
  }
  return html_page("Parallax: findings of " + report.folder, html.take());
}

}  // namespace parallax
