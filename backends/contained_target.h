// A target of ours whose runs happen in a worker process, since a library that it calls may assert, crash or hang.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/external/external_target.h"
#include "backends/target.h"

namespace parallax {

// `inside` says what the target takes, and explains what did not bring the worker down; `command` starts the worker.
Result<std::unique_ptr<Target>> make_contained_target(std::unique_ptr<Target> inside, std::vector<std::string> command,
                                                      const ExternalOptions& options = {});

}  // namespace parallax
