// F30: what the caller lent is taken as a target of in-place reuse: an input, a constant, a buffer (tinygrad #16571,
// IREE #22844).
#include "compiler/faults.h"
#include "compiler/faults/replace_condition.h"

namespace parallax {
namespace {

// Where the result would have lain is asked, where the operand lies is not.
bool result_is_the_backends(const InPlaceCandidate& candidate) {
  return candidate.lifetimes[candidate.graph.meta(candidate.result).storage.index].arena == Arena::Backend;
}

}  // namespace

const Fault borrowed_buffer_overwritten = {
    "F30",
    "borrowed buffer overwritten",
    "planner",
    "an input, a constant or a buffer whose last reader is an in-place kernel is overwritten by it",
    "tinygrad#16571, tinygrad#16588, iree#22844, iree#16168",
    [](CompilerParts& parts) { replace_condition(parts, both_are_the_backends, result_is_the_backends); },
};

}  // namespace parallax
