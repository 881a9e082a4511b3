// Issue text: a finding as the Markdown that a maintainer acts on. A title of one sentence, the environment, a script
// to paste, expected and actual, what is known of the cause, and the controls.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "corpus/finding.h"

namespace parallax {

// What is put together for an issue beside the finding itself; what is empty is left out.
struct IssueParts {
  std::string brief;     // the case in a few lines (export/brief_script.h)
  std::string script;    // the case with its control, versions and every comparison
  std::string how;       // said in the place of both
  std::string variants;  // which one-edit variants fail and which pass, a line for each thing that is edited
  std::string thread;    // the address of a thread that is known to tell of it
  std::string title;     // what a person said is wrong; empty: it is made of the finding
  std::string reasons;   // why, in a person's words, as Markdown
  std::string printed;   // what the script prints, as Markdown: expected and actual
  std::string edits;     // what makes it go away, in a person's words, as Markdown
  std::string fix;       // what would mend it, in a person's words, as Markdown
  std::string frames;    // the lines of what the target wrote that tell where and why
  std::string nearest;   // where there is none: the known bug that is the most like it, as Markdown
  std::optional<VersionHistory> releases;  // which show it, as a saved bug has them; the finding's own come first
};

// Free text of the finding goes into code, where Markdown leaves it alone.
std::string issue_text(const Finding& finding, const IssueParts& parts);

// The text as a code block whose fence it cannot close, and as an inline code of one line.
std::string markdown_block(std::string_view text, std::string_view language = "");
std::string markdown_code(std::string_view text);

}  // namespace parallax
