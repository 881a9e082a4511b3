// A command: one verb of the program. Each *_command file adds its own to the list in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parallax {

// The documented exit codes of every command.
enum ExitCode {
  nothing_new = 0,    // nothing new diverged
  diverged = 1,       // something did; wins over could_not_run
  bad_input = 2,      // bad usage or input
  could_not_run = 3,  // a target could not be run, or judged nothing
};

// What each of them means, for a person: in the help and on the manual page.
struct ExitMeaning {
  ExitCode code;
  const char* meaning;
};
inline constexpr std::array exit_meanings = {
    ExitMeaning{nothing_new, "nothing new diverged"},
    ExitMeaning{diverged, "something did"},
    ExitMeaning{bad_input, "bad usage or input"},
    ExitMeaning{could_not_run, "a target could not be run"},
};

// "Exit codes: 0 …, 1 …" as a line.
std::string exit_codes();

// Prints "parallax: <error>" on standard error and returns bad_input.
int report_error(const Error& error);

// Prints "parallax: <text>" on standard error: what a person should know, and no error.
void print_note(std::string_view text);

// Adds one command to the program; its callback keeps the flags alive and stores the exit code.
using AddCommand = void (*)(CLI::App& program, int& exit_code);

void add_audit_command(CLI::App& program, int& exit_code);
void add_bisect_command(CLI::App& program, int& exit_code);
void add_bugs_command(CLI::App& program, int& exit_code);
void add_check_command(CLI::App& program, int& exit_code);
void add_completion_command(CLI::App& program, int& exit_code);
void add_confirm_command(CLI::App& program, int& exit_code);
void add_conformance_command(CLI::App& program, int& exit_code);
void add_eval_command(CLI::App& program, int& exit_code);
void add_export_command(CLI::App& program, int& exit_code);
void add_faults_command(CLI::App& program, int& exit_code);
void add_fuzz_command(CLI::App& program, int& exit_code);
void add_gen_command(CLI::App& program, int& exit_code);
void add_import_command(CLI::App& program, int& exit_code);
void add_known_command(CLI::App& program, int& exit_code);
void add_man_command(CLI::App& program, int& exit_code);
void add_merge_command(CLI::App& program, int& exit_code);
void add_corpus_command(CLI::App& program, int& exit_code);
void add_neighbours_command(CLI::App& program, int& exit_code);
void add_ops_command(CLI::App& program, int& exit_code);
void add_quantize_command(CLI::App& program, int& exit_code);
void add_reduce_command(CLI::App& program, int& exit_code);
void add_replay_command(CLI::App& program, int& exit_code);
void add_report_command(CLI::App& program, int& exit_code);
void add_score_command(CLI::App& program, int& exit_code);
void add_targets_command(CLI::App& program, int& exit_code);
void add_worker_command(CLI::App& program, int& exit_code);

}  // namespace parallax
