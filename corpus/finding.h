// Finding: one divergence of a target, reduced, signed and explained.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/grade.h"
#include "corpus/juror.h"
#include "corpus/sighting.h"
#include "corpus/version_history.h"
#include "graph/control.h"
#include "oracle/judge.h"

namespace parallax {

// Of some runs of one case, how many diverged in the same way.
struct Repeats {
  int wrong = 0;
  int runs = 0;

  bool always() const { return wrong == runs; }
  friend bool operator==(const Repeats&, const Repeats&) = default;
};

// Of the calls of one program that a target keeps, which diverge.
enum class WrongCalls : uint8_t { All, FirstAlone, LaterAlone };
// "right on the first call, wrong from the second on"; empty for All.
std::string_view describe(WrongCalls calls);

// Where in a case of several calls the divergence shows, and which other calls it needs: without one of these it does
// not show.
struct WrongCall {
  int call = 1;             // from 1
  bool read_again = false;  // what that call returned is right, and wrong when it is read after the last one
  std::vector<int> needs;

  friend bool operator==(const WrongCall&, const WrongCall&) = default;
};
// "wrong at call 3; needs call 1".
std::string describe(const WrongCall& wrong);

struct Finding {
  std::string id;      // "7KQ2": given by the store
  std::string target;  // as the user named it, options included
  Verdict verdict = Verdict::Mismatch;
  std::string signature;  // corpus/signature.h
  std::string reason;     // the judge's line on the reduced case
  Case original;
  Case reduced;
  std::string explanation;                                // text for a person, several lines
  std::string stage;                                      // the first one that differs; empty: not known
  std::vector<std::pair<std::string, Verdict>> controls;  // the same with one thing changed, and its verdict
  std::optional<Control> control;                         // of these, the case of one that passes; not stored
  std::string blame;  // the part of the target that its own detectors name, a pass or "planner"; empty for none
  std::string cause;  // what kind of slip of that part it is, "alias overwritten"; empty where that is not known
  std::string configuration;  // the least of the target that still diverges, "passes functionalize"; empty: not known
  std::optional<Repeats> repeats;  // of the reduced case, where it does not always diverge or that was asked for
  WrongCalls wrong_calls = WrongCalls::All;
  std::optional<WrongCall> wrong_call;  // of the reduced case, where more than one call is looked at
  std::optional<Case> earlier;          // what must run before the reduced case in the same process for it to diverge
  std::optional<NumericEvidence> evidence;                    // of wrong numbers
  std::optional<Grade> grade;                                 // nothing: it was stored before there were grades
  std::vector<JurorAnswer> jury;                              // empty: it was not put to a jury
  std::vector<std::string> planted;                           // faults that were switched on ("F01")
  std::optional<uint64_t> seed;                               // what generated the original, where it was generated
  std::optional<uint64_t> index;                              // its number among the graphs of that seed
  std::vector<std::pair<std::string, std::string>> versions;  // {"executorch", "1.4.1"} …
  std::optional<Sighting> sighting;                           // nothing: earlier versions kept none
  std::optional<VersionHistory> releases;                     // nothing: it was not bisected
  std::string script;       // that shows it, where none of export/ drives the target; empty: there is none
  std::string environment;  // what the system's own collector of versions prints; empty: it was not run
  // What the target compiled the reduced case to, by relative path. Written, and not read back.
  std::vector<std::pair<std::string, std::string>> artifacts;
};

// A short name for a text: `length` digits (at most 13) of a hash in base 32 without I, L, O, U. Equal on every
// machine.
std::string short_id(std::string_view text, int length);

// finding.json: what the cases and the explanation do not say.
std::string finding_json(const Finding& finding);
// Reads finding.json back into a finding without cases and explanation; the error carries the JSON pointer.
Result<Finding> parse_finding(std::string_view json);

}  // namespace parallax
