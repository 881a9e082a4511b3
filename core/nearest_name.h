// Nearest name: which of the known names somebody who mistyped one had in mind.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace parallax {

// The number of letters to insert, delete, replace or swap with their neighbour; upper and lower case are the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name that differs by the fewest letters, or one that begins with `given`; empty where none is near.
std::string_view nearest_name(std::string_view given, std::span<const std::string> names);

// "; did you mean 'portable'?", or nothing.
std::string did_you_mean(std::string_view given, std::span<const std::string> names);

}  // namespace parallax
