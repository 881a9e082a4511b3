#include "cli/reference_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace parallax {
namespace {

constexpr std::size_t columns = 118;

// Width as a person sees it: bytes that go on a character of UTF-8 do not count.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// The words of a text in lines; all but the first are indented.
std::string wrapped(std::string_view text, std::size_t indentation) {
  std::string page;
  std::string line;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!line.empty() && width_of(line) + 1 + width_of(word) > columns) {
      page += line + "\n";
      line = std::string(indentation, ' ') + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return page + line + "\n";
}

// What Markdown would take for markup outside of code: "*", "<".
std::string plain(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '*' || c == '<' || c == '_' || c == '`') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string sentence(std::string_view text) {
  std::string ended = plain(text);
  if (!ended.empty() && !ended.ends_with('.')) ended += '.';
  return ended;
}

std::string heading_of(const OptionEntry& option) {
  std::string heading = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.is_flag()) heading += (heading.empty() ? "" : " ") + option.argument;
  return heading;
}

std::string entry_of(const OptionEntry& option) {
  std::string text = fmt::format("- `{}`: {}", heading_of(option), sentence(option.description));
  if (option.only_values) text += fmt::format(" One of {}.", plain(fmt::format("{}", fmt::join(option.values, ", "))));
  if (!option.limit.empty()) text += fmt::format(" Must be {}.", plain(option.limit));
  if (!option.initial.empty()) text += fmt::format(" Default: {}.", plain(option.initial));
  if (option.required) text += " Required.";
  if (option.repeatable && !option.description.contains("repeatable")) text += " Repeatable.";
  return wrapped(text, 2);
}

// Lines that begin with two blanks are code, others flow.
std::string prose(std::string_view text) {
  std::string page;
  std::string flowing;
  bool shown = false;
  const auto end_flow = [&] {
    if (!flowing.empty()) page += wrapped(plain(flowing), 0) + "\n";
    flowing.clear();
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      end_flow();
      page += "    " + line.substr(2) + "\n";
      shown = true;
      continue;
    }
    if (shown) page += "\n";
    shown = false;
    if (line.empty()) end_flow();
    flowing += line + " ";
    if (line.empty()) flowing.clear();
  }
  end_flow();
  return page;
}

std::string section_of(const CommandEntry& command) {
  std::string text = fmt::format("\n## parallax {}\n\n{}", command.words(), wrapped(plain(command.description), 0));
  std::string options;
  for (const OptionEntry& option : command.options) {
    if (std::ranges::find(option.names, "--help") == option.names.end()) options += entry_of(option);  // all have it
  }
  if (!options.empty()) text += "\n" + options;
  std::string more = prose(command.footer);
  while (more.ends_with("\n\n")) more.pop_back();
  return more.empty() ? text : text + "\n" + more;
}

}  // namespace

std::string reference_page(const CommandEntry& program) {
  std::string page =
      "# Command line\n\n"
      "Made by `parallax man --markdown` from the program's own help; a test compares the two.\n\n"
      "| exit code | meaning |\n|---|---|\n";
  for (const auto& [code, meaning] : exit_meanings)
    page += fmt::format("| {} | {} |\n", static_cast<int>(code), meaning);
  for (const CommandEntry* command : all_commands(program)) {
    if (!command->path.empty()) page += section_of(*command);
  }
  return page;
}

}  // namespace parallax
