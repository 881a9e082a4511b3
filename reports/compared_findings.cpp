#include "reports/compared_findings.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "corpus/known.h"
#include "corpus/signature.h"

namespace parallax {
namespace {

bool is_flaky(const Finding& finding) {
  return finding.verdict == Verdict::Nondeterministic || (finding.repeats && !finding.repeats->always());
}

// What it is a finding of, whichever way it shows.
std::string subject_of(const Finding& finding) {
  return fmt::format("{} | {}", plain_target(finding.target), graph_signature(finding.reduced.graph));
}

}  // namespace

Comparison compare(std::span<const Finding> before, std::span<const Finding> now) {
  const auto signature_of = [](const Finding& finding) { return plain_signature(finding.signature, finding.target); };
  std::set<std::string> known;
  std::map<std::string, std::string> steady;  // signatures of what was wrong each time, by subject
  std::set<std::string> steady_signatures;
  for (const Finding& finding : before) {
    known.insert(signature_of(finding));
    if (is_flaky(finding)) continue;
    steady.emplace(subject_of(finding), signature_of(finding));
    steady_signatures.insert(signature_of(finding));
  }
  Comparison comparison;
  std::set<std::string> seen;
  for (const Finding& finding : now) {
    const std::string signature = signature_of(finding);
    seen.insert(signature);
    Standing standing = known.contains(signature) ? Standing::Known : Standing::New;
    if (is_flaky(finding)) {
      const auto was = steady.find(subject_of(finding));
      if (steady_signatures.contains(signature)) standing = Standing::NewlyFlaky;
      if (standing == Standing::New && was != steady.end()) {
        standing = Standing::NewlyFlaky;
        seen.insert(was->second);
      }
    }
    comparison.now.push_back(standing);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!seen.contains(signature_of(before[i]))) comparison.gone.push_back(i);
  }
  return comparison;
}

}  // namespace parallax
