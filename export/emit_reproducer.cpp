#include "export/emit_reproducer.h"

#include <fmt/format.h>

#include "export/emit_executorch.h"
#include "export/emit_pytorch.h"
#include "export/emit_thunder.h"
#include "graph/origin.h"
#include "graph/written_sources.h"

namespace parallax {

std::optional<std::string> why_no_script(const Case& test, std::string_view target) {
  const std::string_view family = family_of_target(target);
  const ScriptTarget script = pytorch_script_target(target);
  const auto writes = [&](SourceKind kind) { return writes_source(test.graph, kind); };
  if (script.stateless && (writes(SourceKind::Input) || writes(SourceKind::Buffer))) {
    return "the system's programs have no state, and what a module writes does not come back: parallax check shows it";
  }
  if (drives_executorch(family) || family == "thunder" || !script.definition.empty()) {
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
