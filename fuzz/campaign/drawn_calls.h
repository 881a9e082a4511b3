// Drawn calls: how often a campaign drew what a known finding is about. What was not drawn may not be called fixed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "corpus/known.h"
#include "fuzz/campaign/tally.h"

namespace parallax {

// Calls, in whatever form, of the op of an entry that was drawn the least, in the cases of the targets that the entry
// holds for; nothing where the entry names no op.
std::optional<int64_t> drawn_calls(const KnownFinding& entry, const std::map<std::string, Tally>& tallies);

}  // namespace parallax
