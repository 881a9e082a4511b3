#include "cli/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {

void add_validate_flag(CLI::App& command, bool& validate) {
  command.add_flag("--validate", validate,
                   "Have the Khronos validation layer look on at vulkan, its synchronization too; each message is a "
                   "finding");
}

Result<void> ask_for_validation(bool validate, std::vector<std::string>& targets) {
  if (!validate) return {};
  bool any = false;
  for (std::string& target : targets) {
    if (target.substr(0, target.find('?')) != "vulkan") continue;
    any = true;
    if (!target.contains("validate=")) target += target.contains('?') ? "&validate=yes" : "?validate=yes";
  }
  if (!any) return fail("--validate: the layer looks on at vulkan, and the targets are {}", fmt::join(targets, ", "));
  return {};
}

}  // namespace parallax
