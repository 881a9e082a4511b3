// Issue parts: what an issue text is put together from, beside the finding and its script.
#pragma once

#include <string>

#include "cli/nearest_bug.h"
#include "corpus/issue_text.h"

namespace parallax {

// The bugs that the program brings, read once.
const KnownBugs& known_bugs();

// The brief script, where one run of one program shows the finding, and the thread that is known of it, or the nearest
// bug that is known.
IssueParts issue_parts(const Finding& finding, const std::string& script);

// The trigger map on the target where it was found; empty where that cannot be opened here.
std::string variants_of(const Finding& finding);

}  // namespace parallax
