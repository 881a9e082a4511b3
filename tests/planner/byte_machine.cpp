#include "tests/planner/byte_machine.h"

#include <algorithm>

#include "core/choices.h"

namespace parallax::testing {
namespace {

constexpr uint64_t poison = 0xCBCBCBCBCBCBCBCB;

class Machine {
 public:
  Machine(const Schedule& schedule, const Plan& plan, ElementOrder order)
      : schedule_(schedule), plan_(plan), order_(order) {
    for (std::size_t a = 0; a < arena_count; ++a) renew(static_cast<Arena>(a));
  }

  Sightings run_twice() {
    fill_given({Arena::Constants, Arena::State});
    run(1);
    const std::vector<uint64_t> returned = memory(Arena::Returned);
    std::vector<uint64_t> inputs = memory(Arena::Inputs);
    run(2);
    // The first run's outputs: the caller kept its memory, the rest is the program's.
    memory(Arena::Returned) = returned;
    memory(Arena::Inputs) = std::move(inputs);
    for (ValueId output : schedule_.outputs) {
      // State goes on changing; what is returned of it is a view of what the caller knows to change.
      if (!schedule_.storage(schedule_.value(output).storage).given) see(digest(output));
    }
    return std::move(sightings_);
  }

 private:
  std::vector<uint64_t>& memory(Arena arena) { return memory_[static_cast<std::size_t>(arena)]; }
  void renew(Arena arena) {
    memory(arena).assign(static_cast<std::size_t>(std::max<int64_t>(plan_.arena(arena).size, 0)), poison);
  }
  void see(uint64_t what) { sightings_.seen.push_back(what); }

  uint64_t* at(StorageId storage, int64_t byte) {
    const Placement& placement = plan_.placement(storage);
    std::vector<uint64_t>& bytes = memory(placement.arena);
    const int64_t address = placement.slot.offset + byte;
    if (address < 0 || address >= static_cast<int64_t>(bytes.size())) {
      sightings_.outside = true;
      return nullptr;
    }
    return &bytes[static_cast<std::size_t>(address)];
  }
  uint64_t load(StorageId storage, int64_t byte) {
    const uint64_t* cell = at(storage, byte);
    sightings_.unwritten |= cell && *cell == poison;
    return cell ? *cell : 0;
  }
  void store(StorageId storage, int64_t byte, uint64_t content) {
    if (uint64_t* cell = at(storage, byte)) *cell = content;
  }

  void fill_given(std::initializer_list<Arena> arenas) {
    for (std::size_t s = 0; s < schedule_.storages.size(); ++s) {
      const StorageId storage(s);
      if (!schedule_.storages[s].given || std::ranges::find(arenas, plan_.placement(storage).arena) == arenas.end()) {
        continue;
      }
      for (int64_t byte = 0; byte < schedule_.storages[s].bytes; ++byte) {
        store(storage, byte, mix(mix(s, static_cast<uint64_t>(byte)), run_));
      }
    }
  }

  uint64_t digest(ValueId value) {
    uint64_t all = 1;
    for_each_byte(schedule_.value(value), [&](int64_t byte) {
      all = mix(all, load(schedule_.value(value).storage, byte));
      return true;
    });
    return all;
  }

  void run(uint64_t number) {
    run_ = number;
    for (Arena arena : {Arena::Inputs, Arena::Returned}) renew(arena);
    fill_given({Arena::Inputs});
    for (std::size_t n = 0; n < schedule_.steps.size(); ++n) step(schedule_.steps[n], mix(n, number));
    for (ValueId output : schedule_.outputs) see(digest(output));
    for (std::size_t s = 0; s < schedule_.storages.size(); ++s) {
      if (!schedule_.storages[s].given) continue;
      uint64_t all = 1;
      for (int64_t byte = 0; byte < schedule_.storages[s].bytes; ++byte) all = mix(all, load(StorageId(s), byte));
      see(all);
    }
  }

  bool by_element(const ScheduledStep& step, ValueId value) const {
    return std::ranges::find(step.elementwise, value) != step.elementwise.end();
  }

  uint64_t digest_whole_operands(const ScheduledStep& step) {
    uint64_t all = 1;
    for (ValueId value : step.reads) {
      if (!by_element(step, value)) all = mix(all, digest(value));
    }
    return all;
  }

  void step(const ScheduledStep& step, uint64_t salt) {
    for (ValueId value : step.reads) see(digest(value));
    if (step.elementwise.empty()) {
      scribble(step, salt);
      const uint64_t read = digest_whole_operands(step);
      see(read);
      write(step, mix(salt, read));
    } else {
      step_by_element(step, salt);
    }
  }

  // Every byte that the step makes or writes, in any order and with anything, before its operands are read.
  void scribble(const ScheduledStep& step, uint64_t salt) { write(step, mix(salt, 0x5C1B)); }

  void write(const ScheduledStep& step, uint64_t content) {
    for (StorageId made : step.makes) {
      for (int64_t byte = 0; byte < schedule_.storage(made).bytes; ++byte) {
        store(made, byte, mix(mix(content, made.index), static_cast<uint64_t>(byte)));
      }
    }
    for (ValueId value : step.writes) {
      const StorageId storage = schedule_.value(value).storage;
      for_each_byte(schedule_.value(value), [&](int64_t byte) {
        store(storage, byte, mix(mix(content, storage.index), static_cast<uint64_t>(byte)));
        return true;
      });
    }
  }

  // The bytes of each element of a value, in order.
  std::vector<int64_t> bytes_of(ValueId value) const {
    std::vector<int64_t> bytes;
    for_each_byte(schedule_.value(value), [&](int64_t byte) {
      bytes.push_back(byte);
      return true;
    });
    return bytes;
  }

  void step_by_element(const ScheduledStep& step, uint64_t salt) {
    const ValueId result = step.writes.front();
    const std::vector<int64_t> to = bytes_of(result);
    const auto item = static_cast<std::size_t>(size_of(schedule_.value(result).dtype));
    scribble_gaps(step, result, to, salt);
    std::vector<uint64_t> elements(to.size() / item);
    std::vector<std::vector<int64_t>> from;
    for (ValueId value : step.elementwise) from.push_back(bytes_of(value));
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::size_t e = order_ == ElementOrder::Forward ? k : elements.size() - 1 - k;
      uint64_t read = digest_whole_operands(step);
      for (std::size_t i = 0; i < from.size(); ++i) {
        const ScheduledValue& operand = schedule_.value(step.elementwise[i]);
        const auto size = static_cast<std::size_t>(size_of(operand.dtype));
        for (std::size_t b = e * size; b < (e + 1) * size; ++b) read = mix(read, load(operand.storage, from[i][b]));
      }
      elements[e] = read;
      for (std::size_t b = e * item; b < (e + 1) * item; ++b) {
        store(schedule_.value(result).storage, to[b], mix(mix(salt, read), b));
      }
    }
    for (uint64_t read : elements) see(read);
    see(digest_whole_operands(step));
  }

  // A made storage begins as a whole: what lies between the result's elements is written, too.
  void scribble_gaps(const ScheduledStep& step, ValueId result, const std::vector<int64_t>& to, uint64_t salt) {
    for (StorageId made : step.makes) {
      if (schedule_.storage(made).bytes == static_cast<int64_t>(to.size())) continue;
      for (int64_t byte = 0; byte < schedule_.storage(made).bytes; ++byte) {
        const bool element = made == schedule_.value(result).storage && std::ranges::find(to, byte) != to.end();
        if (!element) store(made, byte, mix(salt, static_cast<uint64_t>(byte)));
      }
    }
  }

  const Schedule& schedule_;
  const Plan& plan_;
  ElementOrder order_;
  std::array<std::vector<uint64_t>, arena_count> memory_;
  uint64_t run_ = 0;
  Sightings sightings_;
};

}  // namespace

Sightings execute(const Schedule& schedule, const Plan& plan, ElementOrder order) {
  return Machine(schedule, plan, order).run_twice();
}

Plan plan_apart(const Schedule& schedule, const Plan& plan) {
  Plan apart;
  for (std::size_t s = 0; s < schedule.storages.size(); ++s) {
    // Not the backend's: what the first run returned must outlive the second.
    const Arena arena = schedule.storages[s].given ? plan.placements[s].arena : Arena::Returned;
    const int64_t bytes = schedule.storages[s].bytes;
    apart.placements.push_back({arena, {apart.arena(arena).size, bytes}});
    apart.arena(arena).size += bytes;
  }
  return apart;
}

}  // namespace parallax::testing
