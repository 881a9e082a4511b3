#include "export/emit_reproducer.h"

#include "export/emit_executorch.h"
#include "export/emit_pytorch.h"
#include "export/emit_thunder.h"
#include "graph/origin.h"

namespace parallax {

Result<std::string> emit_reproducer(const Case& test, const ScriptOptions& options) {
  const std::string_view family = family_of_target(options.target);
  if (drives_executorch(family)) return emit_executorch(test, options);
  if (family == "thunder") return emit_thunder(test, options);
  return emit_pytorch(test, options);
}

}  // namespace parallax
