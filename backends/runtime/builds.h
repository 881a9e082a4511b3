// Builds: the ways in which our own compiler compiles one case, and which of them is the first to be wrong.
#pragma once

#include <functional>
#include <optional>

#include "backends/runtime/protocol_runs.h"
#include "backends/target.h"

namespace parallax::runtime {

struct Build {
  std::string_view part;     // what it adds to those before it: who is to blame where it is the first to be wrong
  bool anew = false;         // compiled once for each run, at its sizes, rather than for all of them
  bool partitioned = false;  // delegates take what they can; f32 arithmetic goes to "vector", all else to "scalar"
  bool on_host = false;      // the kernels run what a device has taken
  bool fused = false;        // "vector" runs groups of nodes in one loop
  bool reuse_memory = true;
  bool in_place = false;
  bool integers = true;  // quantized calls are fused
  bool control = false;  // branches and loops go by the compiler's rules, planted faults included
};

inline constexpr std::string_view device_part = "device";
inline constexpr std::string_view integers_part = "integer kernels";

// From the one that has nothing but the passes to the one that has everything.
inline constexpr std::array build_ladder = {
    Build{.part = "passes", .anew = true, .reuse_memory = false},
    Build{.part = "resize", .reuse_memory = false},
    Build{.part = "partition", .partitioned = true, .on_host = true, .reuse_memory = false},
    Build{.part = device_part, .partitioned = true, .reuse_memory = false},
    Build{.part = "fusion", .partitioned = true, .fused = true, .reuse_memory = false},
    Build{.part = "control", .reuse_memory = false, .control = true},
    Build{.part = "planner", .control = true},
    Build{.part = "planner", .partitioned = true, .fused = true, .control = true},
    Build{.part = "planner", .partitioned = true, .fused = true, .in_place = true, .control = true},
};
// What every case is run as; where there are delegates, the plain one has them too.
inline constexpr Build plain_build = build_ladder[6];
inline constexpr Build full_build = build_ladder.back();
inline constexpr Build plain_delegating_build = {.part = "planner", .partitioned = true, .control = true};

// The options of a build, without faults. `delegates` may be null; they are not asked for the ops of `left`, which the
// options point to.
CompileOptions compile_options(const Build& build, const DelegateSet* delegates = nullptr,
                               std::span<const Op* const> left = {});
// Who makes the delegates of its partitions, by backend.
std::vector<MakeDelegate> delegate_makers(const Build& build, const DelegateSet* delegates);

// What tells a wrong build from the first, which is right.
struct BuildCheck {
  std::string_view what;  // that a wrong one is the first to do: "change a bit"
  std::function<bool(const Outcome& right, const Outcome& outcome)> is_wrong;
};
// Kernels of our own compute the same bits in every build.
BuildCheck bit_for_bit();

// Runs every build of the ladder that can be made, and names the first that is wrong. Nothing where none is.
std::optional<Diagnosis> first_wrong_build(const Case& test,
                                           const std::function<Result<LoadedRuns>(const Build&)>& make,
                                           const BuildCheck& check = bit_for_bit());

}  // namespace parallax::runtime
