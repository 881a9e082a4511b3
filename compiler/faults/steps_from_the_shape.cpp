// F29: a kernel works the strides out of the visible sizes where the tensor is a part of a larger one (llama.cpp
// #28956, #12960).
#include "compiler/faults.h"

namespace parallax {
namespace {

// Only what is row-major but for gaps, so that no step leads out of the tensor's memory.
Layout without_gaps(const Layout& layout) {
  const Dims dense = contiguous_strides(layout.sizes);
  bool row_major = layout.numel() > 0;
  for (int dim = 0; dim < layout.rank(); ++dim) {
    const bool last = dim + 1 == layout.rank();
    const int64_t inside = last ? 1 : layout.strides[dim + 1] * layout.sizes[dim + 1];
    row_major = row_major && (last ? layout.strides[dim] == 1 : layout.strides[dim] >= inside);
  }
  return row_major ? Layout{layout.sizes, dense, layout.offset} : layout;
}

}  // namespace

const Fault steps_from_the_shape = {
    "F29",
    "stride from shape",
    "backends/vulkan",
    "a kernel steps through a part of a larger tensor as if its rows lay side by side",
    "llama.cpp#28956, llama.cpp#12960, llama.cpp#11268",
    [](CompilerParts& parts) { parts.device.steps = without_gaps; },
    "vulkan",
};

}  // namespace parallax
