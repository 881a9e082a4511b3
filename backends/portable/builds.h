// Builds: the ways in which the portable target compiles one case, and which of them is the first to be wrong.
#pragma once

#include <functional>
#include <optional>

#include "backends/portable/protocol_runs.h"
#include "backends/target.h"

namespace parallax::portable {

struct Build {
  std::string_view part;     // what it adds to those before it: who is to blame where it is the first to be wrong
  bool anew = false;         // compiled once for each run, at its sizes, rather than for all of them
  bool partitioned = false;  // f32 arithmetic goes to the backend "vector", everything else to "scalar"
  bool fused = false;        // "vector" runs groups of nodes in one loop
  bool reuse_memory = true;
  bool in_place = false;
};

// From the one that has nothing but the passes to the one that has everything.
inline constexpr std::array build_ladder = {
    Build{.part = "passes", .anew = true, .reuse_memory = false},
    Build{.part = "resize", .reuse_memory = false},
    Build{.part = "partition", .partitioned = true, .reuse_memory = false},
    Build{.part = "fusion", .partitioned = true, .fused = true, .reuse_memory = false},
    Build{.part = "planner"},
    Build{.part = "planner", .partitioned = true, .fused = true},
    Build{.part = "planner", .partitioned = true, .fused = true, .in_place = true},
};
// What every case is run as.
inline constexpr Build plain_build = build_ladder[4];
inline constexpr Build full_build = build_ladder.back();

// The options of a build, without faults.
CompileOptions compile_options(const Build& build);

// Runs every build of the ladder and names the first that hands back other bits than the first of all. Nothing where
// all agree or one cannot be made.
std::optional<Diagnosis> first_wrong_build(const Case& test,
                                           const std::function<Result<LoadedRuns>(const Build&)>& make);

}  // namespace parallax::portable
