// Help formatter: how the program's help is laid out: an option's limit and default behind its description, lines that
// fit a terminal.
#pragma once

#include <memory>

#include "cli/command.h"

namespace parallax {

std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace parallax
