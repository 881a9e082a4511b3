// Issue text: a finding as the Markdown that a maintainer acts on. A title of one sentence, the environment, a script
// to paste, expected and actual, what is known of the cause, and the controls.
#pragma once

#include <string>
#include <string_view>

#include "corpus/finding.h"

namespace parallax {

// `script` reproduces the reduced case; `how` is said in its place where it is empty. Free text of the finding goes
// into code, where Markdown leaves it alone.
std::string issue_text(const Finding& finding, std::string_view script, std::string_view how = "");

// The text as a code block whose fence it cannot close, and as an inline code of one line.
std::string markdown_block(std::string_view text, std::string_view language = "");
std::string markdown_code(std::string_view text);

}  // namespace parallax
