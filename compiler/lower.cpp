#include "compiler/lower.h"

#include <algorithm>

#include "core/check.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// One backend for everything, where a compilation names none.
constexpr std::array everything = {Backend{"all", [](const Graph&, const Node&) { return true; }, false}};

struct PlannerParts {
  LifetimePolicy lifetimes;
  StorageSizes sizes;
  PackFn packer;
};

// The planner that lets nothing share memory.
Lifetimes lifetimes_without_end(const Graph& graph) {
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  for (Lifetime& lifetime : lifetimes)
    lifetime.range = {0, static_cast<int>(std::max<std::size_t>(graph.nodes.size(), 1)) - 1};
  return lifetimes;
}
constexpr PlannerParts apart = {lifetimes_without_end, storage_bytes, pack_by_size};

// The nodes of a group take turns, so what one of them makes or reads lives until the last has run.
void live_through(std::span<const FusedGroup> groups, std::size_t nodes, Lifetimes& lifetimes) {
  if (groups.empty()) return;
  std::vector<int> last_of(nodes);
  for (std::size_t n = 0; n < nodes; ++n) last_of[n] = static_cast<int>(n);
  for (const FusedGroup& group : groups) {
    for (std::size_t n = group.nodes.first; n < group.nodes.end; ++n)
      last_of[n] = static_cast<int>(group.nodes.end) - 1;
  }
  const auto moved = [&](int step) { return last_of[static_cast<std::size_t>(step)]; };
  for (Lifetime& lifetime : lifetimes) {
    const auto [first, last] = lifetime.range;
    lifetime.range = {moved(first),
                      taken_unless_dropped<"group_ends_early">() ? moved(last) : std::max(moved(first), last)};
  }
}

// A loop reads its operands until its last block, in whatever order of blocks.
void keep_out_of_groups(const std::vector<FusedGroup>& groups, std::vector<Reuse>& reuses) {
  std::erase_if(reuses, [&](const Reuse& reuse) {
    const auto after = std::ranges::upper_bound(groups, reuse.node.index, {},
                                                [](const FusedGroup& group) { return group.nodes.first; });
    return after != groups.begin() && std::prev(after)->nodes.holds(reuse.node.index) &&
           taken_unless_dropped<"reuse_within_groups">();
  });
}

// A part's slot is the whole's.
void keep_out_of_joins(const std::vector<Join>& joins, std::size_t storages, std::vector<Reuse>& reuses) {
  std::vector<bool> is_part(storages, false);
  for (const Join& join : joins) is_part[join.part.index] = true;
  std::erase_if(reuses,
                [&](const Reuse& reuse) { return is_part[reuse.operand.index] || is_part[reuse.result.index]; });
}

PlannerParts planner_parts(const CompilerParts& parts, const CompileOptions& options) {
  return options.reuse_memory ? PlannerParts{parts.lifetimes, parts.sizes, parts.packer} : apart;
}

bool works_in_place(const CompileOptions& options) { return options.reuse_in_place && options.reuse_memory; }

MemoryOptions memory_options(const CompileOptions& options) {
  MemoryOptions memory;
  memory.rule(Arena::Backend) = {options.alignment, options.arena_limit, options.redzone};
  return memory;
}

std::vector<Join> joins_of(const Program& program, const CompilerParts& parts, const CompileOptions& options) {
  if (!works_in_place(options)) return {};
  const MemoryOptions memory = memory_options(options);
  std::array<int64_t, arena_count> alignments{};
  for (std::size_t a = 0; a < arena_count; ++a) alignments[a] = memory.rules[a].alignment;
  return choose_joins(program.graph, lifetimes_of(program.graph, program.groups, parts, options), options.join_kernels,
                      alignments);
}

}  // namespace

Lifetimes lifetimes_of(const Graph& graph, std::span<const FusedGroup> groups, const CompilerParts& parts,
                       const CompileOptions& options) {
  Lifetimes lifetimes = planner_parts(parts, options).lifetimes(graph);
  live_through(groups, graph.nodes.size(), lifetimes);
  return lifetimes;
}

Result<Plan> plan_program(const Program& program, const CompilerParts& parts, const CompileOptions& options) {
  const PlannerParts planner = planner_parts(parts, options);
  Lifetimes lifetimes = lifetimes_of(program.graph, program.groups, parts, options);
  std::vector<Reuse> reuses = choose_in_place(
      program.graph, lifetimes, works_in_place(options) ? options.in_place_kernels : nullptr, parts.in_place);
  keep_out_of_groups(program.groups, reuses);
  keep_out_of_joins(program.joins, program.graph.storages.size(), reuses);
  for (const FusedGroup& group : program.groups) {
    for (ValueId value : group.inner) lifetimes[program.graph.meta(value).storage.index].stored = false;
  }
  MemoryOptions memory = memory_options(options);
  memory.sizes = planner.sizes;
  memory.shared_size = parts.shared_size;
  memory.life_with_part = parts.life_with_part;
  memory.packer = planner.packer;
  return plan_memory(program.graph, lifetimes, std::move(reuses), memory, program.joins);
}

Result<Program> lower(Graph graph, std::span<const Graph> others, const CompilerParts& parts,
                      const CompileOptions& options) {
  // With one backend for everything nothing is partitioned, and there is no boundary but the program's own.
  const bool whole = options.backends.empty();
  const std::span<const Backend> backends = whole ? std::span<const Backend>(everything) : options.backends;
  const PartitionRules rules = whole ? PartitionRules() : parts.partition;
  Program program;
  program.graph = std::move(graph);
  program.integers = parts.integers;
  // At other sizes nodes are known by their numbers.
  if (options.order != 0 && others.empty()) {
    reorder(program.graph, {0, program.graph.nodes.size()},
            drawn_order(all_dependencies(program.graph), options.order));
  }
  TRY(program.partitions, partition(program.graph, others, backends, rules));
  program.groups = fuse(program.graph, others, program.partitions, backends, parts.fusion);
  bind_boundaries(program.graph, program.partitions, rules);
  // At other sizes the parts of a concatenation lie in other places.
  if (others.empty()) program.joins = joins_of(program, parts, options);
  TRY(program.plan, plan_program(program, parts, options));
  return program;
}

}  // namespace parallax
