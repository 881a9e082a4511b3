#include "graph/storage_sets.h"

#include "graph/control_op.h"

namespace parallax {

StorageSets::StorageSets(const Graph& graph) {
  for (std::size_t s = 0; s < graph.storages.size(); ++s) parents_.push_back(s);
  for (const Node& node : graph.nodes) {
    const ControlOp* op = as_control(*node.op);
    if (!op) continue;
    const auto storage_of = [&](ValueId value) { return graph.meta(value).storage; };
    for (std::size_t k = 0; k < op->may_share.size() && k < node.results.size(); ++k) {
      for (const std::size_t parameter : op->may_share[k])
        join(storage_of(node.results[k]), storage_of(std::get<ValueId>(node.arguments[parameter])));
    }
    for (const auto& [a, b] : op->twins) join(storage_of(node.results[a]), storage_of(node.results[b]));
  }
}

bool StorageSets::is_alone(StorageId storage) const {
  for (std::size_t s = 0; s < parents_.size(); ++s) {
    if (s != storage.index && may_share(StorageId(s), storage)) return false;
  }
  return true;
}

std::size_t StorageSets::set_of(std::size_t storage) const {
  while (parents_[storage] != storage) storage = parents_[storage];
  return storage;
}

void StorageSets::join(StorageId a, StorageId b) { parents_[set_of(a.index)] = set_of(b.index); }

}  // namespace parallax
