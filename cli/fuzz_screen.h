// Fuzz screen: what a campaign says while it runs, on standard error: what it starts, each finding in three lines when
// it is stored, and on a terminal one line of status that overwrites itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace parallax {

// "31 s · 2 findings · 7,591 cases · portable 3,800 (122/s) · …"
std::string status_line(const std::map<std::string, int64_t>& cases, std::size_t findings, double seconds);

// A finding in three lines: what and where, the reason, the command that shows it again. Each is cut to `width` but for
// the command, which is there to be copied.
std::vector<std::string> announcement(const CampaignFinding& found, std::size_t number, std::size_t width);

class FuzzScreen {
 public:
  // What is started: printed before the first target is opened.
  void begin(const CampaignOptions& options, const std::string& profile);
  void opening(const std::vector<std::string>& now);
  void progress(const std::map<std::string, int64_t>& cases, std::size_t findings, double seconds);
  void found(const CampaignFinding& found, std::size_t number);
  // Removes the status line.
  void end();

 private:
  void show(const std::string& line);

  bool shown_ = false;         // there is a status line to overwrite
  double next_log_line_ = 30;  // of a run whose messages go to a file, in seconds of the campaign
};

}  // namespace parallax
