// Our own compiler with its CPU kernels.
#include "fuzz/targets/shared/entry.h"

std::string parallax::fuzzed_target() { return "portable"; }
