// Which generation of XNNPACK this is built with: Debian 12's (2022-02), or the newer one of Debian 13 (2024-11).
#pragma once

#include <xnnpack.h>

namespace parallax::xnnpack {

// The header of the newer generation has this macro.
#ifdef XNN_DEPRECATED
inline constexpr bool is_newer = true;
#else
inline constexpr bool is_newer = false;
#endif

}  // namespace parallax::xnnpack
