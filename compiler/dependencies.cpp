#include "compiler/dependencies.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/mutants_list.h"

namespace parallax {
namespace {

void tidy(std::vector<NodeId>& nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
}

// Who touched a storage last.
struct Accesses {
  NodeId writer;
  std::vector<NodeId> readers;  // since then
};

}  // namespace

Dependencies value_dependencies(const Graph& graph) {
  Dependencies dependencies(graph.nodes.size());
  std::vector<NodeId> maker(graph.metas.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) {
        if (maker[value.index].valid() && kept(maker_edge)) dependencies[n].push_back(maker[value.index]);
      });
    }
    tidy(dependencies[n]);
    for (ValueId result : graph.nodes[n].results) maker[result.index] = NodeId(n);
  }
  return dependencies;
}

Dependencies all_dependencies(const Graph& graph) {
  Dependencies dependencies = value_dependencies(graph);
  const std::vector<bool> written = written_storages(graph);
  std::vector<Accesses> accesses(graph.storages.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const bool writes = node.op->schema.parameters[i].written;
      for_each_value(node.arguments[i], [&](ValueId value) {
        const std::size_t storage = graph.meta(value).storage.index;
        if (!written[storage] && !writes) return;
        Accesses& before = accesses[storage];
        if (before.writer.valid() && kept(read_after_write_edge)) dependencies[n].push_back(before.writer);
        if (writes) {
          if (kept(write_after_read_edge))
            dependencies[n].insert(dependencies[n].end(), before.readers.begin(), before.readers.end());
          before = {NodeId(n), {}};
        } else {
          before.readers.push_back(NodeId(n));
        }
      });
    }
    tidy(dependencies[n]);
    std::erase(dependencies[n], NodeId(n));
  }
  return dependencies;
}

std::vector<Run> order_in_runs(const Dependencies& dependencies, NodeRange range, std::span<const int> keys) {
  std::vector<std::size_t> waiting(range.size(), 0);
  std::vector<std::vector<std::size_t>> readers(range.size());
  std::map<int, std::set<std::size_t>> ready;  // by key
  std::set<std::size_t> all_ready;
  const auto make_ready = [&](std::size_t n) {
    ready[keys[n]].insert(n);
    all_ready.insert(n);
  };
  for (std::size_t n = range.first; n < range.end; ++n) {
    for (NodeId before : dependencies[n]) {
      if (!range.holds(before.index)) continue;
      ++waiting[n - range.first];
      readers[before.index - range.first].push_back(n);
    }
    if (waiting[n - range.first] == 0) make_ready(n);
  }
  std::vector<Run> runs;
  while (!all_ready.empty()) {
    std::set<std::size_t>* same = runs.empty() ? nullptr : &ready[runs.back().key];
    if (!same || same->empty()) {
      const int key = keys[*all_ready.begin()];
      runs.push_back({key, {}});
      same = &ready[key];
    }
    const std::size_t n = *same->begin();
    same->erase(same->begin());
    all_ready.erase(n);
    runs.back().nodes.push_back(NodeId(n));
    for (std::size_t reader : readers[n - range.first]) {
      if (--waiting[reader - range.first] == 0) make_ready(reader);
    }
  }
  return runs;
}

}  // namespace parallax
