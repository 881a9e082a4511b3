// Device slip: what a kernel of a device gets wrong, told by a control. By it two findings are one.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "graph/case.h"

namespace parallax::runtime {

// `runs` are the case at the sizes of each of its runs. "reduction" where `is_wrong` holds for their reductions alone
// too, each on inputs without gaps that hold what it was given, or numbers of one sign; else "tensor with gaps" where
// there is one; else what there is of reductions.
std::string_view device_slip(std::span<const Case> runs, const std::function<bool(const Case&)>& is_wrong);

}  // namespace parallax::runtime
