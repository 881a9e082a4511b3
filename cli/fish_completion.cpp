#include <fmt/format.h>

#include <algorithm>

#include "cli/completions.h"

namespace parallax {
namespace {

// Between single quotes fish knows two escapes.
std::string fish_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') word += '\\';
    word += c;
  }
  return word + "'";
}

// As __parallax_at collects it: a blank before each word.
std::string path_of(const CommandEntry& command) { return command.path.empty() ? "" : " " + command.words(); }

std::string option_lines(const OptionEntry& option, const std::string& start) {
  const std::string values = fish_word(fmt::format("{}", fmt::join(option.values, " ")));
  if (option.is_positional()) {
    return option.values.empty() ? "" : fmt::format("{} -a {}\n", start, values);
  }
  std::string line = start;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + fish_word(name.substr(2)) : " -s " + fish_word(name.substr(1));
  }
  if (!option.is_flag()) line += option.values.empty() ? " -r -F" : " -x -a " + values;
  return fmt::format("{} -d {}\n", line, fish_word(option.description));
}

std::string lines_of(const CommandEntry& command) {
  const std::string at = "__parallax_at " + fish_word(path_of(command));
  const std::string start = fmt::format("complete -c parallax -n {}", fish_word(at));
  // File names stand where an argument does that is none of a known few.
  const bool takes_files = std::ranges::any_of(
      command.options, [](const OptionEntry& option) { return option.is_positional() && option.values.empty(); });
  std::string lines = takes_files ? "" : start + " -f\n";
  for (const CommandEntry& below : command.commands) {
    lines += fmt::format("{} -a {} -d {}\n", start, below.path.back(), fish_word(below.description));
  }
  for (const OptionEntry& option : command.options) lines += option_lines(option, start);
  return lines;
}

constexpr const char* script = R"(# Completion of parallax in fish:  parallax completion fish | source
function __parallax_at -a wanted -d 'Whether the words so far name this command'
    set -l words (commandline -opc)
    set -e words[1]
    set -l path
    for word in $words
        switch "$path $word"
            case {commands}
                set path "$path $word"
            case '*'
                break
        end
    end
    test "$path" = "$wanted"
end
)";

}  // namespace

std::string fish_completion(const CommandEntry& program) {
  std::string commands;
  std::string lines;
  for (const CommandEntry* command : all_commands(program)) {
    if (!command->path.empty()) commands += (commands.empty() ? "" : " ") + fish_word(path_of(*command));
    lines += lines_of(*command);
  }
  return fmt::format(script, fmt::arg("commands", commands)) + lines;
}

}  // namespace parallax
