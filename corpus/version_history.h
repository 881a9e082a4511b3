// VersionHistory: what the releases of a system make of one case, as `parallax bisect` found it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parallax {

struct VersionVerdict {
  std::string version;
  std::string verdict;  // "mismatch · A: out[0] a …", or why there is none
  bool bad = false;     // it diverges
};

struct VersionHistory {
  std::string system;                  // "onnxruntime"; empty where that is not known
  std::string first_bad, first_fixed;  // empty: none in the range
  bool still_there = false;            // in the newest release that was judged
  std::vector<VersionVerdict> judged;  // in the order in which they were judged
};

// What these releases say beside each other, each of which judged the case.
VersionHistory history_of(std::string system, std::vector<VersionVerdict> judged);

// What `bisect --json` prints and versions.json of a finding's folder holds, and back.
std::string version_history_json(const VersionHistory& history);
Result<VersionHistory> parse_version_history(std::string_view json);

// "wrong since 1.20.0; not fixed in 1.22.0"; empty where no release is wrong.
std::string describe(const VersionHistory& history);

// The releases from old to new.
std::vector<VersionVerdict> by_release(const VersionHistory& history);

}  // namespace parallax
