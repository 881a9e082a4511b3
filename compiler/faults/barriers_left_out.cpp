// F25: dispatches that touch the same bytes run without a barrier between them (llama.cpp #2757, #20084; PyTorch
// #178549). A device that runs them one after the other gives the right values all the same, so it takes
// synchronization validation to see it.
#include "compiler/faults.h"

namespace parallax {

const Fault barriers_left_out = {
    "F25",
    "concurrency reuse",
    "backends/vulkan",
    "no dispatch of a partition waits for those whose bytes it reads or overwrites",
    "llama.cpp#2757, llama.cpp#20084, pytorch#178549, ort#5445",
    [](CompilerParts& parts) { parts.device.waits = [](Hazard, int) { return false; }; },
    "vulkan?validate=yes",
};

}  // namespace parallax
