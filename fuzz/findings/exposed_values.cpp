#include "fuzz/findings/exposed_values.h"

#include <algorithm>
#include <optional>
#include <span>

#include "graph/def_use.h"
#include "graph/runs.h"
#include "graph/sketch.h"
#include "ops/registry.h"
#include "oracle/expected_runs.h"
#include "oracle/judge.h"

namespace parallax {
namespace {

// How many values are handed out in one run: enough for few runs, and few enough that most of the program stays as it
// is compiled.
constexpr std::size_t exposed_per_run = 64;

class Exposure {
 public:
  Exposure(Target& target, const Case& test)
      : target_(target), test_(test), writers_(storage_writers(test.graph)), makers_(value_makers(test.graph)) {
    exposed_.values.resize(test.graph.metas.size());
    exposed_.known.resize(test.graph.metas.size(), false);
  }

  ExposedValues run(const Outcome* whole) {
    if (has_several_runs(test_) || test_.gradient) return std::move(exposed_);
    note_sources();
    alone_ = whole != nullptr ? *whole : target_.run(test_, nullptr);
    const std::vector<ValueId> wanted = results();
    for (std::size_t begin = 0; begin < wanted.size(); begin += exposed_per_run) {
      const std::size_t count = std::min(exposed_per_run, wanted.size() - begin);
      const bool wrong = expose({wanted.begin() + static_cast<std::ptrdiff_t>(begin), count});
      exposed_.still_wrong = exposed_.still_wrong || wrong;
    }
    return std::move(exposed_);
  }

 private:
  // Of sources that are not written, what they hold is known without asking.
  void note_sources() {
    const std::vector<FeedSlot> slots = feed_slots(test_.graph);
    for (const Source& source : test_.graph.sources) {
      const StorageId storage = test_.graph.meta(source.value).storage;
      if (source.window || !writers_[storage.index].empty()) continue;
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
    exposed_.values[value.index] = tensor;
    exposed_.known[value.index] = true;
  }

  std::vector<ValueId> results() const {
    std::vector<ValueId> values;
    for (const Node& node : test_.graph.nodes) values.insert(values.end(), node.results.begin(), node.results.end());
    return values;
  }

  // Whether a node after the one that makes a value writes its memory.
  bool written_after(ValueId value) const {
    const std::vector<std::size_t>& writers = writers_[test_.graph.meta(value).storage.index];
    return !writers.empty() && writers.back() > makers_[value.index].value_or(0);
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
    Outcome outcome = target_.run(*exposed, nullptr);
    if (outcome.status != Status::Ok || !outcome.a || outcome.a->outputs.size() != own + handed_out.size())
      return false;
    ++exposed_.runs;
    for (std::size_t i = 0; i < handed_out.size(); ++i) note(handed_out[i], outcome.a->outputs[own + i]);
    outcome.a->outputs.resize(own);
    return is_as_alone(outcome) || may_be_wrong(outcome);
  }

  // Whether the program's own outputs are as they were without the others.
  bool is_as_alone(const Outcome& outcome) const { return alone_.a && alone_.a->outputs == outcome.a->outputs; }

  // Whether the program's own outputs are not proved right, whatever else was handed out beside them: of a whole
  // network an ensemble costs minutes, and that it would agree does not tell that the target is right.
  bool may_be_wrong(const Outcome& outcome) {
    if (!expected_) expected_ = expected_runs(target_.profile(), test_);
    if (!*expected_) return false;
    return judge(test_, **expected_, outcome, target_.promises_identity()).verdict != Verdict::Match;
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

  Target& target_;
  const Case& test_;
  std::vector<std::vector<std::size_t>> writers_;
  std::vector<std::optional<std::size_t>> makers_;
  Outcome alone_;  // with nothing handed out but the program's outputs
  ExposedValues exposed_;
  std::optional<Result<ExpectedRuns>> expected_;  // of the program without what is handed out; computed when needed
};

}  // namespace

std::size_t runs_to_expose(const Case& test) {
  std::size_t results = 0;
  for (const Node& node : test.graph.nodes) results += node.results.size();
  return (results + exposed_per_run - 1) / exposed_per_run;
}

std::size_t ExposedValues::count() const { return static_cast<std::size_t>(std::ranges::count(known, true)); }

ExposedValues expose_values(Target& target, const Case& test, const Outcome* whole) {
  return Exposure(target, test).run(whole);
}

}  // namespace parallax
