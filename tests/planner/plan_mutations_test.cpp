// Mutations of sound plans against the byte machine: the checker refuses exactly those that change what a read sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "fuzz/generate/generate.h"
#include "planner/plan_checker.h"
#include "tests/planner/byte_machine.h"
#include "tests/support/plans.h"

namespace parallax {
namespace {

using testing::ElementOrder;
using testing::execute;
using testing::Sightings;

constexpr int mutations = 100000;
constexpr int mutations_a_graph = 50;

enum class Mutation { ShorterLife, DroppedAlias, SizeOffByOne, OffsetOffByOne, SwappedSteps, InPlaceUnasked };
constexpr std::array mutation_names = {"shorter life",      "dropped alias", "size off by one",
                                       "offset off by one", "swapped steps", "in place unasked"};

// Lifetimes of a planner that does not know that `forgotten` is an alias of its storage.
Lifetimes lifetimes_without(const Graph& graph, ValueId forgotten) {
  Graph blind = graph;
  const StorageId other(blind.storages.size());
  blind.storages.push_back({"forgotten", graph.meta(forgotten).dtype, graph.meta(forgotten).layout.extent(), {}, {}});
  blind.metas[forgotten.index].storage = other;
  Lifetimes lifetimes = alias_set_lifetimes(blind);
  lifetimes.pop_back();
  return lifetimes;
}

struct Mutant {
  Schedule schedule;
  Plan plan;
};

class Mutator {
 public:
  Mutator(const Graph& graph, Choices& choices)
      : graph_(graph), choices_(choices), schedule_(schedule_of(graph)), lifetimes_(alias_set_lifetimes(graph)) {
    // Half of the plans put slots at any byte, so that an offset off by one is no matter of alignment.
    options_ = testing::memory_options(choices.chance(50) ? 1 : 8);
    plan_ = planned(lifetimes_);
  }

  const Schedule& schedule() const { return schedule_; }
  const Plan& plan() const { return plan_; }

  // Nothing where the graph has no place for the mutation.
  std::optional<Mutant> mutate(Mutation mutation) {
    switch (mutation) {
      case Mutation::ShorterLife: {
        Lifetimes lifetimes = lifetimes_;
        LiveRange& range = choices_.pick(backend_storages(lifetimes)).get().range;
        if (range.last == range.first) return std::nullopt;
        range.last -= static_cast<int>(choices_.between(1, range.last - range.first));
        return Mutant{schedule_, planned(lifetimes)};
      }
      case Mutation::DroppedAlias: {
        const ValueId value(static_cast<std::size_t>(choices_.below(graph_.metas.size())));
        if (first_value(graph_, graph_.meta(value).storage) == value) return std::nullopt;
        return Mutant{schedule_, planned(lifetimes_without(graph_, value))};
      }
      case Mutation::SizeOffByOne: {
        chosen_ = choices_.below(graph_.storages.size());
        MemoryOptions options = options_;
        options.sizes = [](const Graph& graph, StorageId storage) {
          return std::max<int64_t>(storage_bytes(graph, storage) - (storage.index == chosen_), 0);
        };
        return Mutant{schedule_, planned(lifetimes_, options)};
      }
      case Mutation::OffsetOffByOne: {
        Mutant mutant{schedule_, plan_};
        Placement& placement = mutant.plan.placements[choices_.below(plan_.placements.size())];
        placement.slot.offset += choices_.chance(50) ? 1 : -1;
        return mutant;
      }
      case Mutation::SwappedSteps: {
        if (schedule_.steps.size() < 2) return std::nullopt;
        Mutant mutant{schedule_, plan_};
        std::swap(mutant.schedule.steps[choices_.below(schedule_.steps.size())],
                  mutant.schedule.steps[choices_.below(schedule_.steps.size())]);
        return mutant;
      }
      case Mutation::InPlaceUnasked: {
        InPlaceConditions conditions = in_place_conditions;
        conditions[choices_.below(conditions.size())].holds = [](const InPlaceCandidate&) { return true; };
        return Mutant{schedule_, planned(lifetimes_, options_, conditions)};
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<std::reference_wrapper<Lifetime>> backend_storages(Lifetimes& lifetimes) {
    std::vector<std::reference_wrapper<Lifetime>> storages;
    for (Lifetime& lifetime : lifetimes) {
      if (lifetime.arena == Arena::Backend) storages.emplace_back(lifetime);
    }
    if (storages.empty()) storages.emplace_back(lifetimes.front());
    return storages;
  }

  Plan planned(const Lifetimes& lifetimes) { return planned(lifetimes, options_); }
  Plan planned(const Lifetimes& lifetimes, const MemoryOptions& options,
               const InPlaceConditions& conditions = in_place_conditions) {
    return testing::plan_of(graph_, lifetimes,
                            choose_in_place(graph_, lifetimes, testing::pointwise_kernels, conditions), options);
  }

  static inline uint64_t chosen_ = 0;  // the storage whose size is mistaken

  const Graph& graph_;
  Choices& choices_;
  Schedule schedule_;
  Lifetimes lifetimes_;
  MemoryOptions options_;
  Plan plan_;
};

// What a plan says of itself: each slot holds its storage, lies in an arena of its owner and is aligned.
bool is_well_formed(const Schedule& schedule, const Plan& plan) {
  for (std::size_t s = 0; s < plan.placements.size(); ++s) {
    const auto& [arena, slot] = plan.placements[s];
    if (slot.size < schedule.storages[s].bytes || slot.offset < 0 || slot.end() > plan.arena(arena).size ||
        slot.offset % plan.arena(arena).alignment != 0 || is_given(arena) != schedule.storages[s].given) {
      return false;
    }
  }
  return true;
}

// Whether an output lies where the next run writes. The plan says so; whether that run writes other bytes there is
// chance.
bool returns_backend_memory(const Schedule& schedule, const Plan& plan) {
  return std::ranges::any_of(schedule.outputs, [&](ValueId output) {
    return plan.placement(schedule.value(output).storage).arena == Arena::Backend;
  });
}

// Whether the plan's memory lets every read see what it would see in memory of its own.
bool reads_are_right(const Schedule& schedule, const Plan& plan) {
  for (ElementOrder order : {ElementOrder::Forward, ElementOrder::Backward}) {
    const Sightings apart = execute(schedule, testing::plan_apart(schedule, plan), order);
    const Sightings planned = execute(schedule, plan, order);
    if (apart.unwritten || planned.outside || planned.seen != apart.seen) return false;
  }
  return true;
}

TEST(PlanMutations, AreRefusedWhereTheyChangeWhatAReadSeesAndNowhereElse) {
  std::array<int, mutation_names.size()> right = {};
  std::array<int, mutation_names.size()> wrong = {};
  int done = 0;
  for (uint64_t stream = 0; done < mutations; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 21, stream " << stream);
    Choices choices(21, stream);
    const Graph graph = generate(choices, {}).graph;
    if (graph.storages.empty() || graph.metas.empty()) continue;
    Mutator mutator(graph, choices);
    ASSERT_TRUE(check_plan(mutator.schedule(), mutator.plan()).empty());
    ASSERT_TRUE(reads_are_right(mutator.schedule(), mutator.plan()));
    for (int i = 0; i < mutations_a_graph; ++i) {
      const auto kind = static_cast<std::size_t>(choices.below(mutation_names.size()));
      const std::optional<Mutant> mutant = mutator.mutate(static_cast<Mutation>(kind));
      if (!mutant) continue;
      ++done;
      const bool sound = is_well_formed(mutant->schedule, mutant->plan) &&
                         !returns_backend_memory(mutant->schedule, mutant->plan) &&
                         reads_are_right(mutant->schedule, mutant->plan);
      ++(sound ? right : wrong)[kind];
      const std::vector<PlanFailure> failures = check_plan(mutant->schedule, mutant->plan);
      ASSERT_EQ(failures.empty(), sound) << mutation_names[kind] << ": "
                                         << (failures.empty() ? "nothing is refused"
                                                              : describe(mutant->schedule, failures.front()));
    }
  }
  for (std::size_t kind = 0; kind < mutation_names.size(); ++kind) {
    RecordProperty(std::string(mutation_names[kind]), wrong[kind]);
    EXPECT_GT(wrong[kind], 50) << mutation_names[kind];
    EXPECT_GT(right[kind], 50) << mutation_names[kind];
  }
}

}  // namespace
}  // namespace parallax
