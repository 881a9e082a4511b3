// Violation: what kind of slip a plan failure shows, whatever graph showed it. By its kind two findings are one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "planner/joins.h"
#include "planner/lifetimes.h"
#include "planner/plan_checker.h"

namespace parallax {

// The failure that says most of its cause: one of the slots themselves, then one of what is returned, then the first
// read of other bytes, which may come from any of these. `failures` is not empty.
const PlanFailure& root_of(std::span<const PlanFailure> failures);

// When the planner takes each storage of a graph to hold something: the graph's own, or one with another use of a
// value.
using Reckoning = std::function<Lifetimes(const Graph& graph)>;

enum class ViolationKind : uint8_t {
  AliasOverwritten,
  LifeEndsEarly,
  LiveSlotsOverlap,
  OverwrittenByUnread,
  ReadWhereNothingWasWritten,
  ReadWhereAnotherLies,
  ReturnedMemoryUsedAgain,
  MemoryOfAnotherOwner,
  JoinTakenTooEarly,
  InPlaceAndReadLater,
  InPlaceAtOtherElements,
  InPlaceByRereadingKernel,
  SlotOutsideArena,
  SlotTooSmall,
  NoRoomForUnread,
  SlotMisaligned,
};
// "alias overwritten", "slot too small" …
std::string_view name(ViolationKind kind);

// The schedule, whose joins are `joins`, is of this graph, and the plan was made by this reckoning.
ViolationKind violation_kind(const Graph& graph, const Schedule& schedule, const Plan& plan,
                             std::span<const Join> joins, const Reckoning& reckon, const PlanFailure& failure);

}  // namespace parallax
