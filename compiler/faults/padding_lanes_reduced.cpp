// F24: a reduction reads whole vectors of four lanes, those behind the last element too, and a mean divides by as many
// (ExecuTorch #17848, #23001; llama.cpp #15342; tt-metal #29110).
#include "compiler/faults.h"

namespace parallax {
namespace {

constexpr int64_t lanes_a_vector = 4;

int64_t whole_vectors(int64_t size) { return (size + lanes_a_vector - 1) / lanes_a_vector * lanes_a_vector; }

}  // namespace

const Fault padding_lanes_reduced = {
    "F24",
    "padding lanes",
    "backends/vulkan",
    "a reduction reads lanes behind the last element of a row",
    "executorch#17848, executorch#23001, llama.cpp#15342, tt-metal#29110",
    [](CompilerParts& parts) { parts.device.lanes = whole_vectors; },
    "vulkan",
};

}  // namespace parallax
