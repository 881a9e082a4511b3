// Redaction: --redact of import and export: what of a case a user may not give away, out of it.
#pragma once

#include <string>

#include "backends/open_target.h"
#include "reducers/redact.h"

namespace parallax {

// Redacts a case as far as it shows on the target what it shows now, and says on standard error how many values are
// left. Without a target everything goes, and nothing is run. An error is a target that cannot be opened.
Result<Redaction> redact_on(const Case& test, const std::string& target, const TargetOptions& options);

}  // namespace parallax
