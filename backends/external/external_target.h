// A target that is a worker process speaking the adapter protocol (docs/protocol.md).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backends/external/declined.h"
#include "backends/external/process.h"
#include "backends/external/protocol.h"
#include "backends/target.h"

namespace parallax {

struct ExternalOptions {
  std::chrono::milliseconds first_limit{120'000};  // for hello, and for the first case after it: libraries load then
  std::chrono::milliseconds later_limit{60'000};   // for each later case
  ProcessLimits limits;
  bool forks = false;  // whether the command is {PYTHON, FOLDER OF ADAPTERS, MODULE, …}: later workers are forked then
  int threads = 1;     // that run A at once in the worker, each on an instance of its own
  Declined declined;   // what was measured to be declined: no graphs are drawn of it
};

// Starts the worker and asks it who it is, so that a target that cannot be run is an error here and not an outcome of
// every case. It is started again when it died, hung or broke the protocol, at the next case.
Result<std::unique_ptr<Target>> make_external_target(std::string name, std::vector<std::string> command,
                                                     const ExternalOptions& options = {});

}  // namespace parallax
