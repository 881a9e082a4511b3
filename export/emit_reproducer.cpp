#include "export/emit_reproducer.h"

#include <fmt/format.h>

#include "export/emit_executorch.h"
#include "export/emit_pytorch.h"
#include "export/emit_thunder.h"
#include "graph/origin.h"

namespace parallax {

std::optional<std::string> why_no_script(const Case& test, std::string_view target) {
  const std::string_view family = family_of_target(target);
  if (drives_executorch(family) || family == "thunder" || !pytorch_script_target(target).definition.empty()) {
    return std::nullopt;
  }
  if (!family.empty() && family != "pytorch-eager") {
    return fmt::format("no script of ours drives {}: parallax check shows it", target);
  }
  if (!test.expect.outputs) return "the case records no result that eager could be held against";
  return std::nullopt;
}

Result<std::string> emit_reproducer(const Case& test, const ScriptOptions& options) {
  const std::string_view family = family_of_target(options.target);
  if (const auto why = why_no_script(test, options.target)) return fail("{}", *why);
  if (drives_executorch(family)) return emit_executorch(test, options);
  if (family == "thunder") return emit_thunder(test, options);
  return emit_pytorch(test, options);
}

}  // namespace parallax
