// Standing: how a finding stands to those of an earlier findings folder.
#pragma once

#include <string_view>

namespace parallax {

enum class Standing { Unknown, New, Known, NewlyFlaky, Gone };

// "new", "known", "newly flaky", "gone"; empty for Unknown: there was nothing to compare with.
std::string_view name(Standing standing);

}  // namespace parallax
