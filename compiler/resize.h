// Resize: a program at other sizes, without compiling it again.
//
// Shapes, strides and the numbers that hang on them are worked out anew; partitions, fused groups and kernels stay; and
// so does the plan as long as it holds, which one made at the bound does wherever nothing outgrows its slot.
#pragma once

#include "compiler/varying_numbers.h"

namespace parallax {

struct CompileOptions;

// Whether the plan that `planned` has serves it at other sizes too. The sound rule asks the plan checker.
bool plan_still_holds(const Program& planned, const Program& resized);
// Every argument does.
bool follows_the_sizes(const Argument& argument);

struct ResizeRules {
  bool (*keeps_plan)(const Program& planned, const Program& resized) = plan_still_holds;
  RefreshRule refreshes = follows_the_sizes;
  NumberRule number = number_at;
  // Goes over a program whose graph and plan are those of its sizes; `before` is what it was. Null: nothing is left.
  void (*settle)(const Program& before, Program& resized) = nullptr;
};

// Whether the program is another one at these sizes, and has to be compiled for them.
bool is_compiled_alone(const Program& program, const SymbolSizes& sizes);

// The program at these sizes, in the place of what it was before. Its options are those that it was compiled with.
// Refuses sizes outside their range and, by name, a node that does not infer there or that its backend does not take.
Result<Program> resize(const Program& program, const SymbolSizes& sizes, const CompileOptions& options);

}  // namespace parallax
