#include "reports/compared_findings.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "corpus/known.h"
#include "corpus/signature.h"

namespace parallax {
namespace {

bool is_flaky(const Finding& finding) { return finding.verdict == Verdict::Nondeterministic; }

// What it is a finding of, whichever way it shows.
std::string subject_of(const Finding& finding) {
  return fmt::format("{} | {}", plain_target(finding.target), graph_signature(finding.reduced.graph));
}

}  // namespace

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::New:
      return "new";
    case Standing::Known:
      return "known";
    case Standing::NewlyFlaky:
      return "newly flaky";
    case Standing::Gone:
      return "gone";
    case Standing::Unknown:
      break;
  }
  return "";
}

Comparison compare(std::span<const Finding> before, std::span<const Finding> now) {
  std::set<std::string> known;
  std::map<std::string, std::string> steady;  // signatures by subject
  for (const Finding& finding : before) {
    known.insert(plain_signature(finding.signature, finding.target));
    if (!is_flaky(finding)) steady.emplace(subject_of(finding), plain_signature(finding.signature, finding.target));
  }
  Comparison comparison;
  std::set<std::string> seen;
  for (const Finding& finding : now) {
    const std::string signature = plain_signature(finding.signature, finding.target);
    seen.insert(signature);
    Standing standing = known.contains(signature) ? Standing::Known : Standing::New;
    const auto was = is_flaky(finding) ? steady.find(subject_of(finding)) : steady.end();
    if (standing == Standing::New && was != steady.end()) {
      standing = Standing::NewlyFlaky;
      seen.insert(was->second);
    }
    comparison.now.push_back(standing);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!seen.contains(plain_signature(before[i].signature, before[i].target))) comparison.gone.push_back(i);
  }
  return comparison;
}

}  // namespace parallax
