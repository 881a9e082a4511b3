// Which overloads an implementation may be off in: those that ask for a perturbed implementation.
#pragma once

#include <string_view>
#include <vector>

namespace parallax {

// The overloads of the registry that bound some result of exact operands by more than 0, in the order of the registry.
// Found by drawn calls, so that a new family is in it without being written down. Not in it are the in-place twins,
// which compute by the overload that they name.
std::vector<std::string_view> inexact_overloads();

}  // namespace parallax
