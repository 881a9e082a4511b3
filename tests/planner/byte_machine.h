// The byte machine: executes a schedule in the memory of a plan, byte by byte, and keeps what every read saw.
//
// The ground truth that the plan checker is tested against. It knows no lifetimes, no tags and no checks: a byte is a
// 64-bit content, so that two contents are equal only where they come from the same computation, and what a step writes
// is a digest of all that it read. A kernel is taken to behave as badly as its schedule allows: operands that it reads
// as a whole are read after its results were scribbled over, and again at its end; operands that it reads element by
// element are read in either order of elements.
#pragma once

#include "planner/schedule.h"

namespace parallax::testing {

enum class ElementOrder { Forward, Backward };

// What was seen: by each step in each of two runs, by the caller after each, and by the caller in the first run's
// outputs after the second.
struct Sightings {
  std::vector<uint64_t> seen;
  bool outside = false;    // an access fell outside its arena
  bool unwritten = false;  // a read met a byte that nothing had written
};

Sightings execute(const Schedule& schedule, const Plan& plan, ElementOrder order);

// A plan in which no two storages share a byte, with what is given in the arenas where `plan` has it.
Plan plan_apart(const Schedule& schedule, const Plan& plan);

}  // namespace parallax::testing
