// Large constants: the weights that an interpreter need not hold as balls from the first node to the last. A ball is six
// times as large as an f32.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace parallax {

class LargeConstants {
 public:
  explicit LargeConstants(const Graph& graph);

  // Whether a storage is held only between the first node that takes it and the last: it is a constant alone, nothing
  // writes it, and no output lies in it.
  bool holds(StorageId storage) const { return !held_.empty() && held_[storage.index]; }

  // The constants that no node before this one takes.
  template <class Visit>
  void for_each_first_taken(std::size_t node, Visit visit) const {
    if (first_.empty()) return;
    for (const std::size_t source : first_[node]) visit(source);
  }
  // The storages that no node after this one takes.
  template <class Visit>
  void for_each_last_taken(std::size_t node, Visit visit) const {
    if (last_.empty()) return;
    for (const StorageId storage : last_[node]) visit(storage);
  }

 private:
  std::vector<bool> held_;                       // by storage; empty where there is none
  std::vector<std::vector<std::size_t>> first_;  // by node: which of the graph's sources
  std::vector<std::vector<StorageId>> last_;     // by node
};

}  // namespace parallax
