// Any target of `parallax targets`, or a command line that speaks the adapter protocol: the one that PARALLAX_TARGET
// names. Its code is in another process, so that the engine sees the coverage of the compiler's input alone: the
// semantic counters, the generator and the oracle.
#include "fuzz/targets/shared/entry.h"
#include "fuzz/targets/shared/environment.h"

std::string parallax::fuzzed_target() {
  const std::string target = variable("PARALLAX_TARGET");
  if (target.empty()) refuse(fail("PARALLAX_TARGET is not set: it names what to drive, as --target does").error());
  return target;
}
