// Histogram: which ops and which alias relations a campaign's graphs held.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "graph/graph.h"

namespace parallax {

class Histogram {
 public:
  // `reused_slot`: a memory plan put two of its storages into the same bytes.
  void add(const Graph& graph, bool reused_slot);
  // Bars, most frequent first, and the share of graphs with a write, an alias and a reused slot.
  std::string text() const;

 private:
  int64_t graphs_ = 0;
  int64_t write_alias_reuse_ = 0;
  std::map<std::string, int64_t> ops_;
  std::map<std::string, int64_t> relations_;
};

}  // namespace parallax
