// Issue parts: what an issue text is put together from, beside the finding and its script.
#pragma once

#include <string>

#include "corpus/issue_text.h"

namespace parallax {

// The brief script, where one run of one program shows the finding, and the thread that is known of it.
IssueParts issue_parts(const Finding& finding, const std::string& script);

// The trigger map on the target where it was found; empty where that cannot be opened here.
std::string variants_of(const Finding& finding);

}  // namespace parallax
