#include "reports/finding_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/first_screen.h"
#include "reports/page_parts.h"

namespace parallax {
namespace {

using Group = std::vector<const FindingReport*>;

// In the order of the first finding of each cause.
std::vector<Group> by_root_cause(const std::vector<FindingReport>& findings) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (const FindingReport& report : findings) {
    const auto [place, is_new] = places.emplace(root_cause(report.finding), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&report);
  }
  return groups;
}

std::string joined(const std::set<std::string>& values) { return fmt::format("{}", fmt::join(values, "|")); }

// What a card can be chosen by, of all of its findings.
struct Facets {
  std::set<std::string> targets, versions, verdicts, grades, ops, dtypes, relations, blames;

  void add(const FindingReport& report) {
    const Finding& finding = report.finding;
    targets.insert(finding.target);
    for (const auto& [part, version] : finding.versions) versions.insert(part + " " + version);
    verdicts.emplace(name(finding.verdict));
    if (finding.grade) grades.emplace(name(*finding.grade));
    for (const Node& node : finding.reduced.graph.nodes) ops.emplace(node.op->name);
    for (const TensorMeta& meta : finding.reduced.graph.metas) dtypes.emplace(name(meta.dtype));
    relations.insert(report.relations.begin(), report.relations.end());
    if (!finding.blame.empty()) blames.insert(finding.blame);
  }
};

void write_badges(Html& html, const FindingReport& report, bool compared) {
  const Finding& finding = report.finding;
  const auto head = html.in("p", {{"class", "badges"}});
  {
    const auto link = html.in("a", {{"href", "#" + report.anchor}, {"class", "id"}});
    html.element("code", finding.id);
  }
  write_badge(html, name(finding.verdict), name(finding.verdict));
  if (compared) write_standing(html, report.standing);
  html.element("span", finding.target, {{"class", "target"}});
  for (const std::string& fault : finding.planted) write_badge(html, "planted " + fault, "planted");
  html.element("span", plural(finding.reduced.graph.nodes.size(), "node"), {{"class", "quiet"}});
  if (!finding.blame.empty()) html.element("span", "blames " + finding.blame, {{"class", "quiet"}});
  if (!report.found_at.empty()) html.element("span", "found at " + report.found_at, {{"class", "quiet"}});
}

void write_card(Html& html, const Group& group, bool compared) {
  Facets facets;
  for (const FindingReport* report : group) facets.add(*report);
  const FindingReport& first = *group.front();
  const auto item = html.in("li", {{"data-target", joined(facets.targets)},
                                   {"data-version", joined(facets.versions)},
                                   {"data-verdict", joined(facets.verdicts)},
                                   {"data-grade", joined(facets.grades)},
                                   {"data-op", joined(facets.ops)},
                                   {"data-dtype", joined(facets.dtypes)},
                                   {"data-alias", joined(facets.relations)},
                                   {"data-blame", joined(facets.blames)},
                                   {"data-nodes", fmt::format("{}", first.finding.reduced.graph.nodes.size())}});
  write_badges(html, first, compared);
  html.element("p", wrong_sentence(first), {{"class", "reason"}});
  html.element("p", first.finding.signature, {{"class", "signature"}});
  if (group.size() == 1) return;
  const auto details = html.in("details");
  html.element("summary", fmt::format("{} more with this cause", group.size() - 1));
  const auto list = html.in("ul");
  for (const FindingReport* report : group) {
    if (report == &first) continue;
    const auto other = html.in("li");
    write_badges(html, *report, compared);
  }
}

}  // namespace

std::string root_cause(const Finding& finding) {
  std::string signature = finding.signature;
  const std::size_t at = finding.target.empty() ? std::string::npos : signature.find(finding.target);
  if (at != std::string::npos) signature.replace(at, finding.target.size(), "·");
  return signature;
}

void write_finding_list(Html& html, const std::vector<FindingReport>& findings, bool compared) {
  if (findings.empty()) {
    html.element("p", "None: nothing diverged.", {{"class", "note"}});
    return;
  }
  const auto list = html.in("ol", {{"class", "cards findings"}});
  for (const Group& group : by_root_cause(findings)) write_card(html, group, compared);
}

}  // namespace parallax
