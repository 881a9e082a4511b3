// Histogram: which ops and which alias relations a campaign's graphs held, and which together.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/result.h"
#include "fuzz/campaign/coverage_map.h"

namespace parallax {

class Histogram {
 public:
  // `reused_slots`: of a memory plan (Outcome::reused_slots), -1 where the target does not tell.
  void add(const Graph& graph, int reused_slots, bool is_undecided = false);
  // Bars, most frequent first, and, where plans are known, the share of graphs with a write, an alias and a reused
  // slot.
  std::string text() const;

  int64_t graphs() const { return graphs_; }
  // How many graphs hold a relation.
  int64_t graphs_with(AliasRelation relation) const;
  const CoverageMap& coverage() const { return coverage_; }

  // All counts as JSON and back, for a campaign that goes on.
  std::string to_json() const;
  static Result<Histogram> from_json(const std::string& text);

 private:
  int64_t graphs_ = 0;
  int64_t planned_ = 0;  // graphs whose plan is known
  int64_t write_alias_reuse_ = 0;
  std::map<std::string, int64_t> ops_;
  std::map<std::string, int64_t> relations_;
  CoverageMap coverage_;
};

}  // namespace parallax
