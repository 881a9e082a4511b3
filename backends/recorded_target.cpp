#include "backends/recorded_target.h"

#include "core/check.h"
#include "graph/runs.h"
#include "ops/profiles.h"

namespace parallax {
namespace {

std::optional<Tensor> find_tensor(const std::vector<std::pair<std::string, Tensor>>& recorded,
                                  const std::string& name) {
  for (const auto& [recorded_name, tensor] : recorded) {
    if (recorded_name == name) return tensor;
  }
  return std::nullopt;
}

// What an input held after the run: as recorded, or, since only those that changed are recorded, as it was fed.
std::optional<Tensor> input_after(const Case& run, const std::string& name) {
  if (std::optional<Tensor> recorded = find_tensor(run.expect.inputs, name)) return recorded;
  const std::vector<FeedSlot> slots = feed_slots(run.graph);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name == name) return run.feed[i];
  }
  return std::nullopt;  // a window on a storage: not fed by its own name
}

Result<Observation> recorded_run(const Case& test, std::size_t run) {
  TRY(const Case one, case_of_run(test, run));
  if (!one.expect.outputs) return fail("the case records no outputs");
  Observation seen;
  seen.outputs = *one.expect.outputs;
  for (const Source& source : one.graph.sources) {
    const std::string& source_name = one.graph.name(source.value);
    if (source.kind == SourceKind::Input) seen.inputs.push_back(input_after(one, source_name));
    if (source.kind == SourceKind::Buffer) seen.buffers.push_back(find_tensor(one.expect.buffers, source_name));
  }
  return seen;
}

class RecordedTarget : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *profile_; }
  bool promises_identity() const override { return true; }

  bool takes_several_runs() const override { return true; }
  bool takes_methods() const override { return true; }

  Outcome run(const Case& test, const std::vector<Tensor>*) override {
    Outcome outcome;
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      Result<Observation> seen = recorded_run(test, run);
      if (!seen) {
        outcome.status = Status::Unsupported;
        outcome.message = seen.error().reason;
        return outcome;
      }
      if (run == 0) {
        outcome.a = *std::move(seen);
      } else {
        outcome.later.push_back(*std::move(seen));
      }
    }
    return outcome;
  }

 private:
  std::string name_ = "recorded";
  const Profile* profile_ = find_profile("recorded");
};

}  // namespace

std::unique_ptr<Target> make_recorded_target() { return std::make_unique<RecordedTarget>(); }

}  // namespace parallax
