// Compile: a graph through the passes, partitions, fusion and the memory planner. What a backend runs.
#pragma once

#include <functional>
#include <span>

#include "compiler/faults.h"
#include "compiler/pass_selection.h"
#include "compiler/program.h"

namespace parallax {

struct CompileOptions {
  FaultSet faults;
  int64_t alignment = 8;  // of the backend's arena, in bytes; small, so that slots of few sizes collide often
  int64_t arena_limit = ArenaRule().limit;    // bytes that the backend's arena may have
  int64_t redzone = 0;                        // bytes behind each slot of the same that are nobody's
  uint64_t order = 0;                         // 0: nodes stay where they are; else draws a legal order of them
  InPlaceKernels in_place_kernels = nullptr;  // which kernels of the backend may write over an operand
  JoinKernels join_kernels = nullptr;         // which take operands that are in their place in the result already
  bool reuse_in_place = false;                // let them
  bool reuse_memory = true;                   // no: storages lie apart, whatever the planner's parts say
  std::vector<Backend> backends{};            // who runs the nodes, the preferred one first; none: one for everything
  EvaluateFn evaluate = nullptr;              // how the backend computes a node at compile time
  KeepFn keeps = nullptr;                     // which calls a backend runs as they stand
  bool plans_control = true;                  // no: branches and loops go by the sound rules, and nothing is in place
  PassSelection selection{};

  PassOptions for_passes() const { return {evaluate, keeps}; }
};

// Called with each pass, the graph that it was given and the one that it made: the same object where it was left out,
// because it had nothing to do.
using PassObserver = std::function<void(const Pass& pass, const Graph& before, const Graph& after)>;

// What the passes make of a graph, which is where builds begin that differ in their backends and memory alone.
struct PassedGraph {
  Graph graph;                // at the bound of its symbols
  std::vector<Graph> others;  // at the other sizes that were tried; none without symbols
  Symbols symbols;            // and the next two as in the program
  std::vector<VaryingNumber> varying;
  int64_t least_size = 0;
};

// Of the options only the faults, the selection of passes, `evaluate` and `keeps` count. With symbols the passes are
// run at several sizes, of which they need not know: what they make must be one graph but for its shapes and for
// numbers that grow in step with the sizes. Anything else is an error of kind Unsupported that names the node.
Result<PassedGraph> run_passes(const Graph& graph, const CompileOptions& options,
                               const PassObserver& observe = nullptr);
Result<PassedGraph> run_passes(const Graph& graph, const Symbols& symbols, const CompileOptions& options);

// The plan is not checked here: nothing may depend on its being right (planner/plan_checker.h). With symbols it is one
// program for every size that they may have, as it is at their bound (resize() brings it to others).
// A node that no backend takes, and a plan that does not fit the arena's limit, are refused with the node's name.
Result<Program> compile(const PassedGraph& passed, const CompileOptions& options);
Result<Program> compile(const Graph& graph, const CompileOptions& options, const PassObserver& observe = nullptr);
Result<Program> compile(const Graph& graph, const Symbols& symbols, const CompileOptions& options);

}  // namespace parallax
