#include "cli/rerun.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "backends/runtime/arena_record.h"
#include "backends/runtime/executor.h"
#include "core/grouped_digits.h"
#include "fuzz/findings/sighting_of.h"
#include "fuzz/findings/trigger_map.h"
#include "fuzz/findings/value_errors.h"
#include "graph/print.h"

namespace parallax {
namespace {

// The node of the case that a step of the program comes from: passes name what they make of a node after it.
std::optional<NodeId> source_of(const Graph& graph, std::string_view step) {
  std::optional<NodeId> best;
  std::size_t longest = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string& name = graph.nodes[n].name;
    if (name.size() < longest || !step.starts_with(name)) continue;
    if (step.size() > name.size() && step[name.size()] != '_') continue;
    best = NodeId(n);
    longest = name.size();
  }
  return best;
}

// Every case is compiled in two ways; this says which of them the picture shows, and what of its memory.
std::string about_arena(std::string_view build, int64_t bytes) {
  const std::string_view how =
      build == "plain" ? "Each call here is a kernel of its own" : "Calls here are handed to delegates and fused";
  return fmt::format("{}. Values that are not needed at the same time may share the {} of the arena.", how,
                     counted(bytes, "byte"));
}

// The blocks of the arena that is used again within a run, from the step that makes each to the last that needs it.
ArenaStory story_of(const Case& test, const runtime::ArenaRecord& record) {
  const Graph& graph = record.program.graph;
  const Schedule schedule = schedule_of(record.program);
  const int end = static_cast<int>(graph.nodes.size());
  ArenaStory story;
  story.bytes = record.program.plan.arena(Arena::Backend).size;
  story.about = about_arena(record.build, story.bytes);
  for (const Node& node : graph.nodes) {
    story.steps.push_back(node.name + " = " + call_text(graph, node));
    const std::optional<NodeId> source = source_of(test.graph, node.name);
    story.nodes.push_back(source ? static_cast<int>(source->index) : -1);
  }
  const std::vector<int> makers = storage_makers(schedule);
  std::vector<int> last(schedule.storages.size(), -1);
  for (int step = 0; step < static_cast<int>(schedule.steps.size()); ++step) {
    const ScheduledStep& at = schedule.steps[static_cast<std::size_t>(step)];
    for (const auto* values : {&at.reads, &at.writes}) {
      for (const ValueId value : *values) last[schedule.value(value).storage.index] = step;
    }
  }
  for (const ValueId value : schedule.outputs) last[schedule.value(value).storage.index] = end;
  std::vector<int> block_of(schedule.storages.size(), -1);
  for (std::size_t s = 0; s < schedule.storages.size(); ++s) {
    const Placement& placement = record.program.plan.placements[s];
    if (placement.arena != Arena::Backend || placement.slot.size <= 0 || makers[s] < 0) continue;
    block_of[s] = static_cast<int>(story.blocks.size());
    story.blocks.push_back({graph.name(first_value(graph, StorageId(s))), placement.slot.offset, placement.slot.size,
                            makers[s], std::max(makers[s], last[s])});
  }
  for (const PlanFailure& failure : record.failures) {
    const bool in_next_run = failure.kind == PlanFailure::Kind::Returned;
    if (!in_next_run && failure.kind != PlanFailure::Kind::Overwritten) continue;
    story.clashes.push_back(
        {block_of[failure.storage.index], failure.written_by, failure.overwritten_by, failure.read_by, in_next_run});
  }
  // A read of wrong bytes says more than a slot that only might be overwritten.
  std::ranges::stable_sort(story.clashes, {},
                           [](const ArenaClash& clash) { return std::pair(clash.block < 0, clash.in_next_run); });
  return story;
}

void mark_clash(const Case& test, const runtime::ArenaRecord& record, const ArenaStory& story,
                std::vector<DotMark>& marks) {
  if (story.clashes.empty() || story.clashes.front().block < 0) return;
  const ArenaClash& clash = story.clashes.front();
  const std::string& wanted = story.blocks[static_cast<std::size_t>(clash.block)].name;
  const auto mark = [&](int step, const std::string& why) {
    if (step < 0 || step >= static_cast<int>(record.program.graph.nodes.size())) return;
    const auto node = source_of(test.graph, record.program.graph.nodes[static_cast<std::size_t>(step)].name);
    if (node) marks.push_back({*node, why});
  };
  if (clash.in_next_run) {
    mark(clash.written_by, "returned where the next run writes");
    return;
  }
  mark(clash.overwritten_by, "overwrites " + wanted);
  mark(clash.read_by, clash.overwritten_by < 0 ? "reads what nothing wrote" : "reads what is overwritten");
}

void mark_wrong_outputs(const Case& test, const std::vector<TensorElements>& tensors, std::vector<DotMark>& marks) {
  for (std::size_t i = 0; i < test.graph.outputs.size(); ++i) {
    const bool wrong = std::ranges::any_of(tensors, [&](const TensorElements& tensor) {
      return tensor.place.kind == PlaceKind::Output && tensor.place.index == static_cast<int>(i) &&
             (tensor.outside > 0 || !tensor.other.empty());
    });
    if (!wrong) continue;
    for (std::size_t n = 0; n < test.graph.nodes.size(); ++n) {
      const std::vector<ValueId>& results = test.graph.nodes[n].results;
      if (std::ranges::find(results, test.graph.outputs[i]) == results.end()) continue;
      marks.push_back({NodeId(n), fmt::format("out[{}] is wrong", i)});
    }
  }
}

struct OurCompiler {
  FaultSet faults;
  PassSelection selection;
};

// How our own kernels were compiled, whose memory this program plans; nothing for any other target.
std::optional<OurCompiler> our_compiler(const Finding& finding) {
  const auto spec = parse_target_spec(finding.target);
  const auto faults = FaultSet::of(finding.planted);
  if (!spec || spec->name != "portable" || !faults) return std::nullopt;
  OurCompiler compiler{*faults, {}};
  for (const auto& [key, value] : spec->options) {
    if (key == "passes") {
      compiler.selection.passes = split_names(value);
    } else if (key == "stop-after") {
      compiler.selection.stop_after = value;
    } else {
      return std::nullopt;  // what else is asked of the target may change its plan
    }
  }
  return compiler;
}

std::optional<runtime::ArenaRecord> arena_of(const Finding& finding) {
  const auto compiler = our_compiler(finding);
  if (!compiler) return std::nullopt;
  auto record = runtime::record_arena(finding.reduced, compiler->faults, compiler->selection);
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

// What the pass that is to blame makes of the graph, where it is its first change; nothing where no pass is.
std::optional<PassChange> pass_change_of(const Finding& finding) {
  const auto compiler = our_compiler(finding);
  if (!compiler || finding.blame.empty()) return std::nullopt;
  CompileOptions options;
  options.faults = compiler->faults;
  options.selection = compiler->selection;
  options.evaluate = runtime::evaluate;
  std::optional<PassChange> change;
  const auto note = [&](const Pass& pass, const Graph& before, const Graph& after) {
    if (change || pass.name != finding.blame || &before == &after) return;
    change = PassChange{std::string(pass.name), before, after, {}, {}};
  };
  if (!compile(finding.reduced.graph, options, note)) return std::nullopt;
  return change;
}

}  // namespace

Result<Evidence> run_again(const Finding& finding, Target* eager) {
  TargetOptions options;
  options.faults = finding.planted;
  TRY(const std::unique_ptr<Target> target, open_target(finding.target, options));
  const Case& test = finding.reduced;
  Evidence evidence;
  const Examination examination = examine(*target, test);
  Rerun& rerun = evidence.rerun;
  static_cast<Sighting&>(rerun) =
      sighting_of(*target, test, examination, examine_stages(*target, test), target->explain(test));
  rerun.verdict = examination.judgement.verdict;
  rerun.reason = examination.judgement.reason;
  if (const auto record = arena_of(finding)) {
    rerun.arena = story_of(test, *record);
    mark_clash(test, *record, *rerun.arena, evidence.marks);
  }
  mark_wrong_outputs(test, rerun.tensors, evidence.marks);
  rerun.errors = value_errors(*target, eager, test);
  evidence.pass_change = pass_change_of(finding);
  evidence.triggers = rows_of(trigger_map(*target, test));
  return evidence;
}

}  // namespace parallax
