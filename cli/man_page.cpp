#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace parallax {
namespace {

// The next character of UTF-8, which every text of this program is; `at` moves behind it.
uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  uint32_t character = first & (0x3FU >> more);
  for (int i = 0; i < more && at < text.size(); ++i) {
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return character;
}

// An argument of a macro is one word; a quote would end it.
std::string macro_argument(std::string_view text) {
  std::string word = roff_text(text);
  for (std::size_t at = 0; (at = word.find('"', at)) != std::string::npos; at += 4) word.replace(at, 1, "\\(dq");
  return "\"" + word + "\"";
}

// Lines that begin with two blanks are shown as they stand, others flow.
std::string prose(std::string_view text) {
  std::string roff;
  bool shown = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool show = line.starts_with("  ");
    if (show != shown) roff += show ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n.PP\n";
    shown = show;
    roff += roff_text(show ? line.substr(2) : line) + "\n";
  }
  return shown ? roff + ".fi\n.RE\n" : roff;
}

std::string heading_of(const OptionEntry& option) {
  std::string heading;
  for (const std::string& name : option.names)
    heading += (heading.empty() ? "\\fB" : ", \\fB") + roff_text(name) + "\\fR";
  if (option.is_flag()) return heading;
  return heading + (heading.empty() ? "\\fI" : " \\fI") + roff_text(option.argument) + "\\fR" +
         (option.repeatable ? " ..." : "");
}

std::string entry_of(const OptionEntry& option) {
  std::string text = option.description;
  if (!text.ends_with('.')) text += '.';
  if (option.only_values) text += fmt::format("\nOne of {}.", fmt::join(option.values, ", "));
  if (!option.limit.empty()) text += fmt::format("\nMust be {}.", option.limit);
  if (!option.initial.empty()) text += fmt::format("\nDefault: {}.", option.initial);
  if (option.required) text += "\nRequired.";
  return ".TP\n" + heading_of(option) + "\n" + roff_text(text) + "\n";
}

// "Parallax: a fuzzer." as what a list of manual pages shows: "a fuzzer".
std::string_view short_description(const CommandEntry& program) {
  std::string_view text = program.description;
  if (const auto colon = text.find(": "); colon != std::string_view::npos) text.remove_prefix(colon + 2);
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

std::string section_of(const CommandEntry& command) {
  std::string text = fmt::format(".SS {}\n", macro_argument("parallax " + command.words()));
  text += roff_text(command.description) + "\n";
  for (const OptionEntry& option : command.options) {
    if (std::ranges::find(option.names, "--help") == option.names.end()) text += entry_of(option);  // all have it
  }
  if (!command.footer.empty()) text += ".PP\n" + prose(command.footer);
  return text;
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string roff;
  bool at_line_start = true;
  for (std::size_t at = 0; at < text.size();) {
    const uint32_t c = next_character(text, at);
    // What begins a line there would be a request.
    if (at_line_start && (c == '.' || c == '\'')) roff += "\\&";
    at_line_start = c == '\n';
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        roff += c < 0x80 ? std::string(1, static_cast<char>(c)) : fmt::format("\\[u{:04X}]", c);
    }
  }
  return roff;
}

std::string man_page(const CommandEntry& program, std::string_view version) {
  std::string page =
      fmt::format(".TH PARALLAX 1 \"\" {} \"User Commands\"\n", macro_argument(fmt::format("parallax {}", version)));
  page += ".SH NAME\nparallax \\- " + roff_text(short_description(program)) + "\n";
  page += ".SH SYNOPSIS\n.B parallax\n.I COMMAND\n.RI [ OPTIONS ]\n";
  page += ".SH DESCRIPTION\n" + roff_text(program.description) + "\n";
  for (const CommandEntry& command : program.commands) {
    page += fmt::format(".TP\n.B {}\n{}\n", roff_text(command.words()), roff_text(command.description));
  }
  page += ".SH OPTIONS\n";
  for (const OptionEntry& option : program.options) page += entry_of(option);
  page += ".SH COMMANDS\n";
  for (const CommandEntry* command : all_commands(program)) {
    if (!command->path.empty()) page += section_of(*command);
  }
  page += ".SH \"EXIT STATUS\"\n";
  for (const auto& [code, meaning] : exit_meanings) {
    page += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(code), roff_text(meaning));
  }
  std::string_view examples = program.footer;
  if (const std::string codes = exit_codes(); examples.starts_with(codes)) examples.remove_prefix(codes.size());
  return page + ".SH EXAMPLES\n" + prose(examples);
}

}  // namespace parallax
