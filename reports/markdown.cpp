#include "reports/markdown.h"

#include <fmt/ranges.h>

namespace parallax {

std::string generated_note(std::string_view source) {
  return fmt::format("<!-- Generated from {} by `parallax bugs write`; do not edit. -->\n", source);
}

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

std::string markdown_table(const std::vector<std::string_view>& headings,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = fmt::format("| {} |\n|", fmt::join(headings, " | "));
  for (std::size_t i = 0; i < headings.size(); ++i) text += "---|";
  text += "\n";
  for (const std::vector<std::string>& row : rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

}  // namespace parallax
