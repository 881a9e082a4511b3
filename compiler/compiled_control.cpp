#include "compiler/compiled_control.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/rewriter.h"
#include "planner/packing.h"

namespace parallax {
namespace {

constexpr int64_t alignment = 16;
constexpr int64_t widest_element = 8;  // in bytes

// Behind each arena there is room for the largest storage, so that no slot of a wrong plan leads out of memory.
int64_t margin_of(const Graph& graph) {
  int64_t most = 0;
  for (const Storage& storage : graph.storages) most = std::max(most, storage.elements);
  return most * widest_element;
}

// Programs of subgraphs run on the host, by the kernels.
CompileOptions for_subgraphs(const CompileOptions& options) {
  CompileOptions nested = options;
  nested.backends.clear();
  nested.keeps = nullptr;
  return nested;
}

// Whether the bytes of the one storage can be those of the other: alone in their slots, and laid out alike.
bool may_lie_together(const Program& body, const TensorMeta& carry, const TensorMeta& next) {
  const Plan& plan = body.plan;
  if (plan.placement(next.storage).arena != Arena::Returned || carry.dtype != next.dtype) return false;
  if (!(carry.layout == next.layout) || !is_contiguous(carry.layout)) return false;
  if (body.graph.storage(carry.storage).elements != body.graph.storage(next.storage).elements) return false;
  const auto is_shared = [&](const auto& pair) { return pair == next.storage; };
  for (const Reuse& reuse : plan.reuses) {
    if (is_shared(reuse.operand) || is_shared(reuse.result)) return false;
  }
  for (const Join& join : body.joins) {
    if (is_shared(join.part) || is_shared(join.whole)) return false;
  }
  return true;
}

// Which of the next carries are laid over the carries, where that is safe.
std::vector<bool> carry_in_place(const ControlParts& parts, const ControlRules& rules, const Program& body) {
  std::vector<bool> in_place(parts.carries, false);
  const Graph& graph = body.graph;
  const Schedule schedule = schedule_of(body);
  for (std::size_t k = 0; k < parts.carries; ++k) {
    const TensorMeta& carry = graph.meta(graph.sources[k].value);
    const TensorMeta& next = graph.meta(graph.outputs[k]);
    const auto returns_it = [&](ValueId output) { return graph.meta(output).storage == next.storage; };
    const auto returns_carry = [&](ValueId output) { return graph.meta(output).storage == carry.storage; };
    if (std::ranges::count_if(graph.outputs, returns_it) != 1 || std::ranges::any_of(graph.outputs, returns_carry))
      continue;
    if (!may_lie_together(body, carry, next)) continue;
    in_place[k] = rules.may_carry_in_place({schedule, carry.storage, next.storage});
  }
  return in_place;
}

Result<std::shared_ptr<const ControlOp>> compiled(const ControlOp& op, const CompileOptions& options) {
  auto made = std::make_shared<CompiledControlOp>();
  if (options.plans_control) made->rules = options.faults.parts().control;
  ControlParts parts = op.parts;
  for (const Subgraph& subgraph : parts.subgraphs) {
    Result<Program> program = compile(*subgraph.graph, for_subgraphs(options));
    if (!program) {
      Error error = std::move(program).error();
      error.reason = fmt::format("subgraph '{}': {}", subgraph.name, error.text());
      error.pointer.clear();
      return std::unexpected(std::move(error));
    }
    if (parts.kind == ControlKind::Cond && made->rules.edit_branch) made->rules.edit_branch(*program);
    made->programs.push_back(*std::move(program));
  }
  made->in_place.resize(parts.carries, false);
  if (parts.carries > 0 && options.plans_control)
    made->in_place = carry_in_place(parts, made->rules, made->programs.back());
  // A node without bytes would be no different from one that is not compiled.
  parts.workspace = 1;
  for (const Program& program : made->programs) parts.workspace = std::max(parts.workspace, memory_of(program).end);
  TRY_VOID(define_control_op(*made, std::move(parts)));
  return made;
}

}  // namespace

bool carry_is_dead(const CarryCandidate& candidate) {
  const Schedule& schedule = candidate.schedule;
  const auto lies_in = [&](StorageId storage) {
    return [&schedule, storage](ValueId value) { return schedule.value(value).storage == storage; };
  };
  for (std::size_t step = 0, written = schedule.steps.size(); step < schedule.steps.size(); ++step) {
    if (std::ranges::any_of(schedule.steps[step].writes, lies_in(candidate.next))) written = std::min(written, step);
    if (written <= step && std::ranges::any_of(schedule.steps[step].reads, lies_in(candidate.carry))) return false;
  }
  return true;
}

int64_t all_steps(int64_t slices) { return slices; }

const CompiledControlOp* as_compiled(const Op& op) { return dynamic_cast<const CompiledControlOp*>(as_control(op)); }

SubgraphMemory memory_of(const Program& program) {
  const int64_t margin = margin_of(program.graph);
  SubgraphMemory memory;
  memory.backend = align_up(program.plan.arena(Arena::Returned).size + margin, alignment);
  memory.end = align_up(memory.backend + program.plan.arena(Arena::Backend).size + margin, alignment);
  return memory;
}

Result<Graph> compile_subgraphs(const Graph& graph, const CompileOptions& options) {
  if (!find_control(graph)) return graph;
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes) {
    const ControlOp* op = as_control(*node.op);
    if (!op) {
      TRY_VOID(rewriter.copy(node));
      continue;
    }
    TRY(const std::shared_ptr<const ControlOp> made, compiled(*op, options));
    std::vector<std::string> names;
    for (const ValueId result : node.results) names.push_back(graph.name(result));
    names.push_back(rewriter.fresh_name(node.name + "_workspace"));
    TRY(const std::vector<ValueId> results,
        rewriter.builder().add_node(*made, rewriter.mapped_arguments(node), node.name, std::move(names)));
    for (std::size_t k = 0; k < node.results.size(); ++k) rewriter.map(node.results[k], results[k]);
  }
  return rewriter.finish();
}

CheckedPlan checked_plan(const CompiledControlOp& op, std::size_t subgraph) {
  const Program& program = op.programs[subgraph];
  const Graph& graph = program.graph;
  CheckedPlan checked{schedule_of(program), program.plan};
  if (subgraph + 1 != op.programs.size()) return checked;
  ScheduledStep carried{"carried", {}, {}, {}, {}};
  ArenaUse& arena = checked.plan.arena(Arena::Returned);
  for (std::size_t k = 0; k < op.in_place.size(); ++k) {
    if (!op.in_place[k]) continue;
    const StorageId carry = graph.meta(graph.sources[k].value).storage;
    const StorageId next = graph.meta(graph.outputs[k]).storage;
    const int64_t bytes = storage_bytes(graph, carry);
    const Placement place{Arena::Returned, {align_up(arena.size, arena.alignment), bytes}};
    arena.size = place.slot.end();
    checked.plan.placements[carry.index] = place;
    checked.plan.placements[next.index] = place;
    checked.schedule.storages[carry.index].given = false;
    carried.makes.push_back(carry);
    carried.writes.push_back(graph.sources[k].value);
  }
  if (!carried.makes.empty()) checked.schedule.steps.insert(checked.schedule.steps.begin(), std::move(carried));
  return checked;
}

}  // namespace parallax
