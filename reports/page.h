// Page: the document around a report: one file that asks nothing of a network and reads without a script.
#pragma once

#include <string>
#include <string_view>

namespace parallax {

// The document of a body that Html wrote. Its content security policy lets nothing be loaded, and no script run but
// the one that adds buttons to copy a text.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace parallax
