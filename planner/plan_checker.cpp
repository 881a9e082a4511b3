#include "planner/plan_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {
namespace {

// Who wrote a byte last: a storage's data at a step. No storage for bytes that nothing wrote.
struct Tag {
  StorageId storage;
  int step = -1;

  friend bool operator==(const Tag&, const Tag&) = default;
};

class Replay {
 public:
  Replay(const Graph& graph, const Plan& plan)
      : graph_(graph),
        plan_(plan),
        makers_(storage_makers(graph)),
        checked_(graph.storages.size(), false),
        wanted_(graph.storages.size()),
        arena_(static_cast<std::size_t>(std::max<int64_t>(plan.arena_size, 0))) {}

  std::vector<PlanFailure> run() {
    check_placements();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const int step = static_cast<int>(n);
      const std::size_t failures = failures_.size();
      read_arguments(node, step);
      write_results(node, step);
      // A kernel may still be reading an operand when its first result is written, so operands must survive the writes.
      if (failures == failures_.size()) read_arguments(node, step);
    }
    const int end = static_cast<int>(graph_.nodes.size());
    for (ValueId output : graph_.outputs) {
      read(output, end);
      check_returned(output, end);
    }
    return std::move(failures_);
  }

 private:
  bool in_arena(StorageId storage) const { return checked_[storage.index]; }

  // The slots themselves; only storages whose slot is sound are replayed.
  void check_placements() {
    for (std::size_t s = 0; s < graph_.storages.size(); ++s) {
      const StorageId storage(s);
      const Placement& placement = plan_.placement(storage);
      const int64_t bytes = storage_bytes(graph_, storage);
      if ((placement.place == Place::Caller) != !makers_[s]) {
        report(PlanFailure::Kind::NotTheCallers, storage);
      } else if (placement.place == Place::Arena && placement.slot.size < bytes) {
        report(PlanFailure::Kind::TooSmall, storage);
      } else if (placement.place == Place::Arena &&
                 (placement.slot.offset < 0 || placement.slot.end() > plan_.arena_size)) {
        report(PlanFailure::Kind::OutsideArena, storage);
      } else if (placement.place == Place::Arena) {
        checked_[s] = true;
        wanted_[s].assign(static_cast<std::size_t>(bytes), -1);
      }
    }
  }

  void report(PlanFailure::Kind kind, StorageId storage) {
    PlanFailure failure;
    failure.kind = kind;
    failure.storage = storage;
    failure.slot = plan_.placement(storage).slot;
    failure.written_by = makers_[storage.index] ? static_cast<int>(makers_[storage.index]->index) : -1;
    failures_.push_back(failure);
  }

  // Calls `visit(byte)` for every byte of the storage that the value covers, until it returns false.
  template <class Visit>
  void for_each_byte(const TensorMeta& meta, Visit&& visit) const {
    const int64_t size = size_of(meta.dtype);
    bool going = true;
    for_each_element(meta.layout, [&](int64_t element) {
      for (int64_t byte = element * size; going && byte < (element + 1) * size; ++byte) going = visit(byte);
    });
  }

  void read_arguments(const Node& node, int step) {
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      for_each_value(node.arguments[i], [&](ValueId value) {
        // What a step writes in place holds its new bytes by the end of the step.
        if (!node.op->schema.parameters[i].written) read(value, step);
      });
    }
  }

  void read(ValueId value, int step) {
    const TensorMeta& meta = graph_.meta(value);
    if (!in_arena(meta.storage)) return;
    const int64_t offset = plan_.placement(meta.storage).slot.offset;
    const std::vector<int>& wanted = wanted_[meta.storage.index];
    for_each_byte(meta, [&](int64_t byte) {
      const Tag want{meta.storage, wanted[static_cast<std::size_t>(byte)]};
      const Tag& got = arena_[static_cast<std::size_t>(offset + byte)];
      if (got == want) return true;
      PlanFailure failure;
      failure.storage = meta.storage;
      failure.slot = plan_.placement(meta.storage).slot;
      failure.value = value;
      failure.written_by = want.step;
      failure.overwritten_by = got.step;
      failure.read_by = step;
      failures_.push_back(failure);
      return false;
    });
  }

  void write_results(const Node& node, int step) {
    for (ValueId result : node.results) {
      const TensorMeta& meta = graph_.meta(result);
      if (!in_arena(meta.storage)) continue;
      if (makers_[meta.storage.index] == NodeId(static_cast<std::size_t>(step))) {
        // The whole storage begins here, gaps between its elements included.
        for (int64_t byte = 0; byte < storage_bytes(graph_, meta.storage); ++byte) write(meta.storage, byte, step);
      } else if (node.op->writes() && !node.op->writes_metadata_only()) {
        for_each_byte(meta, [&](int64_t byte) {
          write(meta.storage, byte, step);
          return true;
        });
      }
    }
  }

  void write(StorageId storage, int64_t byte, int step) {
    wanted_[storage.index][static_cast<std::size_t>(byte)] = step;
    arena_[static_cast<std::size_t>(plan_.placement(storage).slot.offset + byte)] = {storage, step};
  }

  void check_returned(ValueId output, int end) {
    const StorageId storage = graph_.meta(output).storage;
    if (plan_.placement(storage).place != Place::Arena) return;
    report(PlanFailure::Kind::Returned, storage);
    failures_.back().value = output;
    failures_.back().read_by = end;
  }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::optional<NodeId>> makers_;
  std::vector<bool> checked_;             // by storage: lies in the arena, in a sound slot
  std::vector<std::vector<int>> wanted_;  // by storage and byte: the step whose data the graph means to be there
  std::vector<Tag> arena_;                // by byte: what is there
  std::vector<PlanFailure> failures_;
};

std::string step_text(const Graph& graph, int step) {
  if (step < 0) return "nothing";
  if (step == static_cast<int>(graph.nodes.size())) return "the return";
  return fmt::format("#{}", step);
}

}  // namespace

std::vector<PlanFailure> check_plan(const Graph& graph, const Plan& plan) { return Replay(graph, plan).run(); }

ValueId first_value(const Graph& graph, StorageId storage) {
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    if (graph.metas[v].storage == storage) return ValueId(v);
  }
  return {};
}

std::string describe(const Graph& graph, const PlanFailure& failure) {
  const std::string& owner = graph.name(first_value(graph, failure.storage));
  const std::string place = fmt::format("{} in [{}, {})", owner, failure.slot.offset, failure.slot.end());
  const auto reader = [&] {
    const std::string& name = graph.name(failure.value);
    return name == owner ? fmt::format("it is still read by {}", step_text(graph, failure.read_by))
                         : fmt::format("its alias {} is still read by {}", name, step_text(graph, failure.read_by));
  };
  switch (failure.kind) {
    case PlanFailure::Kind::OutsideArena:
      return fmt::format("{} lies outside the arena", place);
    case PlanFailure::Kind::TooSmall:
      return fmt::format("{} needs {} bytes", place, storage_bytes(graph, failure.storage));
    case PlanFailure::Kind::NotTheCallers:
      return fmt::format("{} is planned as somebody else's memory", owner);
    case PlanFailure::Kind::Returned:
      return fmt::format("{} is returned as {}, but the next run overwrites the arena", place,
                         graph.name(failure.value));
    case PlanFailure::Kind::Overwritten:
      return fmt::format("{}, written by {}, is overwritten by {}; {}", place, step_text(graph, failure.written_by),
                         step_text(graph, failure.overwritten_by), reader());
  }
  return place;
}

}  // namespace parallax
