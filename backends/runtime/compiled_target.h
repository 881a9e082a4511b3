// A target of our own compiler and memory planner, on the CPU of this machine ("portable"), alone or with delegates and
// a device.
#pragma once

#include <memory>
#include <string>

#include "backends/delegate.h"
#include "backends/device.h"
#include "backends/runtime/protocol_runs.h"
#include "backends/target.h"

namespace parallax {

struct CompiledTargetOptions {
  FaultSet faults = {};
  DetectorSet detect = {};                             // what may raise a finding beside the values
  int64_t alignment = 8;                               // of the backend's arena, in bytes
  int64_t arena_limit = CompileOptions().arena_limit;  // of the same, in bytes
  int64_t redzone = 0;                                 // bytes behind each of its slots
  PassSelection selection = {};                        // which passes run
  const DelegateSet* delegates = nullptr;              // who is asked before the kernels
  std::vector<const Op*> left = {};                    // ops that the kernels run all the same
  std::shared_ptr<Device> device = nullptr;            // that runs what the first of them takes
  bool draws_order = false;                            // of the nodes, a legal one for each case
  runtime::FreshMemory memory = {};                    // what is there before a run
  int threads = 1;                                     // that run A at once, each on an instance of its own
};

// With delegates it is a target of their name, which promises of its arithmetic what they do.
Result<std::unique_ptr<Target>> make_compiled_target(std::string name, const CompiledTargetOptions& options = {});

}  // namespace parallax
