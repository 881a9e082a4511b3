// False alarms: campaigns whose findings were all looked at by hand, and how many of them were faults of Parallax. One
// JSON object per campaign; only "targets" is needed, and what is not known is left out:
//   {"date": "2026-11-24", "commit": "…", "seed": 1, "targets": {"opencv": {"seconds": 300, "graphs": 31623}},
//    "graphs": 31623, "findings": 25, "ours": 0, "ours_on": [], "unexamined_on": [], "note": "…"}
// "ours" counts false alarms, "ours_on" names the targets that had one, "unexamined_on" those some of whose findings
// nobody looked at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "reports/markdown.h"

namespace parallax {

struct ExaminedTarget {
  std::optional<int64_t> seconds;  // how long the campaign drove this target
  std::optional<int64_t> graphs;   // how many it judged
};

struct ExaminedCampaign {
  std::string date;    // YYYY-MM-DD
  std::string commit;  // of Parallax
  std::optional<int64_t> seed;
  std::map<std::string, ExaminedTarget> targets;  // by name
  std::optional<int64_t> graphs;                  // on all targets
  std::optional<int64_t> findings;
  std::optional<int64_t> ours;
  std::vector<std::string> ours_on;
  std::vector<std::string> unexamined_on;
  std::string note;
};

// Reads the lines of a file, which errors name; campaigns are in the order of time. Where `broken` is given, lines that
// cannot be read go there and are left out; else the first one is the error.
Result<std::vector<ExaminedCampaign>> parse_examined(const std::string& file, std::string_view text,
                                                     std::vector<Error>* broken = nullptr);

// What a target did since its last false alarm, or since a campaign that may hide one.
struct CleanRun {
  int campaigns = 0;
  int64_t seconds = 0;
  int64_t graphs = 0;           // where they are known per target
  bool graphs_missing = false;  // in some campaign
  std::string last_alarm;       // date of the campaign with the last false alarm; empty for none
};
std::map<std::string, CleanRun> clean_runs(const std::vector<ExaminedCampaign>& campaigns);

GeneratedPage false_alarm_page(const std::vector<ExaminedCampaign>& campaigns);

}  // namespace parallax
