#include "cli/nearest_bug.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/open_target.h"
#include "fuzz/findings/furthest_first.h"
#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/text_file.h"
#include "reports/bug_folder.h"

namespace parallax {
namespace {

bool shares_an_op(const Graph& a, const Graph& b) {
  return std::ranges::any_of(a.nodes, [&](const Node& node) {
    return std::ranges::any_of(b.nodes, [&](const Node& other) { return node.op == other.op; });
  });
}

}  // namespace

KnownBugs KnownBugs::of_this_program() {
  KnownBugs known;
  const auto folder = read_bug_folder(root_folder() / "bugs");
  if (!folder) return known;
  for (const FoundBug& bug : folder->bugs) {
    const auto text = read_text_file(root_folder() / bug.case_file);
    auto test = text ? parse_case(*text, bug.case_file) : Result<Case>(std::unexpected(text.error()));
    if (!test) continue;
    Finding like;
    like.target = origin_of(*test).target;
    like.verdict = bug.verdict;
    like.reduced = *std::move(test);
    known.entries_.push_back({bug, std::move(like)});
  }
  return known;
}

const FoundBug* KnownBugs::nearest(const Finding& finding) const {
  const FoundBug* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  // What the file of a bug does not tell is no distance.
  Finding asked = finding;
  asked.stage = asked.blame = asked.cause = "";
  for (const Entry& entry : entries_) {
    if (family_of_target(entry.like.target) != family_of_target(finding.target)) continue;
    if (!shares_an_op(entry.like.reduced.graph, finding.reduced.graph)) continue;
    asked.target = entry.like.target;
    const double away = distance(asked, entry.like);
    if (away >= least) continue;
    least = away;
    best = &entry.bug;
  }
  return best;
}

const FoundBug* KnownBugs::same(const Finding& finding) const {
  const std::string text = to_json(finding.reduced);
  const auto found = std::ranges::find(entries_, text, [](const Entry& entry) { return to_json(entry.like.reduced); });
  return found == entries_.end() ? nullptr : &found->bug;
}

std::string bug_text(const FoundBug& bug) { return fmt::format("{} (bugs/{}.md)", bug.title, bug.name); }

}  // namespace parallax
