// Whether a page is well-formed XML, asked of a parser that is not ours.
#pragma once

#include <string>

namespace parallax::testing {

// What the parser complains of; empty where it takes the page.
std::string xml_error(const std::string& page);

}  // namespace parallax::testing
