// The options that every command with targets shares, and how a command's result becomes an exit code.
#pragma once

#include <string>
#include <vector>

#include "backends/open_target.h"
#include "cli/command.h"

namespace parallax {

// --plant, --detect, --passes, --stop-after and --threads.
void add_target_options(CLI::App& command, TargetOptions& options);

// --repeat.
void add_repeat_option(CLI::App& command, int& repeat);

// --fail-on.
void add_fail_on_option(CLI::App& command, std::string& fail_on);

// What to drive where no --target is given: our own, and every installed one unless a bug is planted in ours.
std::vector<std::string> default_targets(const TargetOptions& options);

// "all" in the place of a target's name stands for all of these.
inline constexpr const char* all_targets = "all";
std::vector<std::string> expanded(const std::vector<std::string>& targets, const TargetOptions& options);

// How many threads: what --jobs says, one a core where it says 0.
int jobs_or_cores(int jobs);

// The day it is, as YYYY-MM-DD.
std::string today();

// The exit code, or the error reported: 3 for a target that cannot be run, else 2.
int code_of(const Result<int>& result);

}  // namespace parallax
