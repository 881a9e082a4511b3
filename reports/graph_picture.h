// Graph picture: what Graphviz draws of a graph (export/dot.h), made a part of a page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parallax {

// The one drawing of a document that `dot -Tsvg` wrote, without what only a document of its own has: the prolog, ids
// that other drawings of the page have too, tooltips that name boxes by number. `label` is what a screen reader says.
// Nothing where the text holds no whole drawing.
std::optional<std::string> inline_svg(std::string_view document, std::string_view label);

}  // namespace parallax
