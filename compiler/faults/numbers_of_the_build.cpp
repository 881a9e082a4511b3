// F23: the numbers that a kernel is called with are encoded once and not again at other sizes, so that a mean over a
// smaller batch is divided by the count that it was built for (ExecuTorch #11253, #22410, #21232, #20575).
#include "compiler/faults.h"

namespace parallax {
namespace {

bool is_no_real_number(const Argument& argument) {
  const auto* scalar = std::get_if<Scalar>(&argument);
  return !scalar || !is_floating(*scalar);
}

}  // namespace

const Fault numbers_of_the_build = {
    "F23",
    "missing resize hook",
    "compiler/resize.cpp",
    "a call's real numbers stay those of the build when the program runs at other sizes",
    "executorch#11253, executorch#22410, executorch#21232, executorch#20575",
    [](CompilerParts& parts) { parts.resize.refreshes = is_no_real_number; },
};

}  // namespace parallax
