#include <fmt/format.h>

#include <map>

#include "cli/completions.h"
#include "cli/shell_word.h"

namespace parallax {
namespace {

// A pattern of `case` that matches one of the words: 'a' | 'b'.
std::string one_of(const std::vector<std::string>& words) {
  std::string pattern;
  for (const std::string& word : words) pattern += (pattern.empty() ? "" : " | ") + shell_word(word);
  return pattern;
}

void add_option_names(const CommandEntry& command, std::vector<std::string>& words) {
  for (const OptionEntry& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
}

// The words that may stand where no option's value does and none was begun.
std::vector<std::string> first_words(const CommandEntry& command) {
  std::vector<std::string> words;
  words.reserve(command.commands.size());
  bool has_arguments = !command.commands.empty();
  for (const CommandEntry& below : command.commands) words.push_back(below.path.back());
  for (const OptionEntry& option : command.options) {
    if (!option.is_positional()) continue;
    has_arguments = true;
    words.insert(words.end(), option.values.begin(), option.values.end());
  }
  if (!has_arguments) add_option_names(command, words);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  return shell_word(fmt::format("{}", fmt::join(words, " ")));
}

// A branch for each set of values, with the options of all commands that have it: 'fuzz --target' | 'check --target'.
std::string values_after_options(const CommandEntry& program) {
  std::map<std::vector<std::string>, std::vector<std::string>> options;
  for (const CommandEntry* command : all_commands(program)) {
    for (const OptionEntry& option : command->options) {
      if (option.is_flag()) continue;
      for (const std::string& name : option.names) options[option.values].push_back(command->words() + " " + name);
    }
  }
  std::string branches;
  for (const auto& [values, patterns] : options) {
    branches += fmt::format("    {}) words={} ;;\n", one_of(patterns), joined(values));
  }
  return branches;
}

std::string words_of(const CommandEntry& command) {
  std::vector<std::string> options;
  add_option_names(command, options);
  return fmt::format("        {}) options={} words={} ;;\n", shell_word(command.words()), joined(options),
                     joined(first_words(command)));
}

// No associative arrays and no mapfile, so that the bash 3.2 of a Mac runs it.
constexpr const char* script = R"(# Completion of parallax in bash:  source <(parallax completion bash)
_parallax() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} path='' words='' options='' i
  # --option=value is three words here.
  if [[ $word == = ]]; then
    word=''
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in
      {commands}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
      *) break ;;
    esac
  done
  case "$path $before" in
{values}    *)
      case "$path" in
{words}      esac
      [[ $word == -* ]] && words=$options
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _parallax parallax
)";

}  // namespace

std::string bash_completion(const CommandEntry& program) {
  std::vector<std::string> commands;
  std::string words;
  for (const CommandEntry* command : all_commands(program)) {
    if (!command->path.empty()) commands.push_back(command->words());
    words += words_of(*command);
  }
  return fmt::format(script, fmt::arg("commands", one_of(commands)), fmt::arg("values", values_after_options(program)),
                     fmt::arg("words", words));
}

}  // namespace parallax
