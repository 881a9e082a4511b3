#include "backends/runtime/explain.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/compiled_control.h"
#include "graph/call_text.h"
#include "ops/registry.h"

namespace parallax::runtime {
namespace {

// "aten.sum.dim_IntList" → "sum".
std::string_view short_name(std::string_view op) {
  const std::size_t start = op.find('.') + 1;
  return op.substr(start, op.find('.', start) - start);
}

std::string call_text(const Graph& graph, const Node& node) {
  Spelling spelling;
  spelling.value = [&](ValueId value) { return graph.name(value); };
  spelling.real = [](double x) { return fmt::format("{}", x); };
  spelling.dtype = [](DType dtype) { return std::string(name(dtype)); };
  spelling.memory_format = [](MemoryFormat format) { return std::string(name(format)); };
  spelling.yes = "true";
  spelling.no = "false";
  spelling.none = "null";
  return fmt::format("{} = {}({})", node.name, short_name(node.op->name), spell_arguments(node, spelling));
}

const Node* node_named(const Graph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.nodes, name, &Node::name);
  return found == graph.nodes.end() ? nullptr : &*found;
}

// One line of the schedule in its three columns.
struct Row {
  std::string call;
  std::string place;
  std::string note;
};

class Schedule {
 public:
  Schedule(const Graph& source, const Program& program, const PlanFailure& failure)
      : source_(source),
        graph_(program.graph),
        plan_(program.plan),
        failure_(failure),
        owner_(first_value(graph_, failure.storage)) {}

  std::vector<std::string> lines() const {
    std::vector<Row> rows;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) rows.push_back(row(static_cast<int>(n)));
    rows.push_back({return_text(), "", note(end())});
    std::size_t call = 0;
    std::size_t place = 0;
    for (const Row& row : rows) {
      call = std::max(call, row.call.size());
      place = std::max(place, row.place.size());
    }
    std::vector<std::string> lines;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::string step = static_cast<int>(n) == end() ? "" : fmt::format("#{}", n);
      std::string line =
          fmt::format("{:<4} {:<{}}  {:<{}}  {}", step, rows[n].call, call, rows[n].place, place, rows[n].note);
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
    return lines;
  }

  // Where the planner took the storage for dead: the last step before the overwriting one that reads the value it was
  // made with.
  int last_direct_use() const {
    int last = failure_.written_by;
    const int until = failure_.overwritten_by > failure_.written_by ? failure_.overwritten_by : end();
    for (int n = failure_.written_by + 1; n < until; ++n) {
      for (const Argument& argument : graph_.nodes[static_cast<std::size_t>(n)].arguments) {
        for_each_value(argument, [&](ValueId value) {
          if (value == owner_) last = n;
        });
      }
    }
    return last;
  }

 private:
  int end() const { return static_cast<int>(graph_.nodes.size()); }

  Row row(int step) const {
    const Node& node = graph_.nodes[static_cast<std::size_t>(step)];
    const TensorMeta& result = graph_.meta(node.results.front());
    const Placement& placement = plan_.placement(result.storage);
    const bool is_view = !node.op->writes() && first_value(graph_, result.storage) != node.results.front();
    Row row{call_text(graph_, node), "", note(step)};
    if (is_view) {
      const ValueId viewed = viewed_value(node, result.storage);
      const Node* before = node_named(source_, node.name);
      const bool elided = before && !before->op->is_view() && node.op->is_view() && before->op != node.op;
      if (elided) row.call = call_text(source_, *before);
      static const Op& alias = op_named("aten.alias.default");
      row.place = node.op == &alias ? "= " + graph_.name(viewed) : "view of " + graph_.name(viewed);
      if (elided) row.note = row.note.empty() ? "elided" : "elided, " + row.note;
    } else if (placement.arena == Arena::Backend) {
      row.place = fmt::format("arena [{}, {})", placement.slot.offset, placement.slot.end());
    } else {
      row.place = placement.arena == Arena::Returned ? "returned" : "the caller's";
    }
    return row;
  }

  ValueId viewed_value(const Node& node, StorageId storage) const {
    ValueId viewed;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        if (!viewed.valid() && graph_.meta(value).storage == storage) viewed = value;
      });
    }
    return viewed;
  }

  std::string note(int step) const {
    if (step == failure_.written_by) return "written here";
    if (failure_.kind == PlanFailure::Kind::Overwritten && step == failure_.overwritten_by) {
      return "✗ overwrites " + graph_.name(owner_);
    }
    if (step == failure_.read_by) return reading();
    if (step == last_direct_use()) return "last direct use of " + graph_.name(owner_);
    return "";
  }

  std::string reading() const {
    if (failure_.kind == PlanFailure::Kind::Returned) {
      return fmt::format("✗ the next run's {} overwrites {}", next_runs_writer(), graph_.name(failure_.value));
    }
    const std::string met =
        failure_.overwritten_by < 0 ? "poison" : fmt::format("#{}'s bytes", failure_.overwritten_by);
    return fmt::format("reads {}, wants #{}'s", met, failure_.written_by);
  }

  // The first step that writes into the slot when the program runs again.
  std::string next_runs_writer() const {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const StorageId storage = graph_.meta(graph_.nodes[n].results.front()).storage;
      const Placement& placement = plan_.placement(storage);
      const bool in_slot = placement.arena == Arena::Backend && placement.slot.offset < failure_.slot.end() &&
                           failure_.slot.offset < placement.slot.end();
      if (in_slot) return fmt::format("#{}", n);
    }
    return "steps";
  }

  std::string return_text() const {
    std::string text = "return";
    for (ValueId output : graph_.outputs) text += (text.size() > 6 ? ", " : " ") + graph_.name(output);
    return text;
  }

  const Graph& source_;
  const Graph& graph_;
  const Plan& plan_;
  const PlanFailure& failure_;
  ValueId owner_;
};

std::string summary(const Graph& graph, const PlanFailure& failure, int last_direct_use) {
  if (failure.kind != PlanFailure::Kind::Overwritten && failure.kind != PlanFailure::Kind::Returned) {
    return describe(graph, failure);
  }
  const std::string& owner = graph.name(first_value(graph, failure.storage));
  const std::string& reader = graph.name(failure.value);
  const std::string alias = reader == owner ? "it" : "its alias " + reader;
  const std::string where = fmt::format("the storage of {}, arena [{}, {}), ends at #{}", owner, failure.slot.offset,
                                        failure.slot.end(), last_direct_use);
  const bool returned = failure.read_by == static_cast<int>(graph.nodes.size());
  const std::string use = returned ? alias + " is returned" : fmt::format("{} is read by #{}", alias, failure.read_by);
  if (failure.kind == PlanFailure::Kind::Returned) return fmt::format("{}, but {}", where, use);
  if (failure.overwritten_by < 0) return fmt::format("{}; {} where nothing was written", where, use);
  return fmt::format("{}, #{} ({}) overwrites it, {}", where, failure.overwritten_by,
                     graph.nodes[static_cast<std::size_t>(failure.overwritten_by)].name, use);
}

}  // namespace

Diagnosis explain_passes(const std::vector<PassFailure>& failures) {
  Diagnosis diagnosis{Detector::Passes, "every pass keeps the meaning", {}};
  if (!failures.empty()) {
    diagnosis.blame = failures.front().pass;
    diagnosis.kind = failures.front().kind;
  }
  for (const PassFailure& failure : failures)
    diagnosis.lines.push_back(fmt::format("{} {}", failure.pass, failure.what));
  if (!failures.empty()) diagnosis.summary = diagnosis.lines.front();
  return diagnosis;
}

Diagnosis explain_program(const ProgramFailure& failure) {
  return {Detector::Program, failure.what, {}, std::string(failure.part), std::string(failure.kind)};
}

std::optional<Diagnosis> explain_failures(Detector detector, const Graph& source, const Program& program,
                                          const Reckoning& reckon, const std::vector<PlanFailure>& failures) {
  if (failures.empty()) return std::nullopt;
  // A read of wrong bytes says more than a slot that only might be overwritten.
  auto shown = std::ranges::find(failures, PlanFailure::Kind::Overwritten, &PlanFailure::kind);
  if (shown == failures.end()) shown = failures.begin();
  const Schedule schedule(source, program, *shown);
  const PlanFailure& root = root_of(failures);
  return Diagnosis{.detector = detector,
                   .summary = summary(program.graph, *shown, schedule.last_direct_use()),
                   .lines = schedule.lines(),
                   .blame = "planner",
                   .kind = std::string(name(violation_kind(program.graph, schedule_of(program), program.plan,
                                                           program.joins, reckon, root)))};
}

std::vector<SubgraphFailure> subgraph_failures(const Program& program) {
  std::vector<SubgraphFailure> failures;
  for_each_subprogram(program, [&](const CompiledControlOp& op, std::size_t k, const Program& compiled) {
    const auto [schedule, plan] = checked_plan(op, k);
    for (const PlanFailure& failure : check_plan(schedule, plan)) {
      const bool of_control = compiled.plan.placement(failure.storage).arena != Arena::Backend;
      failures.push_back(
          {fmt::format("in subgraph '{}': {}", op.parts.subgraphs[k].name, describe(schedule, failure)), of_control});
    }
  });
  return failures;
}

std::optional<Diagnosis> explain_subgraphs(const Program& program) {
  const std::vector<SubgraphFailure> failures = subgraph_failures(program);
  if (failures.empty()) return std::nullopt;
  Diagnosis diagnosis{Detector::Plan, failures.front().text, {}};
  diagnosis.blame = failures.front().of_control ? "control" : "planner";
  diagnosis.kind = failures.front().of_control ? "overwritten in a subgraph's call" : "overwritten in a subgraph";
  for (const SubgraphFailure& failure : failures) diagnosis.lines.push_back(failure.text);
  return diagnosis;
}

std::vector<std::string> partition_lines(const Program& program, std::span<const Backend> backends) {
  std::vector<std::string> lines;
  for (const Partition& partition : program.partitions) {
    std::vector<std::string> calls;
    for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
      calls.push_back(call_text(program.graph, program.graph.nodes[n]));
    }
    lines.push_back(fmt::format("{}: {}", backends[partition.backend].name, fmt::join(calls, "; ")));
  }
  return lines;
}

}  // namespace parallax::runtime
