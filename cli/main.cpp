// The parallax program: reads the command line, runs one command, returns its exit code.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/help_formatter.h"
#include "cli/option_checks.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace parallax {

int report_error(const Error& error) {
  fmt::print(stderr, "{} {}\n", paint(Stream::Err, Colour::Red, "parallax:"), error.text());
  return bad_input;
}

void print_note(std::string_view text) { fmt::print(stderr, "parallax: {}\n", text); }

std::string exit_codes() {
  std::string text;
  for (const auto& [code, meaning] : exit_meanings) {
    text += fmt::format("{}{} {}", text.empty() ? "Exit codes: " : ", ", static_cast<int>(code), meaning);
  }
  return text + ".\n";
}

namespace {

// The commands as the help shows them: what a newcomer needs comes first.
struct CommandGroup {
  const char* heading;
  std::vector<AddCommand> commands;
};

const std::array groups = {
    CommandGroup{"Commands that find bugs",
                 {add_fuzz_command, add_replay_command, add_conformance_command, add_audit_command}},
    CommandGroup{"Commands for one case",
                 {add_check_command, add_eval_command, add_reduce_command, add_neighbours_command, add_bisect_command,
                  add_export_command, add_import_command, add_quantize_command}},
    CommandGroup{"Commands for findings",
                 {add_report_command, add_confirm_command, add_known_command, add_merge_command, add_corpus_command,
                  add_bugs_command}},
    CommandGroup{"Commands that list what there is", {add_targets_command, add_ops_command, add_faults_command}},
    CommandGroup{"Commands for development",
                 {add_gen_command, add_score_command, add_completion_command, add_man_command, add_worker_command}},
};

constexpr const char* start_here =
    R"(`parallax COMMAND --help` explains a command, with examples. Start here:
  parallax fuzz                                   a minute of random graphs through the in-process compiler
  parallax fuzz --plant F01                       the same with a known bug switched on: see how a finding reads
  parallax replay corpus/cases --target portable  the regression corpus
  parallax targets                                which real systems can be driven on this machine)";

void add_commands(CLI::App& program, int& exit_code) {
  for (const CommandGroup& group : groups) {
    for (const AddCommand add : group.commands) {
      add(program, exit_code);
      CLI::App* command = program.get_subcommands([](CLI::App*) { return true; }).back();
      if (!command->get_group().empty()) command->group(group.heading);
    }
  }
  check_kinds(program);
}

// `help` is `--help`, and `help corpus add` is `corpus add --help`.
Result<std::vector<std::string>> given_words(const CLI::App& program, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) words = {"--help"};
  if (words.front() != "help") return words;
  words.erase(words.begin());
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    const auto below = command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (below.empty()) return fail("{}", unknown_command(*command, word));
    command = below.front();
  }
  words.emplace_back("--help");
  return words;
}

int run(int argc, char** argv) {
  CLI::App program("Parallax: a differential fuzzer for machine-learning graph compilers that looks at aliasing.",
                   "parallax");
  program.set_version_flag("--version", "parallax " PARALLAX_VERSION);
  program.require_subcommand(1);
  program.formatter(help_formatter());
  program.footer(exit_codes() + start_here);
  int exit_code = nothing_new;
  add_commands(program, exit_code);
  auto words = given_words(program, argc, argv);
  if (!words) return report_error(words.error());
  std::ranges::reverse(*words);  // as CLI11 takes them
  try {
    program.parse(*std::move(words));
  } catch (const CLI::Success& wanted) {
    return program.exit(wanted) == 0 ? nothing_new : bad_input;
  } catch (const CLI::ParseError& error) {
    return report_error(Error{ErrorKind::Invalid, "", "", usage_error(program, error)});
  }
  return exit_code;
}

}  // namespace
}  // namespace parallax

int main(int argc, char** argv) {
  try {
    return parallax::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax: internal error: %s\n", error.what());
    return parallax::bad_input;
  }
}
