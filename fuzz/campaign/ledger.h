// Ledger: how far a campaign is, in FINDINGS/campaigns.db, so that one that was killed at any moment goes on.
//
// What is written is a whole state: turns that are finished, with what they counted and found. A turn that was cut off
// is run again from its first case, and a case is the same each time, so nothing is lost and nothing is counted twice.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "corpus/database.h"
#include "fuzz/campaign/campaign.h"

namespace parallax {

// A target's place in the sequence of cases.
struct LaneState {
  uint64_t next = 0;         // every turn that begins before this is finished …
  std::set<uint64_t> ahead;  // … and these are, by their first case
  double seconds = 0;        // that the target was given
  Tally tally;
};

struct CampaignState {
  double seconds = 0;                               // since the campaign began, pauses left out
  std::map<std::string, LaneState> lanes;           // by target
  std::map<std::string, std::set<uint64_t>> looks;  // cases that were reduced, by failure class
  std::vector<CampaignFinding> findings;
  std::string more;  // what the caller of the campaign counts besides
};

class Ledger {
 public:
  // Opens the ledger of a folder, which must be there. A campaign is known by its description: one of the same
  // description that was not finished is gone on with, unless it is to begin `fresh`. One that another process runs
  // right now is left to that process.
  static Result<Ledger> open(const std::filesystem::path& folder, const std::string& description, bool fresh);

  // The state that the unfinished campaign was left in; nothing where this one begins. `known` are the known findings
  // of the campaign, `source` its cases.
  Result<std::optional<CampaignState>> unfinished(const KnownFindings& known,
                                                  const std::function<std::optional<Case>(uint64_t k)>& source);

  // How many campaigns of another description were cut off in this folder after they wrote something, and are run by no
  // process now.
  Result<int64_t> unfinished_others(const std::string& description);

  // Writes the state in one transaction. Findings that were written before are not written again.
  Result<void> save(const CampaignState& state, bool finished);

 private:
  explicit Ledger(Database database) : database_(std::move(database)) {}
  Result<void> save_findings(const std::vector<CampaignFinding>& findings);

  Database database_;
  int64_t campaign_ = 0;
  bool begun_before_ = false;
};

// A campaign as a folder's ledger tells it, for a report.
struct CampaignRecord {
  std::string description;  // as Ledger::open was given it
  std::string begun;        // day and time (UTC)
  bool finished = false;
  double seconds = 0;
  std::map<std::string, Tally> tallies;  // by target
  std::string more;
  struct Found {
    std::string target;
    std::string signature;
    uint64_t graph = 0;  // its number among the campaign's cases
  };
  std::vector<Found> findings;
};

// Every campaign of a folder that wrote something, the latest first; none where there is no ledger.
Result<std::vector<CampaignRecord>> recorded_campaigns(const std::filesystem::path& folder);

// Writes the campaigns of one folder into the ledger of another, unless a later state of the same campaign is there.
// `folder_of` names the folder that holds the finding of a signature now; empty where none does. How many were written.
Result<int> copy_campaigns(const std::filesystem::path& from, const std::filesystem::path& to,
                           const std::function<std::string(const std::string& signature)>& folder_of);

}  // namespace parallax
