// StorageSets: which storages of a graph may be one in eager, because a branch or a loop hands on what its subgraph
// returns. In the graph the results of such a node have memory of their own.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace parallax {

class StorageSets {
 public:
  explicit StorageSets(const Graph& graph);

  bool may_share(StorageId a, StorageId b) const { return set_of(a.index) == set_of(b.index); }
  // Whether some other storage may be the same one.
  bool is_alone(StorageId storage) const;

 private:
  std::size_t set_of(std::size_t storage) const;
  void join(StorageId a, StorageId b);

  std::vector<std::size_t> parents_;  // by storage
};

}  // namespace parallax
