// Campaign: many cases through several targets, each judged, what diverges reduced and stored.
//
// Every target has its own place in the numbered sequence of cases, so that a slow one does not hold a fast one back; a
// worker thread always serves the target that has had the least time, a target outside the process by at most two
// workers. Case k is the same whatever the threads do.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/open_target.h"
#include "corpus/finding.h"
#include "corpus/known.h"
#include "fuzz/campaign/missing.h"
#include "fuzz/campaign/tally.h"

namespace parallax {

struct CampaignFinding;

// Who is told of what a campaign does; each may be null.
struct CampaignCallbacks {
  // Told, under a lock, which targets are being started, whenever there is one more: some take many seconds.
  std::function<void(const std::vector<std::string>& now)> on_opening;
  // Told why targets cannot be driven here or did not start in time, each reason once, where others go on without.
  std::function<void(const Error& reason)> on_missing;
  // Told of the open targets before the first case is asked for; an error ends the campaign.
  std::function<Result<void>(const std::vector<const Target*>& targets)> on_open;
  // Told once of a campaign that goes on: how many cases are judged already.
  std::function<void(int64_t cases)> on_resume;
  // Told once of a campaign that begins anew where campaigns with another description were cut off: how many.
  std::function<void(int64_t others)> on_other_campaigns;
  // Told of every judged case at the end of its turn, under a lock.
  std::function<void(const std::string& target, uint64_t k, const Case& test, const Examination& examination)> on_case;
  // Told of each distinct finding once it is stored, under a lock. `number` counts them from 1.
  std::function<void(const CampaignFinding& found, std::size_t number)> on_finding;
  // What the caller counts in on_case, as a text, and the way back from it, for a campaign that goes on.
  std::function<std::string()> save_more;
  std::function<Result<void>(const std::string& text)> restore_more;
  // Told about twice a second of the cases that are judged, by target.
  std::function<void(const std::map<std::string, int64_t>& cases, std::size_t findings, double seconds)> on_progress;
};

// Of each field fuzz/campaign/description.h says whether a campaign with another value of it is another campaign.
struct CampaignOptions {
  std::vector<std::string> targets = {};
  TargetOptions target_options = {};
  // Case k, or nothing past the end. Called from several threads.
  std::function<std::optional<Case>(uint64_t k)> source = nullptr;
  // What the cases are, in words that another source shares only if it gives the same ones. Where it is given and
  // findings are kept, how far the campaign is is kept beside them, and one that was cut off goes on.
  std::string cases = {};
  // Stop after that long, counted from before the targets are opened. Once one is open, the others have half of what is
  // left to start in. Without it, run to the source's end.
  std::optional<double> seconds = {};
  std::size_t cases_a_turn = 1;  // consecutive cases that one worker had better have: feeds of one graph
  // This campaign takes every `shards`-th turn of the sequence, from that of `shard` on; the others are other
  // machines'.
  uint64_t shard = 0;
  uint64_t shards = 1;
  int jobs = 1;
  uint64_t seed = 0;  // goes into the findings
  bool pack = false;  // run several cases as one program on targets that ask for it
  bool reduce = true;
  bool controls = true;        // and what else takes more runs of the target (make_finding.h)
  double reduce_seconds = 30;  // the most processor time that one reduction may take
  int reduce_checks = 100;     // that it may make all the same, on a target that is slow to answer
  int repeat = 0;              // runs in which to see how often a finding diverges (make_finding.h)
  std::string base = {};       // must be right where a target is wrong, no fault planted; empty: none
  // Of a target that is a configuration of another: that one, which is its base (drawn_configurations.h).
  std::map<std::string, std::string> defaults = {};
  int related = 0;           // one-edit neighbours of each case that run after it on the same live target
  KnownFindings known = {};  // these are counted, not reduced where that can be told, not kept
  std::optional<std::filesystem::path> findings = {};  // where finding folders go; nothing: they are not stored
  bool fresh = false;                                  // do not go on with an earlier one
  bool jury = false;                       // put each distinct finding of an external target to jurors (jury.h)
  std::function<bool()> interrupted = {};  // true: hand out no case, end reductions with the best so far, and stop
  CampaignCallbacks callbacks = {};
};

// A finding and what is known of how it came about.
struct CampaignFinding {
  Finding finding;
  int checks = 0;  // of the reduction
  double reduce_seconds = 0;
  std::filesystem::path folder;  // where it is kept; empty if it is not
  std::optional<KnownFinding> known = {};
  int64_t known_cases = 0;  // that showed it, where it is known
};

struct CampaignResult {
  std::map<std::string, Tally> tallies;
  std::vector<CampaignFinding> findings;  // one a signature, by the number of the case
  double seconds = 0;
  std::vector<MissingTarget> missing = {};  // while others were driven
  bool interrupted = false;                 // before its end: the same campaign goes on
};

// Runs to the end. An error is that no target can be driven here, one that nobody knows, or a findings folder that
// cannot be written; nothing has run then.
Result<CampaignResult> run_campaign(const CampaignOptions& options);

}  // namespace parallax
