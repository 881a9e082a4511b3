// The parallax program: reads the command line, runs one command, returns its exit code.
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <exception>

#include "cli/command.h"

namespace parallax {

int report_error(const Error& error) {
  fmt::print(stderr, "parallax: {}\n", error.text());
  return bad_input;
}

std::string exit_codes() {
  std::string text;
  for (const auto& [code, meaning] : exit_meanings) {
    text += fmt::format("{}{} {}", text.empty() ? "Exit codes: " : ", ", static_cast<int>(code), meaning);
  }
  return text + ".\n";
}

namespace {

constexpr std::array commands = {
    add_fuzz_command,  add_check_command,      add_replay_command,     add_confirm_command, add_conformance_command,
    add_eval_command,  add_gen_command,        add_reduce_command,     add_export_command,  add_import_command,
    add_audit_command, add_targets_command,    add_bisect_command,     add_faults_command,  add_score_command,
    add_ops_command,   add_merge_command,      add_report_command,     add_corpus_command,  add_known_command,
    add_bugs_command,  add_neighbours_command, add_completion_command, add_man_command,     add_worker_command,
};

constexpr const char* start_here =
    R"(Start here:
  parallax fuzz                                   a minute of random graphs through the in-process compiler
  parallax fuzz --plant F01                       the same with a known bug switched on: see how a finding reads
  parallax replay corpus/cases --target portable  the regression corpus
  parallax targets                                which real systems can be driven on this machine)";

int run(int argc, char** argv) {
  CLI::App program("Parallax: a differential fuzzer for machine-learning graph compilers that looks at aliasing.",
                   "parallax");
  program.set_version_flag("--version", "parallax " PARALLAX_VERSION);
  program.require_subcommand(1);
  program.footer(exit_codes() + start_here);
  int exit_code = nothing_new;
  for (AddCommand add : commands) add(program, exit_code);
  const auto is_command = [&](const char* word) {
    return !program.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; }).empty();
  };
  if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) {
    fmt::print(stderr, "parallax: there is no command '{}'; parallax --help lists them\n", argv[1]);
    return bad_input;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? nothing_new : bad_input;
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
