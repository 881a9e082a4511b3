// What an outcome says where nobody waited for the target: the run ended. It says nothing of the case.
#pragma once

#include <string_view>

#include "oracle/outcome.h"

namespace parallax {

// The outcome's kind then; its status is Unsupported.
inline constexpr std::string_view given_up_kind = "given up";

inline bool was_given_up(const Outcome& outcome) { return outcome.kind == given_up_kind; }

}  // namespace parallax
