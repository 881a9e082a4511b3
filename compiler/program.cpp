#include "compiler/program.h"

#include <algorithm>

namespace parallax {
namespace {

void append(std::vector<ValueId>& to, const std::vector<ValueId>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Moves the accesses of the group's steps to its last one. What the group makes for itself alone is in no memory.
void fuse_steps(const FusedGroup& group, const std::vector<bool>& inner, Schedule& schedule) {
  std::vector<bool> made(schedule.storages.size(), false);
  ScheduledStep fused;
  for (std::size_t n = group.nodes.first; n < group.nodes.end; ++n) {
    ScheduledStep& step = schedule.steps[n];
    for (ValueId value : step.reads) {
      if (!made[schedule.value(value).storage.index]) fused.reads.push_back(value);
    }
    for (StorageId storage : step.makes) {
      made[storage.index] = true;
      fused.makes.push_back(storage);
    }
    append(fused.writes, step.writes);
    fused.name = step.name;
    step = {step.name, {}, {}, {}, {}};
  }
  for (ValueId value : group.inner) made[schedule.value(value).storage.index] = false;
  std::erase_if(fused.makes, [&](StorageId storage) { return !made[storage.index]; });
  std::erase_if(fused.writes, [&](ValueId value) { return inner[value.index]; });
  schedule.steps[group.nodes.end - 1] = std::move(fused);
}

// The parts of joins become what they are in memory: bytes of the whole, which the first of them begins.
void join_storages(const std::vector<Join>& joins, Schedule& schedule) {
  if (joins.empty()) return;
  std::vector<const Join*> join_of(schedule.storages.size(), nullptr);  // by part
  for (const Join& join : joins) {
    join_of[join.part.index] = &join;
    schedule.storages[join.part.index].bytes = 0;
  }
  for (ScheduledValue& value : schedule.values) {
    const Join* join = join_of[value.storage.index];
    if (!join) continue;
    value.storage = join->whole;
    value.layout.offset += join->offset / size_of(value.dtype);
  }
  std::vector<bool> made(schedule.storages.size(), false);
  for (ScheduledStep& step : schedule.steps) {
    for (StorageId& storage : step.makes) {
      if (const Join* join = join_of[storage.index]) storage = join->whole;
    }
    std::erase_if(step.makes, [&](StorageId storage) {
      const bool again = made[storage.index];
      made[storage.index] = true;
      return again;
    });
  }
}

}  // namespace

double VaryingNumber::at(const SymbolSizes& sizes) const {
  double value = constant;
  for (std::size_t s = 0; s < slopes.size(); ++s) value += slopes[s] * static_cast<double>(sizes[s]);
  return value;
}

Schedule schedule_of(const Program& program) {
  Schedule schedule = schedule_of(program.graph);
  std::vector<bool> inner(schedule.values.size(), false);
  for (const FusedGroup& group : program.groups) {
    for (ValueId value : group.inner) inner[value.index] = true;
  }
  for (const FusedGroup& group : program.groups) fuse_steps(group, inner, schedule);
  join_storages(program.joins, schedule);
  // A storage that no step and no caller looks at needs no bytes; who calls a value inner is not asked.
  std::vector<bool> looked_at(schedule.storages.size(), false);
  const auto look = [&](ValueId value) { looked_at[schedule.value(value).storage.index] = true; };
  for (const ScheduledStep& step : schedule.steps) {
    std::ranges::for_each(step.reads, look);
    std::ranges::for_each(step.writes, look);
  }
  std::ranges::for_each(schedule.outputs, look);
  for (const FusedGroup& group : program.groups) {
    for (ValueId value : group.inner) {
      const std::size_t storage = schedule.value(value).storage.index;
      if (!looked_at[storage]) schedule.storages[storage].bytes = 0;
    }
  }
  return schedule;
}

}  // namespace parallax
