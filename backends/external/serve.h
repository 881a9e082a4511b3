// Serve: the worker's side of the adapter protocol (docs/protocol.md), for a target of this program.
#pragma once

#include <istream>
#include <ostream>

#include "backends/target.h"

namespace parallax {

// Answers each line of `requests` with a line of `replies` until there are no more. A line that is no request is
// answered with an error.
void serve(Target& target, std::string_view version, std::istream& requests, std::ostream& replies);

}  // namespace parallax
