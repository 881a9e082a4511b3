// Whether what a document asks of the plan checker is little: it keeps a tag for each byte of an arena, and of what a
// fuzzing engine writes nearly all arenas would be the largest that are allowed.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_text.h"

namespace parallax {

// Whether no number anywhere in it is over 65,536.
inline bool has_small_numbers(const Json& json) {
  if (json.is_structured()) return std::ranges::all_of(json, [](const Json& part) { return has_small_numbers(part); });
  return !json.is_number() || json.get<double>() <= 65536;
}

}  // namespace parallax
