#include <fmt/format.h>

#include "cli/completions.h"
#include "cli/shell_word.h"

namespace parallax {
namespace {

// A text inside the brackets or between the colons of a specification of _arguments.
std::string in_specification(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string function_of(const CommandEntry& command) {
  return command.path.empty() ? "_parallax" : fmt::format("_parallax_{}", fmt::join(command.path, "_"));
}

std::string value_of(const OptionEntry& option) {
  const std::string what = option.values.empty() ? "_files" : fmt::format("({})", fmt::join(option.values, " "));
  return fmt::format(":{}:{}", in_specification(option.argument), what);
}

std::string specifications(const OptionEntry& option) {
  if (option.is_positional()) return " \\\n    " + shell_word((option.repeatable ? "*" : "") + value_of(option));
  std::string lines;
  for (const std::string& name : option.names) {
    std::string text = (option.repeatable ? "*" : "") + name;
    if (!option.is_flag() && name.starts_with("--")) text += "=";  // or the next word
    text += "[" + in_specification(option.description) + "]";
    if (!option.is_flag()) text += value_of(option);
    lines += " \\\n    " + shell_word(text);
  }
  return lines;
}

std::string definition(const CommandEntry& command) {
  const std::string function = function_of(command);
  std::string options;
  for (const OptionEntry& option : command.options) options += specifications(option);
  if (command.commands.empty()) return fmt::format("{}() {{\n  _arguments{}\n}}\n", function, options);
  std::string described;
  std::string cases;
  for (const CommandEntry& below : command.commands) {
    described += "\n    " + shell_word(below.path.back() + ":" + below.description);
    cases += fmt::format("    {}) {} ;;\n", below.path.back(), function_of(below));
  }
  return fmt::format(R"({0}_commands() {{
  local -a commands=({1}
  )
  _describe command commands
}}
{0}() {{
  local state line
  _arguments -C{2} \
    '1:command:{0}_commands' \
    '*::argument:->rest'
  [[ $state == rest ]] && case $line[1] in
{3}  esac
}}
)",
                     function, described, options, cases);
}

// Loaded as a file of $fpath it is called at once; sourced it is bound to the program.
constexpr const char* end = R"(if [[ $funcstack[1] == _parallax ]]; then
  _parallax "$@"
else
  compdef _parallax parallax
fi
)";

}  // namespace

std::string zsh_completion(const CommandEntry& program) {
  std::string script =
      "#compdef parallax\n# Completion of parallax in zsh, after compinit:  source <(parallax completion zsh)\n";
  for (const CommandEntry* command : all_commands(program)) script += definition(*command);
  return script + end;
}

}  // namespace parallax
