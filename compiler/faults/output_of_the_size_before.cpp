// F58: an output is not resized: the caller is told the sizes that it had before (ExecuTorch #22410, MNN #989,
// TensorRT #3966).
#include "compiler/faults.h"

namespace parallax {
namespace {

// Only where these sizes lie in the bytes that the plan gives the output.
void keep_output_sizes(const Program& before, Program& resized) {
  resized.told.clear();
  for (std::size_t i = 0; i < resized.graph.outputs.size(); ++i) {
    const TensorMeta& now = resized.graph.meta(resized.graph.outputs[i]);
    const TensorMeta& old = before.graph.meta(before.graph.outputs[i]);
    const Placement& placement = resized.plan.placement(now.storage);
    const bool own = placement.arena == Arena::Returned && is_contiguous(now.layout) && is_contiguous(old.layout) &&
                     now.layout.offset == 0 && old.layout.offset == 0;
    const int64_t bytes = old.layout.extent() * static_cast<int64_t>(size_of(now.dtype));
    resized.told.push_back(own && bytes <= placement.slot.size ? old.layout : now.layout);
  }
}

}  // namespace

const Fault output_of_the_size_before = {
    "F58",
    "output not resized",
    "compiler/resize.cpp",
    "the caller is told the sizes that an output had in the run before, where they lie in its memory",
    "executorch#22410, MNN#989, TensorRT#3966",
    [](CompilerParts& parts) { parts.resize.settle = keep_output_sizes; },
};

}  // namespace parallax
