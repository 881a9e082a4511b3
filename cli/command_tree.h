// Command tree: the program's commands and options as data, read out of CLI11. Completion and the manual page are made
// of it, so neither can miss an option or name one that is gone.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace parallax {

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; none for a positional argument
  std::string argument;            // what stands for its value: "TARGET"; empty for a flag
  std::string description;
  std::string limit;                // what CLI11 checks, in its words: "INT in [1 - 1000]"; empty for nothing or a set
  std::string initial;              // the default; empty where none is captured
  std::vector<std::string> values;  // what it may be, or the known ones of what it may be
  bool only_values = false;         // whether anything else is refused
  bool required = false;
  bool repeatable = false;

  bool is_positional() const { return names.empty(); }
  bool is_flag() const { return argument.empty(); }
};

struct CommandEntry {
  std::vector<std::string> path;  // {"corpus", "add"}; empty for the program
  std::string description;
  std::string footer;
  std::vector<OptionEntry> options;  // as in the help: positional arguments among them
  std::vector<CommandEntry> commands;

  // "corpus add"; empty for the program.
  std::string words() const;
};

// What is hidden from the help is left out here too.
CommandEntry command_tree(const CLI::App& program);

// A command and all below it, in the help's order.
std::vector<const CommandEntry*> all_commands(const CommandEntry& root);

}  // namespace parallax
