// Markdown for generated pages: tables whose cells cannot break them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parallax {

// A page of the repository that is made from data, and where it stands: "README.md", "by-system/opencv.md".
struct GeneratedPage {
  std::string path;
  std::string text;
};

// The first line of each generated page: what makes it, and of what.
std::string generated_note(std::string_view source);

// A cell's text: a bar is escaped, a line break is a space.
std::string markdown_cell(std::string_view text);

// A table with one line per row; cells that link or emphasize are written by the caller.
std::string markdown_table(const std::vector<std::string_view>& headings,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace parallax
