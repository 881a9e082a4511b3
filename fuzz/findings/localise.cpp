#include "fuzz/findings/localise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "fuzz/findings/exposed_values.h"
#include "graph/def_use.h"
#include "graph/print.h"
#include "oracle/case_windows.h"
#include "oracle/judge.h"
#include "oracle/record.h"

namespace parallax {
namespace {

class Localiser {
 public:
  Localiser(Target& target, const Case& test)
      : target_(target),
        test_(test),
        windows_(test, Beside::Nothing),
        writers_(storage_writers(test.graph)),
        makers_(value_makers(test.graph)) {
    for (const Source& source : test.graph.sources) source_values_.push_back(source.value);
  }

  Localised run(const Outcome* whole, double seconds) {
    ExposedValues exposed = expose_values(target_, test_, whole);
    result_.exposed = exposed.count();
    result_.runs = exposed.runs;
    result_.vanished = exposed.runs > 0 && !exposed.still_wrong;
    values_ = std::move(exposed.values);
    known_ = std::move(exposed.known);
    const auto begin = std::chrono::steady_clock::now();
    find_first_wrong([&] {
      const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
      return used.count() < seconds;
    });
    return std::move(result_);
  }

 private:
  // Whether a node takes what is known of a value: what its maker left, or what the program began with. Another that
  // wrote its memory meanwhile left something else.
  bool is_as_known(ValueId value, std::size_t node) const {
    const std::optional<std::size_t> maker = makers_[value.index];
    if (maker ? !known_[value.index] : std::ranges::find(source_values_, value) == source_values_.end()) return false;
    return std::ranges::none_of(writers_[test_.graph.meta(value).storage.index],
                                [&](std::size_t writer) { return writer < node && (!maker || writer > *maker); });
  }

  bool all_known(std::size_t n) const {
    const Node& node = test_.graph.nodes[n];
    bool known = std::ranges::all_of(node.results, [&](ValueId value) { return known_[value.index]; });
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { known = known && is_as_known(value, n); });
    }
    return known;
  }

  template <class F>
  void find_first_wrong(F in_time) {
    for (std::size_t n = 0; n < test_.graph.nodes.size(); ++n) {
      const Node& node = test_.graph.nodes[n];
      if (!all_known(n)) continue;
      result_.in_time = in_time();
      if (!result_.in_time) return;
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
  std::vector<std::vector<std::size_t>> writers_;   // by storage, in order
  std::vector<std::optional<std::size_t>> makers_;  // by value; nothing of a source
  std::vector<ValueId> source_values_;
  std::vector<Tensor> values_;
  std::vector<bool> known_;
  Localised result_;
};

}  // namespace

Localised localise(Target& target, const Case& test, const Outcome* whole, double seconds) {
  return Localiser(target, test).run(whole, seconds);
}

std::size_t runs_to_localise(const Case& test) { return runs_to_expose(test); }

std::optional<WrongRegion> region_that_shows(Target& target, const Case& test, const Examination& whole) {
  // Bisection needs fewer questions than this of a shorter program.
  constexpr std::size_t long_program = 100;
  const std::size_t count = test.graph.nodes.size();
  if (count < long_program || !whole.judgement.divergence) return std::nullopt;
  const Localised found = localise(target, test, &whole.outcome);
  const std::optional<std::vector<Tensor>> values = record_values(test);
  if (!found.node || !values) return std::nullopt;
  const CaseWindows windows(test, Beside::Fusible);
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
  return fmt::format("no operation alone is wrong, of those whose values the target hands out ({}){}", found.exposed,
                     found.in_time ? "" : ", as far as they were looked at in the time given (--part-seconds)");
}

}  // namespace parallax
