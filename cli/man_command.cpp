// parallax man: the manual page.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/man_page.h"

namespace parallax {

void add_man_command(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("man", "The manual page, with every command and option, as roff.");
  command->footer(
      "Examples:\n"
      "  parallax man | man -l -\n"
      "  parallax man > parallax.1");
  command->callback([&program, &exit_code] {
    fmt::print("{}", man_page(command_tree(program), PARALLAX_VERSION));
    exit_code = nothing_new;
  });
}

}  // namespace parallax
