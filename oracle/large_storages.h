// Large storages: what an interpreter need not hold as balls from the first node to the last. A ball is six times as
// large as an f32, and a whole program makes many times what it holds at once.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace parallax {

class LargeStorages {
 public:
  explicit LargeStorages(const Graph& graph);

  // Whether a storage is held only between the first node that takes or makes it and the last: it is a constant's that
  // nothing writes, or made by nodes, and no output lies in it.
  bool holds(StorageId storage) const { return !held_.empty() && held_[storage.index]; }

  // The storages that no node before this one takes or makes.
  template <class Visit>
  void for_each_first_taken(std::size_t node, Visit visit) const {
    if (first_.empty()) return;
    for (const StorageId storage : first_[node]) visit(storage);
  }
  // Those that no node after this one does.
  template <class Visit>
  void for_each_last_taken(std::size_t node, Visit visit) const {
    if (last_.empty()) return;
    for (const StorageId storage : last_[node]) visit(storage);
  }
  // The constant that fills such a storage; null where nodes do.
  const Source* constant(StorageId storage) const { return constants_[storage.index]; }

 private:
  std::vector<bool> held_;                     // by storage; empty where there is none
  std::vector<const Source*> constants_;       // by storage
  std::vector<std::vector<StorageId>> first_;  // by node
  std::vector<std::vector<StorageId>> last_;   // by node
};

}  // namespace parallax
