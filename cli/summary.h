// The summary of fuzz and replay: as JSON for programs, as a table for people.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fuzz/campaign/campaign.h"

namespace parallax {

// {"cases", "seed", "targets": {T: {verdict: n, …}}, "findings": […]} (docs/concepts.md); fields may be added.
std::string summary_json(const CampaignResult& result, std::optional<uint64_t> seed);

// "1 distinct finding in 7,591 cases" as a line.
std::string headline(const CampaignResult& result);

// Each finding as a person reads it, the one with the highest grade first, and those that are known.
std::string findings_text(const CampaignResult& result);

// What the targets did with the cases: in short two lines each, in full also what was proved and why cases were
// refused.
enum class TargetDetail { Short, Full };
std::string targets_text(const CampaignResult& result, TargetDetail detail);

// The targets in full, then the findings.
std::string summary_text(const CampaignResult& result);

// What of the known findings was not seen on a target that was driven, and may be fixed; and what has expired.
std::string known_text(const KnownFindings& known, const CampaignResult& result);

// Whether a juror contradicts a finding that is not known.
bool is_unconfirmed(const CampaignFinding& found);

// 1 if something diverged that is not known and not unconfirmed (or is unconfirmed, where that fails), else 3 if a
// target judged fewer cases than `min_judged`, else 0.
int exit_code_of(const CampaignResult& result, int64_t min_judged, bool fail_on_unconfirmed = false);

}  // namespace parallax
