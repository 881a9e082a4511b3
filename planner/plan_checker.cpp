#include "planner/plan_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {
namespace {

constexpr int given = -1;  // written before the first step
constexpr int not_written = -2;

// Who wrote a byte last: a storage's data at a step. No storage for bytes that nothing wrote.
struct Tag {
  StorageId storage;
  int step = not_written;

  friend bool operator==(const Tag&, const Tag&) = default;
};

class Replay {
 public:
  Replay(const Schedule& schedule, const Plan& plan)
      : schedule_(schedule),
        plan_(plan),
        makers_(storage_makers(schedule)),
        sound_(schedule.storages.size(), false),
        made_at_(schedule.storages.size(), given),
        wanted_(schedule.storages.size()) {
    for (std::size_t a = 0; a < arena_count; ++a) {
      arenas_[a].resize(static_cast<std::size_t>(std::max<int64_t>(plan.arenas[a].size, 0)));
    }
  }

  std::vector<PlanFailure> run() {
    check_placements();
    for (std::size_t s = 0; s < schedule_.storages.size(); ++s) {
      if (schedule_.storages[s].given) write_whole(StorageId(s), given);
    }
    for (std::size_t n = 0; n < schedule_.steps.size(); ++n) run_step(schedule_.steps[n], static_cast<int>(n));
    const int end = static_cast<int>(schedule_.steps.size());
    for (ValueId output : schedule_.outputs) {
      read(output, end);
      check_returned(output, end);
    }
    look_at_given_storages(end);
    return std::move(failures_);
  }

 private:
  // The slots themselves; only storages whose slot is sound are replayed.
  void check_placements() {
    for (std::size_t s = 0; s < schedule_.storages.size(); ++s) {
      const StorageId storage(s);
      const auto& [arena, slot] = plan_.placement(storage);
      const int64_t bytes = schedule_.storages[s].bytes;
      if (is_given(arena) != schedule_.storages[s].given) report(PlanFailure::Kind::NotTheCallers, storage);
      if (slot.size < bytes) {
        report(PlanFailure::Kind::TooSmall, storage);
      } else if (slot.offset < 0 || slot.end() > plan_.arena(arena).size) {
        report(PlanFailure::Kind::OutsideArena, storage);
      } else {
        if (slot.offset % plan_.arena(arena).alignment != 0) report(PlanFailure::Kind::Misaligned, storage);
        sound_[s] = true;
        wanted_[s].assign(static_cast<std::size_t>(bytes), not_written);
      }
    }
  }

  void report(PlanFailure::Kind kind, StorageId storage) {
    PlanFailure failure;
    failure.kind = kind;
    failure.storage = storage;
    failure.slot = plan_.placement(storage).slot;
    failure.written_by = makers_[storage.index];
    failures_.push_back(failure);
  }

  void run_step(const ScheduledStep& step, int n) {
    const std::size_t failures = failures_.size();
    for (ValueId value : step.reads) read(value, n);
    for (StorageId storage : step.makes) {
      write_whole(storage, n);
      made_at_[storage.index] = n;
    }
    for (ValueId value : step.writes) {
      const StorageId storage = schedule_.value(value).storage;
      if (!sound_[storage.index] || made_at_[storage.index] == n) continue;
      for_each_byte(schedule_.value(value), [&](int64_t byte) {
        write(storage, byte, n);
        return true;
      });
    }
    if (failures != failures_.size()) return;
    // A kernel may still be reading an operand when its first result is written, so operands must survive the writes;
    // of those that it reads element by element, each element must survive the writes of all others.
    for (ValueId value : step.reads) {
      const bool by_element = std::ranges::find(step.elementwise, value) != step.elementwise.end();
      read(value, n, by_element && step.writes.size() == 1 ? step.writes.front() : ValueId());
    }
  }

  // The bytes of an arena from a storage's slot on.
  std::size_t first_byte(StorageId storage) const {
    return static_cast<std::size_t>(plan_.placement(storage).slot.offset);
  }
  std::vector<Tag>& arena_of(StorageId storage) {
    return arenas_[static_cast<std::size_t>(plan_.placement(storage).arena)];
  }

  // Every byte of the value must be its storage's newest. A byte may also be one that the same element of `twin` has
  // just overwritten.
  void read(ValueId value, int step, ValueId twin = {}) {
    const ScheduledValue& view = schedule_.value(value);
    if (!sound_[view.storage.index]) return;
    const std::vector<int>& wanted = wanted_[view.storage.index];
    const std::vector<std::size_t> twin_bytes = twin.valid() ? bytes_of(twin) : std::vector<std::size_t>();
    const std::vector<Tag>& arena = arena_of(view.storage);
    const bool one_arena =
        twin.valid() && plan_.placement(schedule_.value(twin).storage).arena == plan_.placement(view.storage).arena;
    const auto item = static_cast<std::size_t>(size_of(view.dtype));
    const auto twin_item = twin.valid() ? static_cast<std::size_t>(size_of(schedule_.value(twin).dtype)) : 1;
    std::size_t position = 0;  // of the byte, in the order of elements
    for_each_byte(view, [&](int64_t byte) {
      const Tag want{view.storage, wanted[static_cast<std::size_t>(byte)]};
      const std::size_t at = first_byte(view.storage) + static_cast<std::size_t>(byte);
      const std::size_t element = position++ / item;
      const Tag& got = arena[at];
      if (got == want && got.step != not_written) return true;
      if (one_arena && got == Tag{schedule_.value(twin).storage, step}) {
        const auto first = twin_bytes.begin() + static_cast<std::ptrdiff_t>(element * twin_item);
        if (std::find(first, first + static_cast<std::ptrdiff_t>(twin_item), at) !=
            first + static_cast<std::ptrdiff_t>(twin_item)) {
          return true;
        }
      }
      report_read(value, want, got, step);
      return false;
    });
  }

  // Where in its arena each byte of the value lies, in the order of elements.
  std::vector<std::size_t> bytes_of(ValueId value) const {
    const ScheduledValue& view = schedule_.value(value);
    std::vector<std::size_t> bytes;
    if (!sound_[view.storage.index]) return bytes;
    for_each_byte(view, [&](int64_t byte) {
      bytes.push_back(first_byte(view.storage) + static_cast<std::size_t>(byte));
      return true;
    });
    return bytes;
  }

  void report_read(ValueId value, const Tag& want, const Tag& got, int step) {
    PlanFailure failure;
    failure.storage = want.storage;
    failure.slot = plan_.placement(want.storage).slot;
    failure.value = value;
    failure.written_by = std::max(want.step, -1);
    failure.overwritten_by = std::max(got.step, -1);
    failure.read_by = step;
    failures_.push_back(failure);
  }

  // The whole storage, gaps between elements included.
  void write_whole(StorageId storage, int step) {
    if (!sound_[storage.index]) return;
    for (int64_t byte = 0; byte < schedule_.storage(storage).bytes; ++byte) write(storage, byte, step);
  }

  void write(StorageId storage, int64_t byte, int step) {
    wanted_[storage.index][static_cast<std::size_t>(byte)] = step;
    arena_of(storage)[first_byte(storage) + static_cast<std::size_t>(byte)] = {storage, step};
  }

  void check_returned(ValueId output, int end) {
    const StorageId storage = schedule_.value(output).storage;
    if (plan_.placement(storage).arena != Arena::Backend) return;
    report(PlanFailure::Kind::Returned, storage);
    failures_.back().value = output;
    failures_.back().read_by = end;
  }

  // The caller finds inputs, constants and state as the schedule left them.
  void look_at_given_storages(int end) {
    std::vector<bool> seen(schedule_.storages.size(), false);
    std::vector<bool> returned(schedule_.values.size(), false);
    for (ValueId output : schedule_.outputs) returned[output.index] = true;
    for (std::size_t v = 0; v < schedule_.values.size(); ++v) {
      const StorageId storage = schedule_.values[v].storage;
      if (!schedule_.storage(storage).given || seen[storage.index] || returned[v]) continue;
      seen[storage.index] = true;
      read(ValueId(v), end);
    }
  }

  const Schedule& schedule_;
  const Plan& plan_;
  std::vector<int> makers_;
  std::vector<bool> sound_;               // by storage: in a slot that can be replayed
  std::vector<int> made_at_;              // by storage: the step that made the whole of it last
  std::vector<std::vector<int>> wanted_;  // by storage and byte: the step whose data the schedule means to be there
  std::array<std::vector<Tag>, arena_count> arenas_;  // by byte: what is there
  std::vector<PlanFailure> failures_;
};

std::string step_text(const Schedule& schedule, int step) {
  if (step < 0) return "nothing";
  if (step == static_cast<int>(schedule.steps.size())) return "the return";
  return fmt::format("#{}", step);
}

}  // namespace

std::vector<PlanFailure> check_plan(const Schedule& schedule, const Plan& plan) { return Replay(schedule, plan).run(); }

std::vector<PlanFailure> check_plan(const Graph& graph, const Plan& plan) {
  return check_plan(schedule_of(graph), plan);
}

Result<void> revalidate(const Plan& plan, const Graph& resized) {
  if (plan.placements.size() != resized.storages.size()) return fail("the plan is for another graph");
  const std::vector<PlanFailure> failures = check_plan(resized, plan);
  if (!failures.empty()) return fail("the plan no longer holds: {}", describe(resized, failures.front()));
  return {};
}

ValueId first_value(const Graph& graph, StorageId storage) {
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    if (graph.metas[v].storage == storage) return ValueId(v);
  }
  return {};
}

std::string describe(const Schedule& schedule, const PlanFailure& failure) {
  const std::string& owner = schedule.storage(failure.storage).name;
  const std::string place = fmt::format("{} in [{}, {})", owner, failure.slot.offset, failure.slot.end());
  const auto reader = [&] {
    const std::string& name = schedule.value(failure.value).name;
    return name == owner ? fmt::format("it is still read by {}", step_text(schedule, failure.read_by))
                         : fmt::format("its alias {} is still read by {}", name, step_text(schedule, failure.read_by));
  };
  switch (failure.kind) {
    case PlanFailure::Kind::OutsideArena:
      return fmt::format("{} lies outside the arena", place);
    case PlanFailure::Kind::TooSmall:
      return fmt::format("{} needs {} bytes", place, schedule.storage(failure.storage).bytes);
    case PlanFailure::Kind::Misaligned:
      return fmt::format("{} is not aligned as its arena is", place);
    case PlanFailure::Kind::NotTheCallers:
      return fmt::format("{} is planned as somebody else's memory", owner);
    case PlanFailure::Kind::Returned:
      return fmt::format("{} is returned as {}, but the next run overwrites the arena", place,
                         schedule.value(failure.value).name);
    case PlanFailure::Kind::Overwritten:
      return fmt::format("{}, written by {}, is overwritten by {}; {}", place, step_text(schedule, failure.written_by),
                         step_text(schedule, failure.overwritten_by), reader());
  }
  return place;
}

std::string describe(const Graph& graph, const PlanFailure& failure) { return describe(schedule_of(graph), failure); }

}  // namespace parallax
