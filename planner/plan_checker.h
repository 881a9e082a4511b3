// The plan checker: does every read of a schedule find the bytes that were written for it?
//
// It trusts no planner and uses none: which storages are read, written and returned is derived from the schedule alone,
// not from lifetimes or reuses that a plan states. The schedule is replayed over a byte map of the arenas tagged with
// (storage, the step that wrote the byte), and every read, the caller's after the last step included, must meet its own
// tag.
#pragma once

#include <string>
#include <vector>

#include "planner/schedule.h"

namespace parallax {

struct PlanFailure {
  enum class Kind {
    OutsideArena,   // the slot is negative or ends past the arena
    TooSmall,       // the slot is smaller than the storage
    Misaligned,     // the slot's offset is not a multiple of the arena's alignment
    NotTheCallers,  // the plan takes memory that only a run makes for the caller's, or the other way round
    Overwritten,    // a read meets another storage's bytes, or those of an older write, or what nothing wrote
    Returned,       // an output lies in the backend's arena, where the next run overwrites it
  };
  Kind kind = Kind::Overwritten;
  StorageId storage;        // whose bytes are wanted
  Slot slot;                // where they lie
  ValueId value;            // Overwritten, Returned: the value that is read: the storage's first or an alias of it
  int written_by = -1;      // the step that wrote what is wanted; -1 for what is given
  int overwritten_by = -1;  // Overwritten: the step whose bytes are met instead, -1 where none wrote there
  int read_by = -1;         // the reading step; the number of steps for the return
};

// Every failure: those of the slots, then the reads in the order of the schedule; empty for a sound plan. At most one
// for each value and reading step. The plan has a placement for each storage.
std::vector<PlanFailure> check_plan(const Schedule& schedule, const Plan& plan);
// The same for the schedule of a graph.
std::vector<PlanFailure> check_plan(const Graph& graph, const Plan& plan);

// Whether a plan made for other sizes serves this graph, whose nodes are the same: nothing, or what no longer fits,
// with the value's name. What the plan reserves is kept, so a smaller size always fits.
Result<void> revalidate(const Plan& plan, const Graph& resized);

// The value that a storage was made with: its name is the storage's in messages.
ValueId first_value(const Graph& graph, StorageId storage);

// One line that names the value, its slot, the step that overwrote it and the alias that was still live.
std::string describe(const Schedule& schedule, const PlanFailure& failure);
std::string describe(const Graph& graph, const PlanFailure& failure);

}  // namespace parallax
