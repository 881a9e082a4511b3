#include "compiler/resize.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/fusion.h"
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

// What shared a loop wherever compilation looked need not do so at another size.
Result<void> expect_loops(const Program& program, std::span<const Backend> backends, const FusionRules& rules) {
  auto partition = program.partitions.begin();
  for (const FusedGroup& group : program.groups) {
    while (!partition->nodes.holds(group.nodes.first)) ++partition;
    if (backends[partition->backend].whole) continue;
    const auto nodes = std::span(program.graph.nodes).subspan(group.nodes.first, group.nodes.size());
    const Node* leaver = leaver_of_loop(program.graph, nodes, rules);
    if (!leaver) continue;
    return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                 fmt::format("node '{}' cannot run in its loop at these sizes", leaver->name)});
  }
  return {};
}

}  // namespace

bool plan_still_holds(const Program& planned, const Program& resized) {
  return check_plan(schedule_of(resized), planned.plan).empty();
}

bool follows_the_sizes(const Argument&) { return true; }

bool is_compiled_alone(const Program& program, const SymbolSizes& sizes) {
  return std::ranges::any_of(sizes, [&](int64_t size) { return size < program.least_size; });
}

Result<Program> resize(const Program& program, const SymbolSizes& sizes, const CompileOptions& options) {
  const ActiveMutant mutant(options.faults.mutant());
  const CompilerParts parts = options.faults.parts();
  // Storages that lie apart are nobody's business but their own, whatever the planner's parts say.
  const auto keeps_plan = options.reuse_memory ? parts.resize.keeps_plan : plan_still_holds;
  Program resized = program;
  TRY(resized.graph, with_numbers_at(program.graph, program.symbols, program.varying, sizes, parts.resize.refreshes,
                                     parts.resize.number));
  TRY_VOID(expect_taken(resized, options.backends));
  TRY_VOID(expect_loops(resized, options.backends, parts.fusion));
  if (!keeps_plan(program, resized)) {
    TRY(resized.plan, plan_program(resized, parts, options));
  }
  if (parts.resize.settle) parts.resize.settle(program, resized);
  return resized;
}

}  // namespace parallax
