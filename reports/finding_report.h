// Finding report: one finding as a page of its own within a report: what is wrong, where it comes from, how to see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/finding.h"
#include "corpus/sighting.h"
#include "corpus/trigger_row.h"
#include "corpus/value_error.h"
#include "reports/arena_story.h"
#include "reports/html.h"
#include "reports/standing.h"

namespace parallax {

// What the target did with the reduced case when the report was made, or, where it was not run again, when the finding
// was.
struct Rerun : Sighting {
  Verdict verdict = Verdict::Match;
  std::string reason;
  std::optional<ArenaStory> arena;
  std::optional<ValueErrors> errors;
};

// A drawing by Graphviz as inline SVG, or why there is none.
struct Picture {
  std::string svg;
  std::string missing;
};

// The graph that the pass to blame was given, and what it made of it.
struct PassChange {
  std::string pass;
  Graph before, after;
  Picture before_picture, after_picture;
};

struct FindingReport {
  Finding finding;
  std::string anchor;  // of its page, one of a kind
  Standing standing = Standing::Unknown;
  std::string found_at;  // "graph 12 of 2566"; empty where that is not known
  std::optional<Rerun> rerun;
  std::string not_rerun;  // why it was not run again; `rerun` is then what the finding's folder keeps, if it does
  Picture before, after;
  std::optional<PassChange> pass_change;
  std::string nearest;  // the known bug that is the most like it; empty where none is near
  std::string nearest_url;
  std::vector<TriggerRow> triggers;    // of the reduced case, where it was run again
  std::string script;                  // that shows it on the system; empty where no script drives it
  std::string issue;                   // the text for the system's tracker
  std::vector<std::string> relations;  // of aliasing, in the reduced graph: "view-of-input"
  std::string command;                 // that shows it with this program
};

// Gives each its anchor: "f-7KQ2", and where that is taken "f-7KQ2-2".
void set_anchors(std::vector<FindingReport>& reports);

// Writes the page as an article.
void write_finding(Html& html, const FindingReport& report);

}  // namespace parallax
