#include "compiler/resize.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/lower.h"
#include "planner/plan_checker.h"

namespace parallax {
namespace {

// Compilation has asked at some sizes, and a backend that is particular may say no at another.
Result<void> expect_taken(const Program& program, std::span<const Backend> backends) {
  if (backends.empty()) return {};
  for (const Partition& partition : program.partitions) {
    const Backend& backend = backends[partition.backend];
    for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
      const Node& node = program.graph.nodes[n];
      if (backend.takes(program.graph, node)) continue;
      return std::unexpected(
          Error{ErrorKind::Unsupported, "", "",
                fmt::format("{} does not take node '{}' ({}) at these sizes", backend.name, node.name, node.op->name)});
    }
  }
  return {};
}

// A loop's nodes were of the same sizes wherever compilation looked.
Result<void> expect_loops(const Program& program, std::span<const Backend> backends) {
  for (const FusedGroup& group : program.groups) {
    const auto holds = [&](const Partition& partition) { return partition.nodes.holds(group.nodes.first); };
    if (backends[std::ranges::find_if(program.partitions, holds)->backend].whole) continue;
    const auto sizes_of_node = [&](std::size_t n) -> const Dims& {
      return program.graph.meta(program.graph.nodes[n].results.front()).layout.sizes;
    };
    for (std::size_t n = group.nodes.first + 1; n < group.nodes.end; ++n) {
      if (sizes_of_node(n) == sizes_of_node(group.nodes.first)) continue;
      return std::unexpected(
          Error{ErrorKind::Unsupported, "", "",
                fmt::format("node '{}' has other sizes than its loop", program.graph.nodes[n].name)});
    }
  }
  return {};
}

}  // namespace

bool plan_still_holds(const Program& planned, const Program& resized) {
  return check_plan(schedule_of(resized), planned.plan).empty();
}

bool follows_the_sizes(const Argument&) { return true; }

Result<Program> resize(const Program& program, const SymbolSizes& sizes, const CompileOptions& options) {
  const ActiveMutant mutant(options.faults.mutant());
  const CompilerParts parts = options.faults.parts();
  // Storages that lie apart are nobody's business but their own, whatever the planner's parts say.
  const auto keeps_plan = options.reuse_memory ? parts.resize.keeps_plan : plan_still_holds;
  Program resized = program;
  TRY(resized.graph, with_numbers_at(program.graph, program.symbols, program.varying, sizes, parts.resize.refreshes));
  TRY_VOID(expect_taken(resized, options.backends));
  TRY_VOID(expect_loops(resized, options.backends));
  if (!keeps_plan(program, resized)) {
    TRY(resized.plan, plan_program(resized, parts, options));
  }
  return resized;
}

}  // namespace parallax
