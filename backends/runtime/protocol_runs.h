// Protocol runs: what an executable hands back in the runs of the judging protocol (oracle/outcome.h).
#pragma once

#include "backends/runtime/executor.h"
#include "backends/runtime/sanitizer.h"
#include "graph/case.h"
#include "oracle/outcome.h"

namespace parallax::runtime {

using Loaded = std::shared_ptr<const Executable>;

// The executables of a case's runs, in order: one program at the sizes of each.
using LoadedRuns = std::vector<Loaded>;

// What the memory of the two instances holds before anybody writes to it: what differs shows, what is the same may not.
struct FreshMemory {
  std::byte first{0xCB};
  std::byte second{0x55};
};
// As memory comes from an operating system, or a driver. What nobody wrote then reads as 0, as users of a real runtime
// see it.
inline constexpr FreshMemory zeros_for_both{std::byte{0}, std::byte{0}};

// All runs on one instance, or A and then B (where there is a feed for it); then all runs on an instance of `again`.
// Fills in the outcome's runs, or its stop.
void run_protocol(const LoadedRuns& runs, const LoadedRuns& again, const FreshMemory& memory, const Case& test,
                  const std::vector<Tensor>* second, Outcome& outcome);

// A once more on that many threads at the same time, each on an instance of its own of one executable. The first that
// differs from what the outcome has of A takes the place of its run on a fresh instance, so that it is judged.
void run_on_threads(const Loaded& executable, const FreshMemory& memory, const Case& test, int threads,
                    Outcome& outcome);

// Puts an error into an outcome as its status; and what a detector of our own raises.
void stop(Outcome& outcome, Status status, std::string stage, std::string kind, std::string message);
void stop(Outcome& outcome, std::string stage, Detector detector, std::string message);
void stop(Outcome& outcome, const std::string& stage, const Error& error);

// One run under the arena sanitizer, on an instance of its own.
std::vector<PlanFailure> sanitized_run(const Loaded& executable, std::span<const Tensor> feed);

}  // namespace parallax::runtime
