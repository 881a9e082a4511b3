#include "compiler/compile.h"

namespace parallax {

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  const CompilerParts parts = options.faults.parts();
  Program program;
  const Graph* present = &graph;
  for (const Pass& pass : parts.passes) {
    TRY(Graph next, pass.run(*present));
    if (observe) observe(pass, *present, next);
    program.graph = std::move(next);
    present = &program.graph;
  }
  program.plan = parts.planner(program.graph, parts.lifetimes(program.graph), options.alignment);
  return program;
}

}  // namespace parallax
