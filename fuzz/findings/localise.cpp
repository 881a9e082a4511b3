#include "fuzz/findings/localise.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/print.h"
#include "graph/runs.h"
#include "graph/sketch.h"
#include "graph/written_operands.h"
#include "ops/registry.h"
#include "oracle/case_windows.h"
#include "oracle/judge.h"
#include "oracle/record.h"

namespace parallax {
namespace {

// How many values are handed out in one run: enough for few runs, and few enough that most of the program stays as it
// is compiled.
constexpr std::size_t exposed_per_run = 64;

// By storage: the last node that writes it, or nothing.
std::vector<std::optional<std::size_t>> last_writers(const Graph& graph) {
  std::vector<std::optional<std::size_t>> last(graph.storages.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for_each_written(graph.nodes[n], [&](ValueId value) { last[graph.meta(value).storage.index] = n; });
  }
  return last;
}

// By value: the node that makes it; 0 for a source.
std::vector<std::size_t> makers_of(const Graph& graph) {
  std::vector<std::size_t> makers(graph.metas.size(), 0);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId result : graph.nodes[n].results) makers[result.index] = n;
  }
  return makers;
}

class Localiser {
 public:
  Localiser(Target& target, const Case& test)
      : target_(target),
        test_(test),
        windows_(test),
        last_writers_(last_writers(test.graph)),
        makers_(makers_of(test.graph)),
        values_(test.graph.metas.size()),
        known_(test.graph.metas.size(), false) {}

  Localised run() {
    if (has_several_runs(test_) || test_.gradient) return std::move(result_);
    note_sources();
    bool still_wrong = false;
    const std::vector<ValueId> wanted = results();
    for (std::size_t begin = 0; begin < wanted.size(); begin += exposed_per_run) {
      const std::size_t count = std::min(exposed_per_run, wanted.size() - begin);
      still_wrong = expose({wanted.begin() + static_cast<std::ptrdiff_t>(begin), count}) || still_wrong;
    }
    result_.exposed = static_cast<std::size_t>(std::ranges::count(known_, true));
    result_.vanished = result_.runs > 0 && !still_wrong;
    find_first_wrong();
    return std::move(result_);
  }

 private:
  // Of sources that are not written, what they hold is known without asking.
  void note_sources() {
    const std::vector<FeedSlot> slots = feed_slots(test_.graph);
    for (const Source& source : test_.graph.sources) {
      const StorageId storage = test_.graph.meta(source.value).storage;
      if (source.window || last_writers_[storage.index]) continue;
      if (source.kind != SourceKind::Input) {
        note(source.value, source.data);
        continue;
      }
      for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].storage == storage) note(source.value, test_.feed[i]);
      }
    }
  }

  void note(ValueId value, const Tensor& tensor) {
    values_[value.index] = tensor;
    known_[value.index] = true;
  }

  std::vector<ValueId> results() const {
    std::vector<ValueId> values;
    for (const Node& node : test_.graph.nodes) values.insert(values.end(), node.results.begin(), node.results.end());
    return values;
  }

  // Whether a node after the one that makes a value writes its memory.
  bool written_after(ValueId value) const {
    const std::optional<std::size_t> last = last_writers_[test_.graph.meta(value).storage.index];
    return last && *last > makers_[value.index];
  }

  // Runs the program with some values as outputs too. Whether its own outputs are still wrong then.
  bool expose(std::span<const ValueId> values) {
    Sketch sketch = take_apart(test_);
    const std::size_t own = sketch.outputs.size();
    std::vector<ValueId> handed_out;
    for (const ValueId value : values) {
      if (const std::optional<ValueId> as = exposable(sketch, value)) {
        handed_out.push_back(value);
        sketch.outputs.push_back(*as);
      }
    }
    const std::optional<Case> exposed = put_together(sketch, test_);
    if (!exposed) return false;
    const Examination examination = examine(target_, *exposed);
    const Outcome& outcome = examination.outcome;
    if (outcome.status != Status::Ok || !outcome.a || outcome.a->outputs.size() != own + handed_out.size())
      return false;
    ++result_.runs;
    for (std::size_t i = 0; i < handed_out.size(); ++i) note(handed_out[i], outcome.a->outputs[own + i]);
    return is_finding(examination.judgement.verdict);
  }

  // The value itself or, where a later node writes to it, a copy that is made at once.
  std::optional<ValueId> exposable(Sketch& sketch, ValueId value) const {
    for (std::size_t n = 0; n < sketch.nodes.size(); ++n) {
      if (std::ranges::find(sketch.nodes[n].results, value) == sketch.nodes[n].results.end()) continue;
      if (!written_after(value)) return value;
      const ValueId copy(sketch.stand_ins.size());
      sketch.stand_ins.push_back(copy);
      Sketch::CallSketch clone;
      clone.op = find_op("aten.clone.default");
      clone.name = test_.graph.name(value) + "_then";
      clone.arguments = {Argument(value), Argument()};
      clone.results = {copy};
      clone.result_names = {clone.name};
      sketch.nodes.insert(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(n) + 1, std::move(clone));
      return copy;
    }
    return std::nullopt;
  }

  bool all_known(const Node& node) const {
    bool known = std::ranges::all_of(node.results, [&](ValueId value) { return known_[value.index]; });
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { known = known && known_[value.index]; });
    }
    return known;
  }

  void find_first_wrong() {
    for (std::size_t n = 0; n < test_.graph.nodes.size(); ++n) {
      const Node& node = test_.graph.nodes[n];
      if (node.op->is_view() || node.op->writes() || !all_known(node)) continue;
      const std::optional<Case> alone = windows_.at({n, n + 1}, values_);
      if (!alone) continue;
      const Judgement judgement = judge_node(*alone, node);
      if (judgement.verdict != Verdict::Mismatch) continue;
      result_.node = NodeId(n);
      result_.alone = alone;
      result_.detail = judgement.reason;
      return;
    }
  }

  // What the target made of the node's operands, against the proof on just these.
  Judgement judge_node(const Case& alone, const Node& node) const {
    const auto expected = expected_runs(target_.profile(), alone);
    if (!expected) return {};
    Outcome outcome;
    outcome.a.emplace();
    outcome.a->inputs.resize(expected->a.inputs.size());
    outcome.a->buffers.resize(expected->a.buffers.size());
    for (const ValueId result : node.results) {
      // The window hands back only what the program goes on with.
      const auto& outputs = alone.graph.outputs;
      const bool is_output = std::ranges::any_of(
          outputs, [&](ValueId output) { return alone.graph.name(output) == test_.graph.name(result); });
      if (is_output) outcome.a->outputs.push_back(values_[result.index]);
    }
    return judge(alone, *expected, outcome, false);
  }

  Target& target_;
  const Case& test_;
  CaseWindows windows_;
  std::vector<std::optional<std::size_t>> last_writers_;
  std::vector<std::size_t> makers_;
  std::vector<Tensor> values_;
  std::vector<bool> known_;
  Localised result_;
};

}  // namespace

Localised localise(Target& target, const Case& test) { return Localiser(target, test).run(); }

std::optional<WrongRegion> region_that_shows(Target& target, const Case& test, const Examination& whole) {
  // Bisection needs fewer questions than this of a shorter program.
  constexpr std::size_t long_program = 100;
  const std::size_t count = test.graph.nodes.size();
  if (count < long_program || !whole.judgement.divergence) return std::nullopt;
  const Localised found = localise(target, test);
  const std::optional<std::vector<Tensor>> values = record_values(test);
  if (!found.node || !values) return std::nullopt;
  const CaseWindows windows(test);
  for (std::size_t around = 1; around < count; around *= 4) {
    const std::size_t begin = found.node->index + 1 >= around ? found.node->index + 1 - around : 0;
    std::optional<Case> region = windows.at({begin, std::min(found.node->index + around, count)}, *values);
    if (!region) continue;
    Examination seen = examine(target, *region);
    if (seen.judgement.verdict != whole.judgement.verdict || !seen.judgement.divergence) continue;
    if (seen.judgement.divergence->kind != whole.judgement.divergence->kind) continue;
    return WrongRegion{*std::move(region), std::move(seen)};
  }
  return std::nullopt;
}

std::string localised_text(const Case& test, const Localised& found) {
  if (found.runs == 0) return "";
  if (found.node) {
    return fmt::format("the first wrong operation, on the target's own operands: #{} {}\n    {}", found.node->index,
                       node_text(test.graph, *found.node), found.detail);
  }
  if (found.vanished) return "with its intermediate values handed out, the program is right: what is fused decides";
  return fmt::format("no operation alone is wrong, of those whose values the target hands out ({})", found.exposed);
}

}  // namespace parallax
