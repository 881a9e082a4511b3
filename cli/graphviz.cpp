#include "cli/graphviz.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/command_output.h"
#include "cli/shell_word.h"
#include "graph/text_file.h"
#include "reports/graph_picture.h"

namespace parallax {
namespace {

// What the program writes of the graphs in a file: their drawings one after the other. Empty where it is not there.
std::string run_dot(const std::filesystem::path& file) {
  const std::string command = fmt::format(
      "dot -Tsvg -Gbgcolor=transparent -Nfontsize=12 -Efontsize=10 -Nfontname=monospace -Efontname=monospace "
      "'{}' 2>/dev/null",
      file.string());
  CommandOutput output = command_output(command);
  return output.succeeded ? std::move(output.text) : "";
}

// The drawings of a text, as far as there is one for each; empty else.
std::vector<Picture> pictures_of(std::string_view text, std::span<const Drawing> drawings) {
  constexpr std::string_view close = "</svg>";
  std::vector<Picture> pictures;
  for (const Drawing& drawing : drawings) {
    const std::size_t end = text.find(close);
    if (end == std::string_view::npos) return {};
    const auto svg = inline_svg(text.substr(0, end + close.size()), drawing.label);
    if (!svg) return {};
    pictures.push_back({*svg, ""});
    text.remove_prefix(end + close.size());
  }
  return pictures;
}

// All in one run of the program; where one of them fails it, the halves apart, until that one is alone.
std::vector<Picture> draw_together(std::span<const Drawing> drawings, const std::filesystem::path& file) {
  std::string text;
  for (const Drawing& drawing : drawings) text += drawing.dot;
  if (write_text_file(file, text)) {
    std::vector<Picture> pictures = pictures_of(run_dot(file), drawings);
    if (!pictures.empty()) return pictures;
  }
  if (drawings.size() == 1) return {{"", "Graphviz cannot draw it"}};
  const std::size_t half = drawings.size() / 2;
  std::vector<Picture> pictures = draw_together(drawings.first(half), file);
  for (Picture& picture : draw_together(drawings.subspan(half), file)) pictures.push_back(std::move(picture));
  return pictures;
}

}  // namespace

std::vector<Picture> draw(std::span<const Drawing> drawings) {
  if (drawings.empty()) return {};
  if (std::system("dot -V >/dev/null 2>&1") != 0) {
    return std::vector<Picture>(drawings.size(), {"", "Graphviz (dot) is not installed where this report was made"});
  }
  std::error_code code;
  std::string file = (std::filesystem::temp_directory_path(code) / "parallax-XXXXXX").string();
  const int made = ::mkstemp(file.data());
  if (made < 0) return std::vector<Picture>(drawings.size(), {"", "there is no room for a temporary file"});
  ::close(made);
  std::vector<Picture> pictures = draw_together(drawings, file);
  std::filesystem::remove(file, code);
  return pictures;
}

}  // namespace parallax
