#include "planner/violation.h"

#include <algorithm>
#include <array>

#include "ops/registry.h"

namespace parallax {
namespace {

using Kind = PlanFailure::Kind;

// From what causes other failures to what is caused by them.
constexpr std::array by_depth = {Kind::NotTheCallers, Kind::TooSmall, Kind::OutsideArena,
                                 Kind::Misaligned,    Kind::Returned, Kind::Overwritten};

// By ViolationKind.
constexpr std::array<std::string_view, 16> violation_names = {
    "alias overwritten",
    "life ends before the last read",
    "slots of two live values overlap",
    "overwritten by what nobody reads",
    "read where nothing was written",
    "read where something else lies",
    "returned memory used again",
    "memory of another owner",
    "place of a concatenation taken too early",
    "operand overwritten in place and read later",
    "operand overwritten at other elements",
    "operand overwritten by a kernel that reads it again",
    "slot outside its arena",
    "slot too small",
    "no room for what nobody reads",
    "slot misaligned",
};

bool overlap(const Slot& a, const Slot& b) { return std::min(a.end(), b.end()) > std::max(a.offset, b.offset); }

bool is_read(const Schedule& schedule, StorageId storage) {
  const auto of_it = [&](ValueId value) { return schedule.value(value).storage == storage; };
  return std::ranges::any_of(schedule.outputs, of_it) ||
         std::ranges::any_of(schedule.steps,
                             [&](const ScheduledStep& step) { return std::ranges::any_of(step.reads, of_it); });
}

// Whether the value would be forgotten as well if a step read it instead of the caller. Where the owner alone is wrong,
// the end of its life is not.
bool is_forgotten_by_steps_too(Graph graph, ValueId returned, const Reckoning& reckon) {
  const StorageId storage = graph.meta(returned).storage;
  std::erase_if(graph.outputs, [&](ValueId output) { return graph.meta(output).storage == storage; });
  Node reader;
  reader.op = &op_named("aten.neg.default");
  reader.arguments.emplace_back(returned);
  graph.nodes.push_back(std::move(reader));
  return reckon(graph)[storage.index].range.last < static_cast<int>(graph.nodes.size()) - 1;
}

// One read of bytes that something else wrote.
class Overwrite {
 public:
  Overwrite(const Graph& graph, const Schedule& schedule, const Plan& plan, std::span<const Join> joins,
            const Reckoning& reckon, const PlanFailure& failure)
      : graph_(graph),
        schedule_(schedule),
        plan_(plan),
        joins_(joins),
        reckon_(reckon),
        failure_(failure),
        wanted_(schedule.value(failure.value).storage) {}

  ViolationKind kind() const {
    const Placement& lies = plan_.placement(wanted_);
    if (is_given(lies.arena)) return ViolationKind::MemoryOfAnotherOwner;
    if (failure_.overwritten_by < 0) return ViolationKind::ReadWhereNothingWasWritten;
    const auto step = static_cast<std::size_t>(failure_.overwritten_by);
    const StorageId writer = storage_written(schedule_.steps[step]);
    if (is_joined(wanted_) || (writer.valid() && is_joined(writer))) return ViolationKind::JoinTakenTooEarly;
    if (!writer.valid()) return ViolationKind::ReadWhereAnotherLies;
    if (is_written_over(writer)) return kind_in_place(step, lies.arena);
    if (!is_read(schedule_, writer)) return ViolationKind::OverwrittenByUnread;
    const Lifetimes lives = reckon_(graph_);
    if (lives[wanted_.index].range.overlaps(lives[writer.index].range)) return ViolationKind::LiveSlotsOverlap;
    return failure_.value == made_with() ? ViolationKind::LifeEndsEarly : ViolationKind::AliasOverwritten;
  }

 private:
  // Of an operand that the plan writes a result over.
  ViolationKind kind_in_place(std::size_t step, Arena arena) const {
    if (arena != Arena::Backend) return ViolationKind::MemoryOfAnotherOwner;
    if (failure_.read_by != failure_.overwritten_by) return ViolationKind::InPlaceAndReadLater;
    return goes_by_element(step) ? ViolationKind::InPlaceAtOtherElements : ViolationKind::InPlaceByRereadingKernel;
  }

  // The storage of the step's that lies over the wanted one.
  StorageId storage_written(const ScheduledStep& step) const {
    for (ValueId value : step.writes) {
      const StorageId storage = schedule_.value(value).storage;
      if (storage == wanted_) continue;
      const Placement& a = plan_.placement(storage);
      const Placement& b = plan_.placement(wanted_);
      if (a.arena == b.arena && overlap(a.slot, b.slot)) return storage;
    }
    return {};
  }

  bool is_joined(StorageId storage) const {
    return std::ranges::any_of(joins_, [&](const Join& join) { return join.whole == storage || join.part == storage; });
  }

  bool goes_by_element(std::size_t step) const {
    const OpGroup group = graph_.nodes[step].op->group;
    return group == OpGroup::Pointwise || group == OpGroup::Comparison;
  }

  // Whether the plan writes this storage in place over the wanted one, or over what it wrote over that.
  bool is_written_over(StorageId writer) const {
    StorageId above = writer;
    for (std::size_t i = 0; i <= plan_.reuses.size() && above != wanted_; ++i) {
      const auto reuse = std::ranges::find(plan_.reuses, above, &Reuse::result);
      if (reuse == plan_.reuses.end()) return false;
      above = reuse->operand;
    }
    return above == wanted_;
  }

  // The first value on the storage.
  ValueId made_with() const {
    for (std::size_t v = 0; v < schedule_.values.size(); ++v) {
      if (schedule_.values[v].storage == wanted_) return ValueId(v);
    }
    return {};
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Plan& plan_;
  std::span<const Join> joins_;
  const Reckoning& reckon_;
  const PlanFailure& failure_;
  StorageId wanted_;
};

}  // namespace

const PlanFailure& root_of(std::span<const PlanFailure> failures) {
  const auto depth = [](const PlanFailure& failure) { return std::ranges::find(by_depth, failure.kind); };
  return *std::ranges::min_element(failures, {}, depth);
}

std::string_view name(ViolationKind kind) { return violation_names[static_cast<std::size_t>(kind)]; }

ViolationKind violation_kind(const Graph& graph, const Schedule& schedule, const Plan& plan,
                             std::span<const Join> joins, const Reckoning& reckon, const PlanFailure& failure) {
  switch (failure.kind) {
    case Kind::OutsideArena:
      return ViolationKind::SlotOutsideArena;
    case Kind::TooSmall:
      return is_read(schedule, failure.storage) ? ViolationKind::SlotTooSmall : ViolationKind::NoRoomForUnread;
    case Kind::Misaligned:
      return ViolationKind::SlotMisaligned;
    case Kind::NotTheCallers:
      return ViolationKind::MemoryOfAnotherOwner;
    case Kind::Returned:
      return is_forgotten_by_steps_too(graph, failure.value, reckon) ? ViolationKind::AliasOverwritten
                                                                     : ViolationKind::ReturnedMemoryUsedAgain;
    case Kind::Overwritten:
      return Overwrite(graph, schedule, plan, joins, reckon, failure).kind();
  }
  return ViolationKind::MemoryOfAnotherOwner;
}

}  // namespace parallax
