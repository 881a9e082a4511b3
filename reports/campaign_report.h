// Campaign report: what a findings folder holds as one page: how far its campaigns are, what their graphs held, what
// was found, and a page for each finding.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/cell_cases.h"
#include "reports/finding_report.h"

namespace parallax {

// What one campaign did with one target.
struct LaneReport {
  std::string target;
  int64_t cases = 0;
  int64_t judged = 0;
  double seconds = 0;
  std::array<int64_t, verdict_count> verdicts{};
  std::vector<int64_t> found_at;  // the numbers of the graphs that showed a finding first, in order
};

struct CampaignReport {
  std::string begun;  // day and time
  bool finished = false;
  double seconds = 0;
  uint64_t seed = 0;
  std::string profile;
  std::vector<std::string> planted;
  std::vector<LaneReport> lanes;
};

// How often an op was drawn with results of one dtype, and the alias relations that such nodes brought about.
struct CoverageCell {
  bool possible = false;  // some call of it infers for that dtype
  int64_t nodes = 0;
  int64_t undecided = 0;  // of these, in graphs that ended undecided
  std::vector<std::string> relations;
};
struct CoverageRow {
  std::string op;
  std::array<CoverageCell, dtype_count> cells;  // by DType
};
struct CoverageReport {
  int64_t graphs = 0;
  std::vector<std::pair<std::string, int64_t>> relations;  // every one, and how many graphs hold it
  std::vector<CoverageRow> rows;
  std::vector<OpCells> cases;  // what the cells open, sorted by op
};

struct FolderReport {
  std::string folder;
  std::string since;  // the earlier folder; empty for none
  std::string made;   // the day the report was made
  std::string version;
  std::vector<CampaignReport> campaigns;  // the latest first
  std::optional<CoverageReport> coverage;
  std::vector<FindingReport> findings;
  std::vector<Finding> gone;
  std::vector<Error> broken;  // what could not be read
};

// The whole document.
std::string campaign_page(const FolderReport& report);

}  // namespace parallax
