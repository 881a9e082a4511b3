// Explain: the story of one finding as text, from data: what is wrong, where it comes from, how to see it again.
#pragma once

#include <string>

#include "backends/examine.h"
#include "fuzz/campaign.h"

namespace parallax {

// Several lines, the last with a line break. `shown` is the examination of the reduced case.
std::string explain_finding(Target& target, const CampaignFinding& found, const Examination& shown);

}  // namespace parallax
