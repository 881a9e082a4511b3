// Schedule: what a plan is a plan for, as accesses: storages, the values that are views of them, and steps that read
// and write values. It knows no ops, so that a plan that some other compiler wrote is checked like one of ours.
#pragma once

#include <string>
#include <vector>

#include "planner/plan.h"

namespace parallax {

struct ScheduledStorage {
  std::string name;
  int64_t bytes = 0;
  bool given = false;  // holds data before the first step, and is looked at after the last

  friend bool operator==(const ScheduledStorage&, const ScheduledStorage&) = default;
};

// A view of a storage. Values of one storage are aliases of each other.
struct ScheduledValue {
  std::string name;
  StorageId storage;
  DType dtype = DType::F32;
  Layout layout;

  friend bool operator==(const ScheduledValue&, const ScheduledValue&) = default;
};

struct ScheduledStep {
  std::string name;
  std::vector<ValueId> reads;
  std::vector<ValueId> writes;
  std::vector<StorageId> makes;  // storages that begin here: the step writes all of their bytes
  // Reads of which each element is read before the same element of the one write is written, and never again. All
  // others may be read until the step ends.
  std::vector<ValueId> elementwise;

  friend bool operator==(const ScheduledStep&, const ScheduledStep&) = default;
};

struct Schedule {
  std::vector<ScheduledStorage> storages;  // by StorageId
  std::vector<ScheduledValue> values;      // by ValueId
  std::vector<ScheduledStep> steps;
  std::vector<ValueId> outputs;

  const ScheduledStorage& storage(StorageId id) const { return storages[id.index]; }
  const ScheduledValue& value(ValueId id) const { return values[id.index]; }
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// The accesses of a graph's nodes, from their schemas and what the ops mean. Views read and write nothing.
Schedule schedule_of(const Graph& graph);

// The step that makes each storage, or -1.
std::vector<int> storage_makers(const Schedule& schedule);

// Calls `visit(byte)` for every byte of the storage that the value covers, in the order of its elements, until it
// returns false.
template <class Visit>
void for_each_byte(const ScheduledValue& value, Visit&& visit) {
  const int64_t size = size_of(value.dtype);
  bool going = true;
  for_each_element(value.layout, [&](int64_t element) {
    for (int64_t byte = element * size; going && byte < (element + 1) * size; ++byte) going = visit(byte);
  });
}

}  // namespace parallax
