// Our own compiler with partitions for XNNPACK, in this process, so that the engine sees what brings it down.
#include "fuzz/targets/shared/entry.h"

std::string parallax::fuzzed_target() { return "xnnpack?in-process=yes"; }
