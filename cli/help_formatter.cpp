#include "cli/help_formatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace parallax {
namespace {

constexpr std::size_t name_column = 28;
constexpr std::size_t widest_text = 90;

// Breaks lines between words; breaks that are there count as blanks.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (column > 0) {
      const bool fits = column + 1 + word.size() <= widest_text;
      lines += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

// "{a,b}" as "a, b".
std::string listed(std::string_view set) {
  std::string text;
  for (const char c : set.substr(1, set.size() - 2)) text += c == ',' ? std::string(", ") : std::string(1, c);
  return text;
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(name_column); }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_expected_max() == 0) return "";
    const std::string type = option->get_type_name();
    std::string text = " " + type.substr(0, type.find(':'));
    if (option->get_positional()) text.clear();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    const std::size_t colon = type.find(':');
    std::string limits = colon == std::string::npos ? "" : type.substr(colon + 1);
    if (limits.starts_with('{')) limits = limits.contains(',') ? "one of " + listed(limits) : "";
    if (const std::string initial = option->get_default_str(); !initial.empty())
      limits += fmt::format("{}default {}", limits.empty() ? "" : "; ", initial);
    if (limits.starts_with("; ")) limits.erase(0, 2);
    return wrapped(option->get_description() + (limits.empty() ? "" : fmt::format(" ({})", limits)));
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace parallax
