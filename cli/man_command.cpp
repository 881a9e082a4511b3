// parallax man: the manual page, and the reference page of the documentation.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/reference_page.h"

namespace parallax {

void add_man_command(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("man", "The manual page, with every command and option, as roff.");
  command->footer(
      "Examples:\n"
      "  parallax man | man -l -\n"
      "  parallax man > parallax.1");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "As the page of Markdown that docs/reference-cli.md is");
  command->callback([&program, &exit_code, markdown] {
    const CommandEntry tree = command_tree(program);
    fmt::print("{}", *markdown ? reference_page(tree) : man_page(tree, PARALLAX_VERSION));
    exit_code = nothing_new;
  });
}

}  // namespace parallax
