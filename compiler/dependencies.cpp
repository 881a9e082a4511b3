#include "compiler/dependencies.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <ranges>

#include "core/choices.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

void tidy(std::vector<NodeId>& nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
}

using Earliest = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;

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
        if (maker[value.index].valid() && taken_unless_dropped<"maker_edge">())
          dependencies[n].push_back(maker[value.index]);
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
        if (before.writer.valid() && taken_unless_dropped<"read_after_write_edge">())
          dependencies[n].push_back(before.writer);
        if (writes) {
          if (taken_unless_dropped<"write_after_read_edge">())
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
  const auto inside = [&](NodeId before) { return range.holds(before.index); };
  std::vector<std::size_t> waiting(range.size(), 0);
  // The readers of node n are those from first_reader[n] to first_reader[n + 1].
  std::vector<std::size_t> first_reader(range.size() + 1, 0);
  for (std::size_t n = range.first; n < range.end; ++n) {
    for (NodeId before : dependencies[n] | std::views::filter(inside)) ++first_reader[before.index - range.first + 1];
  }
  std::partial_sum(first_reader.begin(), first_reader.end(), first_reader.begin());
  std::vector<std::size_t> readers(first_reader.back());
  std::vector<std::size_t> free_place(first_reader);
  std::map<int, Earliest> ready;  // by key
  Earliest all_ready;             // those that have run since among them
  const auto make_ready = [&](std::size_t n) {
    ready[keys[n]].push(n);
    all_ready.push(n);
  };
  for (std::size_t n = range.first; n < range.end; ++n) {
    for (NodeId before : dependencies[n] | std::views::filter(inside)) {
      ++waiting[n - range.first];
      readers[free_place[before.index - range.first]++] = n;
    }
    if (waiting[n - range.first] == 0) make_ready(n);
  }
  std::vector<bool> has_run(range.size(), false);
  std::vector<Run> runs;
  while (true) {
    while (!all_ready.empty() && has_run[all_ready.top() - range.first]) all_ready.pop();
    if (all_ready.empty()) return runs;
    Earliest* same = runs.empty() ? nullptr : &ready[runs.back().key];
    if (!same || same->empty()) {
      const int key = keys[all_ready.top()];
      runs.push_back({key, {}});
      same = &ready[key];
    }
    const std::size_t n = same->top();
    same->pop();
    has_run[n - range.first] = true;
    runs.back().nodes.push_back(NodeId(n));
    for (std::size_t r = first_reader[n - range.first]; r < first_reader[n - range.first + 1]; ++r) {
      if (--waiting[readers[r] - range.first] == 0) make_ready(readers[r]);
    }
  }
}

std::vector<NodeId> drawn_order(const Dependencies& dependencies, uint64_t seed) {
  Choices choices(seed, 0);
  std::vector<std::size_t> waiting(dependencies.size());
  std::vector<std::vector<NodeId>> readers(dependencies.size());
  std::vector<NodeId> ready;
  for (std::size_t n = 0; n < dependencies.size(); ++n) {
    waiting[n] = dependencies[n].size();
    for (NodeId before : dependencies[n]) readers[before.index].push_back(NodeId(n));
    if (waiting[n] == 0) ready.push_back(NodeId(n));
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    std::swap(ready[choices.below(ready.size())], ready.back());
    const NodeId next = ready.back();
    ready.pop_back();
    order.push_back(next);
    for (NodeId reader : readers[next.index]) {
      if (--waiting[reader.index] == 0) ready.push_back(reader);
    }
  }
  return order;
}

}  // namespace parallax
