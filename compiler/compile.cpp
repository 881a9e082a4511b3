#include "compiler/compile.h"

namespace parallax {

Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe) {
  const CompilerParts parts = options.faults.parts();
  Program program;
  const Graph* present = &graph;
  TRY(const std::vector<Pass> passes, options.selection.from(parts.passes));
  for (const Pass& pass : passes) {
    TRY(Graph next, pass.run(*present, {options.evaluate}));
    if (observe) observe(pass, *present, next);
    program.graph = std::move(next);
    present = &program.graph;
  }
  if (passes.empty()) program.graph = graph;
  MemoryOptions memory;
  memory.rule(Arena::Backend) = {options.alignment, options.arena_limit};
  memory.sizes = parts.sizes;
  memory.packer = parts.packer;
  const InPlaceKernels kernels = options.reuse_in_place || parts.reuse_in_place ? options.in_place_kernels : nullptr;
  const Lifetimes lifetimes = parts.lifetimes(program.graph);
  TRY(program.plan, plan_memory(program.graph, lifetimes,
                                choose_in_place(program.graph, lifetimes, kernels, parts.in_place), memory));
  return program;
}

}  // namespace parallax
