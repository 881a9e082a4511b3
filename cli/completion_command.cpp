// parallax completion: a script with which a shell completes this program's command lines.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/completions.h"
#include "cli/option_checks.h"

namespace parallax {

void add_completion_command(CLI::App& program, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("completion", "A script that completes this program's command lines in a shell.");
  command->footer(
      "Targets are those known when the script is made.\n"
      "\nExamples:\n"
      "  source <(parallax completion bash)\n"
      "  source <(parallax completion zsh)\n"
      "  parallax completion fish | source");
  command->add_option("shell", *shell, "For which shell")->required()->check(member_of({"bash", "zsh", "fish"}));
  command->callback([&program, shell, &exit_code] {
    const CommandEntry tree = command_tree(program);
    fmt::print("{}", *shell == "bash"  ? bash_completion(tree)
                     : *shell == "zsh" ? zsh_completion(tree)
                                       : fish_completion(tree));
    exit_code = nothing_new;
  });
}

}  // namespace parallax
