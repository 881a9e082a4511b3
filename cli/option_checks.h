// Option checks: what a value on the command line must be, asked before anything starts. Each says in one line what is
// wrong and what is wanted, with the nearest name where a name is wanted.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/command.h"

namespace parallax {

CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());
// `over`: the number itself is too little.
CLI::Validator number_over(double over);
CLI::Validator number_from(double least);

// One of a closed set of names.
CLI::Validator member_of(const std::vector<std::string>& names);

// A target that is ours or that adapters/targets.json lists, with any version and options, or a command; or "all".
CLI::Validator target_name(bool or_all);
CLI::Validator fault_name();

// For Option::transform: a path below corpus/ that is not there is looked for in the project.
CLI::Validator existing_file();
CLI::Validator existing_path();
CLI::Validator existing_folder();
// A file that can be made: its folder is there.
CLI::Validator writable_file();

// What is in the name of an op: "mul", "aten.mul.Tensor".
CLI::Validator op_pattern();

// The options that a command is given from now on stand under that heading in its help.
void begin_options(CLI::App& command, const char* heading);

// Gives every option its check that is known by the kind of its value: TARGET, FAULT, and a number that has no check of
// its own, whose value is called N from then on. An option that may be repeated takes one value each time.
void check_kinds(CLI::App& program);

// Every target name that is known here.
std::vector<std::string> known_target_names();

}  // namespace parallax
