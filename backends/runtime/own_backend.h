// Own backend: what may stand beside our compiler's CPU kernels to make a target of its own, "xnnpack" or "vulkan".
//
// A new one is its folder, with a record like this, and one line in open_target.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "backends/runtime/compiled_target.h"

namespace parallax {

// An option of a target's name and its value: {"barriers", "full"} of "vulkan?barriers=full".
using NamedOption = std::pair<std::string, std::string>;

struct OwnBackend {
  std::string_view name;
  std::string_view what;  // one line for a person
  // The options that it takes beside those of every compiled target.
  std::span<const std::string_view> options = {};
  // Lets the backend run what it takes. `given` holds options of that list; an error says which of them is wrong, or
  // why there is no such library or device here.
  Result<void> (*equip)(std::span<const NamedOption> given, CompiledTargetOptions& target) = nullptr;
};

}  // namespace parallax
