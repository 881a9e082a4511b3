// Check line: the command line that shows a finding again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "corpus/finding.h"

namespace parallax {

// "parallax check FILE --target 'T'", with the planted faults, and with the file of what must run before it.
std::string check_command(const Finding& finding, std::string_view case_file,
                          const std::optional<std::string>& earlier_file = std::nullopt);

}  // namespace parallax
