#include "compiler/program.h"

#include <algorithm>

namespace parallax {
namespace {

void append(std::vector<ValueId>& to, const std::vector<ValueId>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Moves the accesses of the group's steps to its last one. What the group makes for itself alone is in no memory.
void fuse_steps(const FusedGroup& group, Schedule& schedule) {
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
  const auto is_inner = [&](ValueId value) { return std::ranges::find(group.inner, value) != group.inner.end(); };
  for (ValueId value : group.inner) std::erase(fused.makes, schedule.value(value).storage);
  std::erase_if(fused.writes, is_inner);
  schedule.steps[group.nodes.end - 1] = std::move(fused);
}

}  // namespace

double VaryingNumber::at(const SymbolSizes& sizes) const {
  double value = constant;
  for (std::size_t s = 0; s < slopes.size(); ++s) value += slopes[s] * static_cast<double>(sizes[s]);
  return value;
}

Schedule schedule_of(const Program& program) {
  Schedule schedule = schedule_of(program.graph);
  for (const FusedGroup& group : program.groups) fuse_steps(group, schedule);
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
