// Our own compiler with partitions for XNNPACK.
#include "fuzz/targets/shared/entry.h"

std::string parallax::fuzzed_target() { return "xnnpack"; }
