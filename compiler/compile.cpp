#include "compiler/compile.h"

#include "compiler/lower.h"

namespace parallax {

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  const ActiveMutant mutant(options.faults.mutant());
  const CompilerParts parts = options.faults.parts();
  Graph present = graph;
  TRY(const std::vector<Pass> passes, options.selection.from(parts.passes));
  for (const Pass& pass : passes) {
    if (pass.applies != nullptr && !pass.applies(present)) {
      if (observe) observe(pass, present, present);
      continue;
    }
    TRY(Graph next, pass.run(present, {options.evaluate}));
    if (observe) observe(pass, present, next);
    present = std::move(next);
  }
  return lower(std::move(present), parts, options);
}

}  // namespace parallax
