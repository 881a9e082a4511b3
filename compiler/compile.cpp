#include "compiler/compile.h"

#include "compiler/lower.h"

namespace parallax {

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  const CompilerParts parts = options.faults.parts();
  Graph present = graph;
  for (const Pass& pass : parts.passes) {
    TRY(Graph next, pass.run(present));
    if (observe) observe(pass, present, next);
    present = std::move(next);
  }
  return lower(std::move(present), parts, options);
}

}  // namespace parallax
