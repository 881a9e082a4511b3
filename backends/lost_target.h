// What an outcome says where the target can run nothing any more: a device that is lost, or out of memory.
#pragma once

#include <optional>
#include <string_view>

#include "core/result.h"
#include "oracle/outcome.h"

namespace parallax {

// The outcome's kind then; its status is Unsupported.
inline constexpr std::string_view lost_target_kind = "NoTarget";

// The error that ends a command, if that is what the outcome says.
inline std::optional<Error> lost_target(const Outcome& outcome) {
  if (outcome.kind != lost_target_kind) return std::nullopt;
  return Error{ErrorKind::NoTarget, "", "", outcome.message};
}

}  // namespace parallax
