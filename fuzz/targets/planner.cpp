// The planner: a tape is a schedule of steps that make, read and write storages, through views too. Every packer plans
// it, and so does the tape, at random. What the packers give must be sound, and the plan checker must say of every plan
// what running the schedule in its memory says. PARALLAX_PLANT is a mutant to plant in the packers ("M04").
#include <fmt/format.h>

#include <algorithm>

#include "fuzz/findings/fuzzer_hash.h"
#include "fuzz/generate/generate.h"
#include "fuzz/targets/shared/entry.h"
#include "fuzz/targets/shared/environment.h"
#include "planner/mutants_list.h"
#include "planner/packers.h"
#include "planner/plan_checker.h"
#include "planner/plan_json.h"

namespace parallax {
namespace {

constexpr int64_t most_steps = 24;
constexpr int64_t most_bytes = 48;  // of a storage
constexpr PackBudget budget{2000, 1};

class ScheduleDrawer {
 public:
  explicit ScheduleDrawer(Choices& choices) : choices_(choices) {}

  Schedule draw() {
    for (int64_t left = draw_count(); left > 0; --left) draw_step();
    return std::move(schedule_);
  }

 private:
  int64_t draw_count() {
    const Choices::Scope scope(choices_, node_count_span);
    return choices_.between(1, most_steps);
  }

  void draw_step() {
    const Choices::Scope scope(choices_, node_span);
    ScheduledStep step;
    step.name = fmt::format("step{}", schedule_.steps.size());
    if (!schedule_.values.empty()) {
      for (uint64_t reads = choices_.below(4); reads > 0; --reads) step.reads.push_back(draw_value());
      if (choices_.chance(20)) step.writes.push_back(draw_value());
      if (choices_.chance(25)) add_view(schedule_.value(draw_value()).storage);
    }
    if (step.writes.empty()) make_storage(step);
    schedule_.steps.push_back(std::move(step));
  }

  // Any value there is: those of this step's storages are not.
  ValueId draw_value() { return ValueId(static_cast<std::size_t>(choices_.below(schedule_.values.size()))); }

  void make_storage(ScheduledStep& step) {
    const StorageId storage(schedule_.storages.size());
    const int64_t bytes = choices_.between(0, most_bytes);
    schedule_.storages.push_back({fmt::format("m{}", storage.index), bytes, false});
    step.makes.push_back(storage);
    step.writes.push_back(add_value(storage, contiguous_layout(Dims{bytes})));
  }

  // A window of single bytes, side by side or with gaps.
  void add_view(StorageId storage) {
    const int64_t bytes = schedule_.storage(storage).bytes;
    const int64_t stride = choices_.between(1, 3);
    const int64_t offset = choices_.between(0, bytes);
    const int64_t size = choices_.between(0, (bytes - offset + stride - 1) / stride);
    add_value(storage, {Dims{size}, Dims{stride}, offset});
  }

  ValueId add_value(StorageId storage, const Layout& layout) {
    const ValueId value(schedule_.values.size());
    schedule_.values.push_back({fmt::format("v{}", value.index), storage, DType::U8, layout});
    return value;
  }

  Choices& choices_;
  Schedule schedule_;
};

// From the step that makes a storage to the last that reads or writes it: told from the steps alone, so that no
// lifetime policy is trusted.
std::vector<LiveRange> lives_of(const Schedule& schedule) {
  std::vector<LiveRange> lives(schedule.storages.size());
  for (std::size_t n = 0; n < schedule.steps.size(); ++n) {
    const ScheduledStep& step = schedule.steps[n];
    const int at = static_cast<int>(n);
    for (StorageId storage : step.makes) lives[storage.index] = {at, at};
    for (ValueId value : step.reads) lives[schedule.value(value).storage.index].last = at;
    for (ValueId value : step.writes) lives[schedule.value(value).storage.index].last = at;
  }
  return lives;
}

// The memory of a run: what stands in a byte is a digest of all that went into it, so that two bytes are equal only
// where they come of the same computation.
class Memory {
 public:
  explicit Memory(uint64_t poison) : poison_(poison) {}
  uint64_t& at(int64_t byte) {
    const auto place = static_cast<std::size_t>(byte);
    if (place >= bytes_.size()) bytes_.resize(place + 1, poison_);
    return bytes_[place];
  }

 private:
  uint64_t poison_;
  std::vector<uint64_t> bytes_;
};

// Whether every read of the schedule sees in the plan's memory what it sees where no two storages share a byte.
class SharedAndApart {
 public:
  SharedAndApart(const Schedule& schedule, const Plan& plan) : schedule_(schedule), plan_(plan) {}

  bool agree() {
    for (const ScheduledStep& step : schedule_.steps) run(step);
    return agree_;
  }

 private:
  void run(const ScheduledStep& step) {
    uint64_t digest = mix(0, step_++);
    for (ValueId value : step.reads) read(value, digest);
    for (ValueId value : step.writes) {
      uint64_t content = mix(digest, value.index);
      for_each_byte(schedule_.value(value), [&](int64_t byte) {
        content = mix(content, 1);
        shared_byte(value, byte) = content;
        apart_byte(value, byte) = content;
        return true;
      });
    }
    // A kernel may read an operand until it ends.
    for (ValueId value : step.reads) read(value, digest);
  }

  void read(ValueId value, uint64_t& digest) {
    for_each_byte(schedule_.value(value), [&](int64_t byte) {
      const uint64_t wanted = apart_byte(value, byte);
      agree_ = agree_ && shared_byte(value, byte) == wanted;
      digest = mix(digest, wanted);
      return true;
    });
  }

  uint64_t& shared_byte(ValueId value, int64_t byte) {
    return shared_.at(plan_.placement(schedule_.value(value).storage).slot.offset + byte);
  }
  uint64_t& apart_byte(ValueId value, int64_t byte) {
    return apart_.at(static_cast<int64_t>(schedule_.value(value).storage.index) * most_bytes + byte);
  }

  const Schedule& schedule_;
  const Plan& plan_;
  Memory shared_{1};
  Memory apart_{2};
  uint64_t step_ = 0;
  bool agree_ = true;
};

Plan plan_of(const PackingProblem& problem, const std::vector<int64_t>& sizes, const std::vector<int64_t>& offsets,
             int64_t alignment) {
  Plan plan;
  ArenaUse& arena = plan.arena(Arena::Backend);
  arena.alignment = alignment;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    plan.placements.push_back({Arena::Backend, {offsets[b], sizes[b]}});
    arena.size = std::max(arena.size, plan.placements.back().slot.end());
  }
  return plan;
}

class PlannerRun {
 public:
  explicit PlannerRun(Choices& choices) : choices_(choices), schedule_(ScheduleDrawer(choices).draw()) {
    alignment_ = int64_t{1} << choices_.below(5);
    const std::vector<LiveRange> lives = lives_of(schedule_);
    for (std::size_t s = 0; s < lives.size(); ++s) {
      sizes_.push_back(schedule_.storages[s].bytes);
      problem_.blocks.push_back({lives[s], sizes_.back(), alignment_});
    }
  }

  void check() {
    const Packing exact = pack_exactly(problem_, budget);
    for (const Packer& packer : all_packers) {
      const Packing packing = packer.pack(problem_, budget);
      expect(is_packing(problem_, packing.offsets), packer.name, "blocks that live at once share bytes", packing);
      expect(packing.height == height_of(problem_, packing.offsets), packer.name, "another height", packing);
      expect(packing.height >= lower_bound(problem_), packer.name, "below the lower bound", packing);
      const bool lowest = exact.proof == Proof::Lowest;
      expect(!lowest || packing.height >= exact.height, packer.name, "below the proved lowest", packing);
      expect(!check_plan_of(packing.offsets, packer.name), packer.name, "refused by the plan checker", packing);
    }
    std::vector<int64_t> offsets;
    for (const Block& block : problem_.blocks) {
      offsets.push_back(align_up(choices_.between(0, 2 * std::max(exact.height, block.size)), alignment_));
    }
    check_plan_of(offsets, "drawn");
  }

 private:
  // Whether the checker refuses the plan; stops where running it says otherwise.
  bool check_plan_of(const std::vector<int64_t>& offsets, std::string_view who) {
    const Plan plan = plan_of(problem_, sizes_, offsets, alignment_);
    const bool refused = !check_plan(schedule_, plan).empty();
    const bool sound = SharedAndApart(schedule_, plan).agree();
    if (refused == sound) {
      stop(who, sound ? "the checker refuses a sound plan" : "the checker accepts a plan that overwrites", plan);
    }
    return refused;
  }

  void expect(bool holds, std::string_view who, std::string_view otherwise, const Packing& packing) {
    if (!holds) stop(who, otherwise, plan_of(problem_, sizes_, packing.offsets, alignment_));
  }
  [[noreturn]] void stop(std::string_view who, std::string_view what, const Plan& plan) {
    stop_with(fmt::format("planner | {} | {}", who, what), write_json(plan_json({schedule_, plan}), 2));
  }

  Choices& choices_;
  Schedule schedule_;
  PackingProblem problem_;
  std::vector<int64_t> sizes_;  // by storage
  int64_t alignment_ = 1;
};

}  // namespace

namespace {

// The mutant to plant, or null.
const Mutant* planted() {
  const std::string id = variable("PARALLAX_PLANT");
  if (id.empty()) return nullptr;
  const Mutant* mutant = find_mutant(id);
  if (mutant == nullptr) refuse(fail("PARALLAX_PLANT={}: no mutant is called so", id).error());
  return mutant;
}

}  // namespace

void read_fuzzed_tape(Choices& choices) { ScheduleDrawer(choices).draw(); }

}  // namespace parallax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const parallax::Mutant* const mutant = parallax::planted();
  const parallax::ActiveMutant active(mutant);
  parallax::Choices choices(std::span<const uint8_t>(data, size));
  parallax::PlannerRun(choices).check();
  return 0;
}
