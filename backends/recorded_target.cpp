#include "backends/recorded_target.h"

#include "core/check.h"

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
std::optional<Tensor> input_after(const Case& test, const std::string& name) {
  if (std::optional<Tensor> recorded = find_tensor(test.expect.inputs, name)) return recorded;
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name == name) return test.feed[i];
  }
  return std::nullopt;  // a window on a storage: not fed by its own name
}

class RecordedTarget : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *profile_; }

  Outcome run(const Case& test, const std::vector<Tensor>*) override {
    Outcome outcome;
    if (!test.expect.outputs) {
      outcome.status = Status::Unsupported;
      outcome.message = "the case records no outputs";
      return outcome;
    }
    outcome.a.emplace();
    outcome.a->outputs = *test.expect.outputs;
    for (const Source& source : test.graph.sources) {
      const std::string& source_name = test.graph.name(source.value);
      if (source.kind == SourceKind::Input) outcome.a->inputs.push_back(input_after(test, source_name));
      if (source.kind == SourceKind::Buffer)
        outcome.a->buffers.push_back(find_tensor(test.expect.buffers, source_name));
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
