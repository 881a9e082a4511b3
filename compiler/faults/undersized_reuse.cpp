// F21: in-place reuse compares neither bytes nor shapes, and the slot is as large as the operand, although the result
// is wider or broadcast (llama.cpp #5137, ExecuTorch #18681).
#include "compiler/faults.h"
#include "compiler/faults/replace_condition.h"

namespace parallax {
namespace {

bool any_elements(const InPlaceCandidate&) { return true; }

int64_t bytes_of_operand(int64_t operand, int64_t) { return operand; }

}  // namespace

const Fault undersized_reuse = {
    "F21",
    "undersized in-place slot",
    "planner",
    "a result takes its operand's slot although it has more bytes",
    "llama.cpp#5137, llama.cpp#5145, executorch#18681",
    [](CompilerParts& parts) {
      replace_condition(parts, elements_coincide, any_elements);
      parts.shared_size = bytes_of_operand;
    },
};

}  // namespace parallax
