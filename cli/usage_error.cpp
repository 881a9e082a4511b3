#include "cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/nearest_name.h"

namespace parallax {
namespace {

bool is_listed(const CLI::App* command) { return !command->get_group().empty(); }

// The command that was begun, as far as its words were known.
const CLI::App& innermost(const CLI::App& program) {
  const std::vector<CLI::App*> parsed = program.get_subcommands();
  return parsed.empty() ? program : innermost(*parsed.back());
}

std::string words_of(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return above ? words_of(*above) + " " + command.get_name() : "parallax";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands(is_listed)) names.push_back(below->get_name());
  return names;
}

// What other programs call an option, and ours for it: no letters tell that they are the same.
struct OtherName {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array other_names = {
    OtherName{"-o", "--output"},
    OtherName{"--out", "--output"},
    OtherName{"-o", "--findings"},
    OtherName{"--out", "--findings"},
    OtherName{"--output", "--findings"},
    OtherName{"--outdir", "--findings"},
    OtherName{"--output-dir", "--findings"},
    OtherName{"--secs", "--seconds"},
    OtherName{"--time", "--seconds"},
    OtherName{"--timeout", "--seconds"},
    OtherName{"--duration", "--seconds"},
    OtherName{"--cases", "--graphs"},
    OtherName{"--count", "--graphs"},
    OtherName{"--iterations", "--graphs"},
    OtherName{"--workers", "--jobs"},
    OtherName{"-j", "--jobs"},
    OtherName{"--backend", "--target"},
    OtherName{"--system", "--target"},
    OtherName{"--fault", "--plant"},
    OtherName{"--bug", "--plant"},
    OtherName{"--model", "--around"},
    OtherName{"--format", "--to"},
    OtherName{"--verbose", "--stats"},
};

// Of an option that a command does not have: the one of its own that is meant; empty where nobody knows.
std::string_view meant_option(std::string_view word, const std::vector<std::string>& names) {
  for (const OtherName& other : other_names) {
    if (other.theirs == word && std::ranges::find(names, other.ours) != names.end()) return other.ours;
  }
  return nearest_name(word, names);
}

// The first word that has no place, on the command and on those above it; what follows is taken for its value.
std::string stray_word(const CLI::App& command) {
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    if (const std::vector<std::string> words = app->remaining(); !words.empty()) return words.front();
  }
  return "";
}

// "; did you mean 'x'?", or what parts the sentences.
std::string hint(std::string_view meant) { return meant.empty() ? ";" : fmt::format("; did you mean '{}'?", meant); }

// "there is", "corpus has": how a sentence about a command begins.
std::string has(const CLI::App& command) {
  return command.get_parent() ? words_of(command).substr(std::string_view("parallax ").size()) + " has" : "there is";
}

std::string about_stray(const CLI::App& command, std::string word) {
  const std::string words = words_of(command);
  if (word.starts_with("-")) {
    word.resize(std::min(word.size(), word.find('=')));
    return fmt::format("{} no option '{}'{} `{} --help` lists them", has(command), word,
                       hint(meant_option(word, option_names(command))), words);
  }
  const std::vector<std::string> names = command_names(command);
  if (names.empty())
    return fmt::format("{} takes no argument '{}'; `{} --help` says what it takes", words, word, words);
  return fmt::format("{} no command '{}'{} `{} --help` lists them", has(command), word, hint(nearest_name(word, names)),
                     words);
}

bool ends_with_required(std::string& text) {
  constexpr std::string_view end = " is required";
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

std::string about_missing(const CLI::App& command, std::string what) {
  const std::string words = words_of(command);
  if (!ends_with_required(what)) return what;
  if (what == "A subcommand") return fmt::format("{} needs a command; `{} --help` lists them", words, words);
  if (!what.starts_with("-")) {
    std::ranges::transform(what, what.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  return fmt::format("{} needs {}; `{} --help` says what it takes", words, what, words);
}

// "A WORD B" as another sentence about A and B.
std::string between(const std::string& text, std::string_view word, fmt::format_string<std::string, std::string> form) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : fmt::format(form, text.substr(0, at), text.substr(at + word.size()));
}

}  // namespace

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = innermost(program);
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) || dynamic_cast<const CLI::RequiredError*>(&error)) {
    if (std::string word = stray_word(command); !word.empty()) return about_stray(command, std::move(word));
    return about_missing(command, text);
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error)) {
    // Of an argument without a name, its name tells nothing that the message does not.
    const std::size_t colon = text.find(": ");
    return text.starts_with("-") || colon == std::string::npos ? text : text.substr(colon + 2);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string option = text.substr(0, text.find(':'));
    if (text.contains("At Most")) return fmt::format("{} may be given once", option);
    const CLI::Option* known = command.get_option_no_throw(option);
    const int wanted = known ? known->get_expected_min() : 1;
    return fmt::format("{} needs {}; `{} --help` says which", option,
                       wanted > 1 ? fmt::format("{} values", wanted) : "a value", words_of(command));
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error)) return between(text, " requires ", "{} is of use with {} only");
  if (dynamic_cast<const CLI::ExcludesError*>(&error))
    return between(text, " excludes ", "{} and {} exclude each other");
  return text;
}

std::string unknown_command(const CLI::App& command, const std::string& word) { return about_stray(command, word); }

}  // namespace parallax
