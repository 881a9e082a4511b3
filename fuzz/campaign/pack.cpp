#include "fuzz/campaign/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "graph/second_feed.h"
#include "graph/sketch.h"
#include "oracle/judge_case.h"

namespace parallax {
namespace {

// Adds a case to a sketch; its values come after those that are there.
void append(Sketch& whole, Sketch part, const std::string& prefix) {
  const std::size_t first = whole.stand_ins.size();
  const std::size_t first_storage = whole.storages.size();
  const auto moved = [&](ValueId value) { return ValueId(value.index + first); };
  for (Sketch::DeclaredStorage& storage : part.storages) {
    storage.name = prefix + storage.name;
    whole.storages.push_back(std::move(storage));
  }
  for (Sketch::GivenValue& source : part.sources) {
    source.name = prefix + source.name;
    source.value = moved(source.value);
    if (source.storage) *source.storage += first_storage;
    whole.sources.push_back(std::move(source));
  }
  for (Sketch::CallSketch& call : part.nodes) {
    call.name = prefix + call.name;
    for (std::string& name : call.result_names) name = prefix + name;
    for (Argument& argument : call.arguments) {
      for_each_value(argument, [&](ValueId& value) { value = moved(value); });
    }
    for (ValueId& result : call.results) result = moved(result);
    whole.nodes.push_back(std::move(call));
  }
  for (const ValueId output : part.outputs) whole.outputs.push_back(moved(output));
  for (const ValueId value : part.stand_ins) whole.stand_ins.push_back(moved(value));
}

std::size_t count(const Graph& graph, SourceKind kind) {
  return static_cast<std::size_t>(std::ranges::count(graph.sources, kind, &Source::kind));
}

// Where a part's inputs, buffers and outputs begin in the pack's.
Pack::Part begin_of(const Pack& whole, std::size_t part) {
  Pack::Part begin;
  for (std::size_t i = 0; i < part; ++i) {
    begin.inputs += whole.parts[i].inputs;
    begin.buffers += whole.parts[i].buffers;
    begin.outputs += whole.parts[i].outputs;
  }
  return begin;
}

template <class T>
std::vector<T> slice(const std::vector<T>& list, std::size_t begin, std::size_t count) {
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(std::min(begin, list.size()));
  return {first, first + std::min(static_cast<std::ptrdiff_t>(count), std::distance(first, list.end()))};
}

Observation part_of(const Pack& whole, std::size_t index, const Observation& run) {
  const Pack::Part begin = begin_of(whole, index);
  const Pack::Part& part = whole.parts[index];
  Observation result;
  result.outputs = slice(run.outputs, begin.outputs, part.outputs);
  result.inputs = slice(run.inputs, begin.inputs, part.inputs);
  result.buffers = slice(run.buffers, begin.buffers, part.buffers);
  if (run.identity.empty()) return result;
  const Pack::Part end = begin_of(whole, whole.parts.size());
  const auto add = [&](std::size_t at, std::size_t n) {
    for (const int number : slice(run.identity, at, n)) result.identity.push_back(number);
  };
  add(begin.inputs, part.inputs);
  add(end.inputs + begin.buffers, part.buffers);
  add(end.inputs + end.buffers + begin.outputs, part.outputs);
  return result;
}

class PackExaminer {
 public:
  // `expected` goes by place; nothing where the oracle does not run the case twice.
  PackExaminer(Target& target, const std::vector<std::optional<ExpectedRuns>>& expected,
               std::vector<PackedCase>& results)
      : target_(target), expected_(expected), results_(results) {}

  // Cases by their places in the results; the oracle runs each of them twice.
  void examine(std::span<const std::size_t> places) {
    if (places.size() < 2) {
      for (const std::size_t place : places) alone(place);
      return;
    }
    std::vector<Case> tests;
    for (const std::size_t place : places) tests.push_back(results_[place].test);
    const std::optional<Pack> whole = pack(tests);
    if (whole && ran(*whole, places)) return;
    examine(places.first(places.size() / 2));
    examine(places.subspan(places.size() / 2));
  }

  void alone(std::size_t place) { results_[place].examination = parallax::examine(target_, results_[place].test); }

 private:
  // Whether the pack ran, so that each of its cases is judged.
  bool ran(const Pack& whole, std::span<const std::size_t> places) {
    const std::vector<Tensor> second = second_feed(whole.test);
    const Outcome outcome = target_.run(whole.test, &second);
    if (outcome.status != Status::Ok || !outcome.a) return false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      PackedCase& result = results_[places[i]];
      result.examination.outcome = part_of(whole, i, outcome);
      result.examination.judgement = judge_case(target_.profile(), result.test, *expected_[places[i]],
                                                result.examination.outcome, target_.promises_identity());
      result.ran_packed = true;
      const Verdict verdict = result.examination.judgement.verdict;
      if (!is_finding(verdict) && verdict != Verdict::Suspect) continue;
      alone(places[i]);
      if (is_finding(verdict) && !is_finding(result.examination.judgement.verdict)) shown_by_pack(whole, result);
    }
    return true;
  }

  // A case that is right alone and wrong in its pack: the pack is the case then.
  void shown_by_pack(const Pack& whole, PackedCase& result) {
    Examination examination = parallax::examine(target_, whole.test);
    if (!is_finding(examination.judgement.verdict)) return;
    result.test = whole.test;
    result.examination = std::move(examination);
  }

  Target& target_;
  const std::vector<std::optional<ExpectedRuns>>& expected_;
  std::vector<PackedCase>& results_;
};

}  // namespace

std::optional<Pack> pack(std::span<const Case> tests) {
  Sketch sketch;
  Pack whole;
  std::string name;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    append(sketch, take_apart(tests[i]), fmt::format("p{}_", i));
    const Graph& graph = tests[i].graph;
    whole.parts.push_back({count(graph, SourceKind::Input), count(graph, SourceKind::Buffer), graph.outputs.size()});
    name += (i > 0 ? " + " : "") + tests[i].name;
  }
  Case base;
  base.name = name;
  std::optional<Case> test = put_together(sketch, base);
  if (!test) return std::nullopt;
  whole.test = *std::move(test);
  return whole;
}

Outcome part_of(const Pack& whole, std::size_t part, const Outcome& outcome) {
  Outcome result;
  result.milliseconds = outcome.milliseconds / static_cast<double>(whole.parts.size());
  if (outcome.a) result.a = part_of(whole, part, *outcome.a);
  if (outcome.b) result.b = part_of(whole, part, *outcome.b);
  if (outcome.a_again) result.a_again = part_of(whole, part, *outcome.a_again);
  result.a_kept = slice(outcome.a_kept, begin_of(whole, part).outputs, whole.parts[part].outputs);
  return result;
}

std::vector<PackedCase> examine_packed(Target& target, std::vector<Case> tests) {
  std::vector<PackedCase> results;
  std::vector<std::optional<ExpectedRuns>> expected(tests.size());
  std::vector<std::size_t> packable;
  for (std::size_t place = 0; place < tests.size(); ++place) {
    // Without B a pack would be run without it, for the others too; with gradients it would have no B.
    if (auto runs = expected_runs(target.profile(), tests[place]); runs && runs->b && !tests[place].gradient) {
      expected[place] = *std::move(runs);
      packable.push_back(place);
    }
    results.push_back({.test = std::move(tests[place]), .examination = {}, .ran_packed = false});
  }
  PackExaminer examiner(target, expected, results);
  for (std::size_t place = 0; place < results.size(); ++place) {
    if (!expected[place]) examiner.alone(place);
  }
  examiner.examine(packable);
  return results;
}

}  // namespace parallax
