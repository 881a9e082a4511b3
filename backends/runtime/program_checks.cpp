#include "backends/runtime/program_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/fusion.h"

namespace parallax::runtime {
namespace {

using Found = std::optional<ProgramFailure>;

ProgramFailure of_partition(std::string_view kind, std::string what) { return {"partition", kind, std::move(what)}; }

// The lists of one partition against its call.
Found check_lists(const Graph& graph, const Partition& partition, std::size_t number) {
  if (partition.inputs != partition.arguments) {
    return of_partition("inputs are not the call's",
                        fmt::format("partition {} takes {} inputs, its call gives {}", number, partition.inputs.size(),
                                    partition.arguments.size()));
  }
  if (partition.outputs != partition.results) {
    return of_partition("outputs are not the call's",
                        fmt::format("partition {} gives {} outputs, its call takes {}", number,
                                    partition.outputs.size(), partition.results.size()));
  }
  for (std::size_t i = 0; i < partition.outputs.size(); ++i) {
    const TensorMeta& output = graph.meta(partition.outputs[i]);
    const std::string& name = graph.name(partition.outputs[i]);
    if (partition.output_types[i] != output.dtype) {
      return of_partition("an output crosses as another dtype",
                          fmt::format("{} leaves partition {} as {}, and is {}", name, number,
                                      parallax::name(partition.output_types[i]), parallax::name(output.dtype)));
    }
    for (ValueId input : partition.inputs) {
      if (partition.passed[i] >= 0 || graph.meta(input).storage != output.storage) continue;
      return of_partition("what is passed through has memory of its own",
                          fmt::format("{} lies in the memory of {}, an input of partition {}, and is given memory of "
                                      "its own",
                                      name, graph.name(input), number));
    }
  }
  return std::nullopt;
}

// Every node after what it reads, and on the right side of every write to memory that it reads.
Found check_order(const Graph& graph, const Graph& unpartitioned) {
  std::map<std::string_view, std::size_t> place;  // by node, in the right order
  for (std::size_t n = 0; n < unpartitioned.nodes.size(); ++n) place[unpartitioned.nodes[n].name] = n;
  std::vector<bool> made(graph.metas.size(), false);
  for (const Source& source : graph.sources) made[source.value.index] = true;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (const Argument& argument : node.arguments) {
      Found found;
      for_each_value(argument, [&](ValueId value) {
        if (!made[value.index] && !found) {
          found = of_partition("a node runs before what it reads",
                               fmt::format("{} runs before {}, which it reads", node.name, graph.name(value)));
        }
      });
      if (found) return found;
    }
    for (ValueId result : node.results) made[result.index] = true;
    if (!node.op->writes()) continue;
    const StorageId written = graph.meta(node.results.front()).storage;
    for (std::size_t m = n + 1; m < graph.nodes.size(); ++m) {
      const Node& later = graph.nodes[m];
      bool reads = false;
      for (const Argument& argument : later.arguments) {
        for_each_value(argument, [&](ValueId value) { reads |= graph.meta(value).storage == written; });
      }
      const auto before = place.find(later.name);
      const auto after = place.find(node.name);
      if (reads && before != place.end() && after != place.end() && before->second < after->second) {
        return of_partition("a write runs before a reader of what was there",
                            fmt::format("{} writes what {} is still to read", node.name, later.name));
      }
    }
  }
  return std::nullopt;
}

// What a group keeps to itself nobody else may need, and all that a loop holds must go element by element.
Found check_group(const Graph& graph, const FusedGroup& group, bool is_loop) {
  for (std::size_t n = group.nodes.first; n < group.nodes.end && is_loop; ++n) {
    if (!runs_by_element(graph, graph.nodes[n])) {
      return ProgramFailure{
          "fusion", "a node of a loop does not go element by element",
          fmt::format("{} is in a loop over its elements, and its operands lie otherwise", graph.nodes[n].name)};
    }
  }
  for (ValueId value : group.inner) {
    bool needed = std::ranges::find(graph.outputs, value) != graph.outputs.end();
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      if (group.nodes.holds(n)) continue;
      for (const Argument& argument : graph.nodes[n].arguments) {
        for_each_value(argument, [&](ValueId read) { needed |= read == value; });
      }
    }
    if (needed) {
      return ProgramFailure{
          "fusion", "what a loop keeps to itself is needed outside",
          fmt::format("{} is never put into memory, and is needed outside its loop", graph.name(value))};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProgramFailure> check_program(const Program& program, std::span<const Backend> backends,
                                            const Graph& unpartitioned) {
  // Lists of partitions that stand in a wrong order are wrong, too.
  if (auto found = check_order(program.graph, unpartitioned)) return found;
  for (std::size_t p = 0; p < program.partitions.size(); ++p) {
    if (auto found = check_lists(program.graph, program.partitions[p], p)) return found;
  }
  for (const FusedGroup& group : program.groups) {
    const auto holds = [&](const Partition& partition) { return partition.nodes.holds(group.nodes.first); };
    const auto around = std::ranges::find_if(program.partitions, holds);
    const bool whole =
        around != program.partitions.end() && around->backend < backends.size() && backends[around->backend].whole;
    if (auto found = check_group(program.graph, group, !whole)) return found;
  }
  return std::nullopt;
}

}  // namespace parallax::runtime
