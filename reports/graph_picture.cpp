#include "reports/graph_picture.h"

#include "reports/html.h"

namespace parallax {
namespace {

// Takes what lies between `begin` and `end`, both included, out of the text, wherever it stands.
void remove_all(std::string& text, std::string_view begin, std::string_view end) {
  std::string kept;
  std::size_t at = 0;
  while (true) {
    const std::size_t from = text.find(begin, at);
    const std::size_t to = from == std::string::npos ? from : text.find(end, from + begin.size());
    if (to == std::string::npos) break;
    kept.append(text, at, from - at);
    at = to + end.size();
  }
  text = kept.append(text, at);
}

}  // namespace

std::optional<std::string> inline_svg(std::string_view document, std::string_view label) {
  constexpr std::string_view open = "<svg ";
  constexpr std::string_view close = "</svg>";
  const std::size_t begin = document.find(open);
  const std::size_t end = begin == std::string_view::npos ? begin : document.find(close, begin);
  if (end == std::string_view::npos) return std::nullopt;
  std::string drawing(document.substr(begin, end + close.size() - begin));
  remove_all(drawing, "<!--", "-->");
  remove_all(drawing, "<title>", "</title>");
  remove_all(drawing, " id=\"", "\"");
  drawing.insert(open.size(), "class=\"graph\" role=\"img\" aria-label=\"" + escaped_markup(label) + "\" ");
  return drawing;
}

}  // namespace parallax
