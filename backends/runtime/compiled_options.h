// Options that the name of every target of our own compiler may hold: "portable?passes=simplify&order=random".
#pragma once

#include <string>
#include <string_view>

#include "backends/runtime/compiled_target.h"

namespace parallax {

// Of each such target, and of those that hand nodes to a backend.
inline constexpr std::string_view compiled_option_names = "passes, stop-after, order, memory, arena-limit";
inline constexpr std::string_view delegating_option_names = "leave, in-process";

// Sets the option of that name; false where it is none of `compiled_option_names` and "leave". An error names the
// option and what it may be.
Result<bool> set_compiled_option(const std::string& name, const std::string& value, CompiledTargetOptions& options);

// Whether the value is the first of two words; an error where it is neither.
Result<bool> is_first(const std::string& name, const std::string& value, std::string_view first,
                      std::string_view second);

}  // namespace parallax
