// F18: the table of kernels that may overwrite an operand lists some that read it again after they began to write
// (llama.cpp #24305, #20274; pypto #2007; Fuser #5350).
#include "compiler/faults.h"
#include "compiler/faults/replace_condition.h"

namespace parallax {
namespace {

// A joined, scattered or indexed operand fits as well as an added one.
bool any_kernel(const InPlaceCandidate&) { return true; }
// Of those that are listed rightly the elements must still lie in the same places.
bool elements_coincide_where_asked(const InPlaceCandidate& candidate) {
  return !kernel_allows_it(candidate) || elements_coincide(candidate);
}

}  // namespace

const Fault rereading_kernel_in_place = {
    "F18",
    "op wrongly in-place-safe",
    "planner",
    "kernels that read an operand again after their first write are listed as able to overwrite it",
    "llama.cpp#24305, llama.cpp#20274, pypto#2007, Fuser#5350",
    [](CompilerParts& parts) {
      replace_condition(parts, kernel_allows_it, any_kernel);
      replace_condition(parts, elements_coincide, elements_coincide_where_asked);
    },
};

}  // namespace parallax
