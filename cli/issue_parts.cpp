#include "cli/issue_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "backends/open_target.h"
#include "cli/target_options.h"
#include "corpus/known.h"
#include "export/brief_script.h"
#include "fuzz/findings/trigger_map.h"
#include "graph/text_file.h"
#include "reports/stack_lines.h"

namespace parallax {
namespace {

// What differs is seen in what the first run hands back, and not in its memory or after another run.
bool shows_in_one_run(const Finding& finding) {
  if (finding.earlier || finding.wrong_calls == WrongCalls::LaterAlone) return false;
  if (finding.verdict != Verdict::Mismatch) return finding.verdict == Verdict::InternalError;
  return finding.reason.starts_with("A: ") && !finding.reason.contains("storage");
}

// The paragraphs of a saved bug's page, each where an issue has it.
void add_text(const std::string& text, IssueParts& parts) {
  const struct {
    std::string_view mark;  // how a paragraph begins
    std::string* part;
    std::string_view said;  // in the place of the mark
  } kinds[] = {
      {"**What makes it go away.** ", &parts.edits, "What makes it go away: "},
      {"**Suggested fix.** ", &parts.fix, ""},
      {"**Why it is wrong.** ", &parts.reasons, ""},
      {"What the script prints:", &parts.printed, "What the script prints:"},
      {"**", &parts.reasons, "**"},
  };
  std::istringstream lines(text);
  std::string* part = &parts.reasons;
  for (std::string line; std::getline(lines, line);) {
    const auto kind = std::ranges::find_if(kinds, [&](const auto& one) { return line.starts_with(one.mark); });
    if (kind != std::end(kinds)) {
      part = kind->part;
      line.replace(0, kind->mark.size(), kind->said);
    }
    if (!line.empty() || !part->empty()) *part += line + "\n";
  }
  for (std::string* one : {&parts.reasons, &parts.edits, &parts.fix, &parts.printed}) {
    one->resize(one->find_last_not_of('\n') + 1);
    if (!one->empty()) *one += '\n';
  }
}

IssueParts parts_of(const Finding& finding, const std::string& script) {
  IssueParts parts;
  parts.script = script;
  if (shows_in_one_run(finding)) parts.brief = brief_script(finding.reduced, finding.target).value_or("");
  const auto known = KnownFindings::read((root_folder() / "corpus" / "known.jsonl").string(), today());
  const KnownFinding* entry = known ? known->find(finding.signature, finding.target, finding.versions) : nullptr;
  if (entry) parts.thread = entry->url;
  if (const FoundBug* bug = known_bugs().same(finding)) {
    // A saved bug has a script in the idiom of its system, with its own controls: it stands in place of the harness.
    if (bug->script.ends_with(".py"))
      parts.script = read_text_file(root_folder() / bug->script).value_or(std::move(parts.script));
    if (parts.thread.empty() && !bug->upstream.empty()) parts.thread = bug->upstream.front().url;
    parts.title = bug->title;
    parts.releases = bug->releases;
    add_text(bug->text, parts);
    return parts;
  }
  if (!parts.thread.empty()) return parts;
  if (const FoundBug* bug = known_bugs().nearest(finding)) {
    parts.nearest = markdown_code(bug->title);
    if (!bug->upstream.empty()) parts.nearest += fmt::format(" ({})", bug->upstream.front().url);
  }
  return parts;
}

}  // namespace

IssueParts issue_parts(const Finding& finding, const std::string& script) {
  IssueParts parts = parts_of(finding, script);
  if (parts.brief.empty() && parts.script.empty()) parts.brief = finding.script;
  const bool ended = finding.verdict == Verdict::InternalError || finding.verdict == Verdict::Crash;
  if (ended && finding.sighting && parts.printed.empty()) parts.frames = stack_lines(finding.sighting->detail);
  return parts;
}

const KnownBugs& known_bugs() {
  static const KnownBugs known = KnownBugs::of_this_program();
  return known;
}

std::string variants_of(const Finding& finding) {
  const auto target = open_target(finding.target, {.faults = finding.planted});
  return target ? describe(trigger_map(**target, finding.reduced)) : "";
}

}  // namespace parallax
