// The texts of reports/page.css and reports/page.js, as the build puts them into the program.
#pragma once

#include <string_view>

namespace parallax {

std::string_view page_style();
std::string_view page_script();
// Of the script, in hexadecimal digits.
std::string_view page_script_sha256();

}  // namespace parallax
